# ruff: noqa: PTH103, PTH123 (quicker to start without pathlib)
"""Enters a sandbox's network from the host: with a browser, in files of its own, or to listen there once.

A script of its own, run by ``/usr/bin/python3 -I -S``. The wrapper that Playwright runs calls it with the settings that
`browser` wrote, then the browser's own arguments, and every descriptor stays open: Playwright speaks to the browser over 3
and 4. `outside` calls it with ``listen``, the descriptor of a Unix socket that gets the new socket, the sandbox's process
and network, port and backlog.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import sys
import time

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
NS_GET_USERNS = 0xB701
PR_SET_PDEATHSIG = 1
INTERFACE, PEER, ADDRESS = "net0", "peer0", "192.0.2.1/32"  # an address of RFC 5737, which no network uses
INTERFACE_KINDS = ("dummy", f"veth peer name {PEER}")
SIOCGIFFLAGS, IFF_RUNNING = 0x8913, 0x40
SETTLING = 400  # looks, 5 ms apart
PROFILE, FILTER = "@PROFILE@", "@FILTER@"

libc = ctypes.CDLL(None, use_errno=True)


def enter_network(pid: int, network: int) -> None:
    """Change to the network of a process. Whoever is not root is made so by the user namespace that the network
    belongs to, which need not be that of the process.
    """
    path = f"/proc/{pid}/ns/net"
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    if os.fstat(descriptor).st_ino != network:
        raise OSError("the sandbox is closed")
    if os.geteuid() != 0:
        owner = fcntl.ioctl(descriptor, NS_GET_USERNS)
        enter(owner, CLONE_NEWUSER, f"the owner of {path}")
        os.close(owner)
    enter(descriptor, CLONE_NEWNET, path)
    os.close(descriptor)


def enter(descriptor: int, kind: int, what: str) -> None:
    """Change to another namespace."""
    if libc.setns(descriptor, kind) != 0:
        raise OSError(ctypes.get_errno(), f"cannot enter {what}: {os.strerror(ctypes.get_errno())}")


def listen(channel: int, pid: int, network: int, port: int, backlog: int) -> None:
    """Hand over a socket that listens on 127.0.0.1 in a sandbox's network; the number of the error when it cannot be."""
    with socket.socket(fileno=channel) as told:
        try:
            enter_network(pid, network)
            with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as server:
                server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                server.bind(("127.0.0.1", port))
                server.listen(backlog)
                socket.send_fds(told, [b"0"], [server.fileno()])
        except OSError as error:
            told.send(b"%d" % (error.errno or 1))


def started(pid: int) -> str:
    """When a process started, to tell it from a later one of the same number."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[19]


def look_online() -> None:
    """Add an interface that leads nowhere, once, and wait until it is settled.

    Where there is loopback alone Chromium says ``navigator.onLine`` is false, and apps that ask wait for ever. An interface
    that still changes would make it break off requests, so there are no addresses that come by themselves. One that does
    not settle is an error, because what a page does offline says nothing of the app.
    """
    with open("/proc/self/net/dev", encoding="ascii") as file:
        present = f"{INTERFACE}:" in file.read()
    if not present and not any(configure(kind) for kind in INTERFACE_KINDS):
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        flags = 0
        for _ in range(SETTLING):
            answer = fcntl.ioctl(control, SIOCGIFFLAGS, struct.pack("16sH14s", INTERFACE.encode(), 0, b""))
            flags = struct.unpack("16sH14s", answer)[1]
            if flags & IFF_RUNNING:
                return
            # The kernel takes its own time, and outside of netlink nothing tells when an interface runs.
            time.sleep(0.005)
    raise OSError(
        f"{INTERFACE}, which makes pages look online, is not running after {SETTLING * 5 / 1000:g} seconds "
        f"(its flags are {flags:#x}); try again, or look at `ip -details link show {INTERFACE}` in the sandbox's network"
    )


def configure(kind: str) -> bool:
    """Make the interface with ``ip``; False when this kind is not to be had."""
    lines = [f"link add name {INTERFACE} type {kind}", f"link set {INTERFACE} addrgenmode none"]
    if "peer" in kind:
        lines += [f"link set {PEER} addrgenmode none", f"link set {PEER} up"]
    lines += [f"addr add {ADDRESS} dev {INTERFACE}", f"link set {INTERFACE} up"]
    read, write = os.pipe()
    os.write(write, "\n".join([*lines, ""]).encode())
    os.close(write)
    null = os.open("/dev/null", os.O_WRONLY | os.O_CLOEXEC)
    actions = [(os.POSIX_SPAWN_DUP2, read, 0), (os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
    try:
        environment = {"PATH": "/usr/sbin:/sbin:/usr/bin:/bin"}
        pid = os.posix_spawnp("ip", ["ip", "-batch", "-"], environment, file_actions=actions)
        return os.waitpid(pid, 0)[1] == 0
    except FileNotFoundError:
        return False
    finally:
        os.close(read)
        os.close(null)


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        settings = json.load(file)
    arguments = sys.argv[2:]
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    place = settings["place"]
    me = os.getpid()
    with open(f"{place}/running/{me}", "w", encoding="ascii") as file:
        file.write(started(me))
    enter_network(settings["pid"], settings["network"])
    look_online()
    profile = next((word.partition("=")[2] for word in arguments if word.startswith("--user-data-dir=")), "")
    if not profile:
        profile = f"{place}/profiles/{me}"
        arguments.append(f"--user-data-dir={profile}")
    os.makedirs(profile, exist_ok=True)
    words = {PROFILE: profile}
    if settings["filter"]:
        descriptor = os.open(settings["filter"], os.O_RDONLY)
        os.set_inheritable(descriptor, True)
        words[FILTER] = str(descriptor)
    if settings["plan"]:
        with open(settings["plan"], encoding="utf-8") as file:
            plan = file.read().replace(json.dumps(PROFILE), json.dumps(profile))
        words[settings["plan"]] = f"{place}/plan-{me}.json"
        with open(words[settings["plan"]], "w", encoding="utf-8") as file:
            file.write(plan)
    command = [words.get(word, word) for word in settings["command"]]
    os.execv(command[0], [*command, *arguments])


if __name__ == "__main__":
    try:
        if sys.argv[1] == "listen":
            listen(*map(int, sys.argv[2:]))
        else:
            main()
    except (OSError, ValueError, KeyError) as error:
        print(f"sandbox browser: {error}", file=sys.stderr)
        sys.exit(1)
