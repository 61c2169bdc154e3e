# ruff: noqa: PTH102, PTH103, PTH112, PTH120, PTH123, PTH211 (quicker to start without pathlib)
"""Builds the file system of a sandbox from inside fresh namespaces, drops capabilities, and becomes its first process.

A script of its own, run by ``/usr/bin/python3 -I -S`` under ``unshare``, where bubblewrap is missing. Arguments: the
plan that `unshare.arguments` wrote, then the command to become.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import platform
import socket
import struct
import sys

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 32, 4096, 16384, 1 << 18
KEPT = {1: 1, 2: 2, 4: 4, 8: 8, 1024: 1024, 2048: 2048, 4096: 1 << 21}
"""Flags as ``statvfs`` shows them, and as ``mount`` takes them: those that a user namespace must not take away."""
MNT_DETACH = 2
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
DEVICE_LINKS = {
    "fd": "/proc/self/fd",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
}
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
CAP_NET_BIND_SERVICE = 10

libc = ctypes.CDLL(None, use_errno=True)


def call(name: str, result: int, subject: str) -> None:
    """Stop with the operating system's reason when a call has failed."""
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{name} {subject}: {os.strerror(ctypes.get_errno())}")


def mount(source: str, target: str, kind: str | None, flags: int, data: str = "") -> None:
    arguments = (source.encode(), target.encode(), kind.encode() if kind else None, flags, data.encode())
    call("mount", libc.mount(*arguments), target)


def remount(target: str, flags: int) -> None:
    """Add flags to a mount, keeping those it has."""
    shown = os.statvfs(target).f_flag
    kept = sum(flag for bit, flag in KEPT.items() if shown & bit)
    mount("none", target, None, MS_REMOUNT | MS_BIND | kept | flags)


def below(target: str) -> list[str]:
    """The mounts at and below a place, outermost first."""
    found = []
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        for line in file:
            place = line.split()[4].encode().decode("unicode_escape")
            if place == target or place.startswith(target + "/"):
                found.append(place)
    return sorted(set(found))


def bind(source: str, target: str, writable: bool) -> None:
    """Show a file or directory, without devices and set-user-id programs."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    elif not os.path.lexists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
    mount(source, target, None, MS_BIND | MS_REC)
    for place in below(target):
        remount(place, MS_NOSUID | MS_NODEV | (0 if writable else MS_RDONLY))


def tmpfs(target: str, size: int, mode: int) -> None:
    os.makedirs(target, exist_ok=True)
    mount(
        "tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV, f"mode={mode:o}" + (f",size={size}" if size else "")
    )


def devices(target: str) -> None:
    """A ``/dev`` of the harmless devices."""
    tmpfs(target, 1 << 20, 0o755)
    for name in DEVICES:
        os.close(os.open(f"{target}/{name}", os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
        mount(f"/dev/{name}", f"{target}/{name}", None, MS_BIND)
    for name, place in DEVICE_LINKS.items():
        os.symlink(place, f"{target}/{name}")
    os.mkdir(f"{target}/pts")
    mount("devpts", f"{target}/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
    os.symlink("pts/ptmx", f"{target}/ptmx")
    os.mkdir(f"{target}/shm")


def build(root: str, operations: list[dict[str, str | int]]) -> None:
    """Carry out the operations of a layout below ``root``."""
    for operation in operations:
        kind, source = operation["kind"], str(operation["source"])
        target = root + str(operation["target"]).rstrip("/")
        if kind == "bind":
            bind(source, target, bool(operation["writable"]))
        elif kind == "symlink":
            os.symlink(source, target)
        elif kind == "tmpfs":
            tmpfs(target, int(operation["size"]), int(operation["mode"]))
        elif kind == "directory":
            os.makedirs(target, int(operation["mode"]), exist_ok=True)
        elif kind == "proc":
            os.makedirs(target, exist_ok=True)
            mount("proc", target, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
        elif kind == "dev":
            devices(target)
        elif kind == "seal":
            remount(target, MS_RDONLY)
        else:
            raise ValueError(f"unknown operation {kind}")


def raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sH14s", b"lo", 0, b"")
        flags = struct.unpack("16sH14s", fcntl.ioctl(control, SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH14s", b"lo", flags | IFF_UP, b""))


def enter(root: str) -> None:
    """Make ``root`` the root, and let go of the host's."""
    os.chdir(root)
    call("pivot_root", libc.syscall(PIVOT_ROOT[platform.machine()], b".", b"."), root)
    call("umount", libc.umount2(b".", MNT_DETACH), "the host's root")
    os.chdir("/")


def drop_capabilities(kept: int | None) -> None:
    """Give up every capability but one, for good."""
    for number in range(64):
        if number != kept:
            libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)
    low = 1 << kept if kept is not None else 0
    header = struct.pack("=II", 0x20080522, 0)
    data = struct.pack("=6I", low, low, low, 0, 0, 0)
    call("capset", libc.capset(header, data), "capabilities")
    call("prctl", libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges")


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        plan = json.load(file)
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    root = plan["root"]
    os.makedirs(root, exist_ok=True)
    mount("tmpfs", root, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=16m")
    build(root, plan["operations"])
    if plan["first_process"]:
        raise_loopback()
    socket.sethostname(plan["hostname"])
    enter(root)
    drop_capabilities(CAP_NET_BIND_SERVICE if plan["first_process"] else None)
    os.execve(sys.argv[2], sys.argv[2:], {})


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, KeyError) as error:
        print(f"sandbox builder: {error}", file=sys.stderr)
        sys.exit(1)
