"""The system call filter that every process of a sandbox lives under, compiled by hand to classic BPF.

Namespaces and dropped capabilities are the walls; this closes doors that they leave open: new user namespaces (in
which capabilities come back), kernel keyrings and VM sockets (which no namespace separates), and seldom-used kernel code
that has a history of faults. Refused calls fail with "Operation not permitted", as they would in a container.
"""

from __future__ import annotations

import errno
import platform
import struct
from typing import NamedTuple


class Architecture(NamedTuple):
    """How the kernel names a processor, and its system call numbers."""

    audit: int
    numbers: dict[str, int]
    foreign: int
    """Call numbers from here on belong to another calling convention (x32), 0 when there is none."""


GENERIC = {
    "clone3": 435,
    "fsconfig": 431,
    "fsmount": 432,
    "fsopen": 430,
    "fspick": 433,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "io_uring_setup": 425,
    "mount_setattr": 442,
    "move_mount": 429,
    "open_tree": 428,
}
ARCHITECTURES = {
    "x86_64": Architecture(
        0xC000003E,
        GENERIC
        | {
            "acct": 163,
            "add_key": 248,
            "bpf": 321,
            "clone": 56,
            "delete_module": 176,
            "finit_module": 313,
            "init_module": 175,
            "ioctl": 16,
            "ioperm": 173,
            "iopl": 172,
            "kexec_file_load": 320,
            "kexec_load": 246,
            "keyctl": 250,
            "mount": 165,
            "open_by_handle_at": 304,
            "perf_event_open": 298,
            "pivot_root": 155,
            "quotactl": 179,
            "reboot": 169,
            "request_key": 249,
            "setns": 308,
            "socket": 41,
            "swapoff": 168,
            "swapon": 167,
            "syslog": 103,
            "umount2": 166,
            "unshare": 272,
            "userfaultfd": 323,
        },
        0x40000000,
    ),
    "aarch64": Architecture(
        0xC00000B7,
        GENERIC
        | {
            "acct": 89,
            "add_key": 217,
            "bpf": 280,
            "clone": 220,
            "delete_module": 106,
            "finit_module": 273,
            "init_module": 105,
            "ioctl": 29,
            "kexec_file_load": 294,
            "kexec_load": 104,
            "keyctl": 219,
            "mount": 40,
            "open_by_handle_at": 265,
            "perf_event_open": 241,
            "pivot_root": 41,
            "quotactl": 60,
            "reboot": 142,
            "request_key": 218,
            "setns": 268,
            "socket": 198,
            "swapoff": 225,
            "swapon": 224,
            "syslog": 116,
            "umount2": 39,
            "unshare": 97,
            "userfaultfd": 282,
        },
        0,
    ),
}
SPECIAL = ("clone", "clone3", "ioctl", "io_uring_enter", "io_uring_register", "io_uring_setup", "socket")
FAMILIES = (1, 2, 10, 16)  # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK
TERMINAL_INJECTION = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET

LOAD, JUMP_EQUAL, JUMP_GREATER_EQUAL, JUMP_BITS, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, FIRST, SECOND = 0, 4, 16, 24
ALLOW = 0x7FFF0000
REFUSE = 0x00050000


def supported(machine: str | None = None) -> bool:
    """Whether the filter knows this processor's system calls."""
    return (machine or platform.machine()) in ARCHITECTURES


def compile_filter(machine: str | None = None) -> bytes:
    """The filter as an array of ``struct sock_filter``; empty for a processor it does not know."""
    architecture = ARCHITECTURES.get(machine or platform.machine())
    if architecture is None:
        return b""
    numbers = architecture.numbers
    lines: list[bytes] = [
        line(LOAD, ARCHITECTURE),
        line(JUMP_EQUAL, architecture.audit, 1, 0),
        refuse(errno.ENOSYS),
        line(LOAD, NUMBER),
    ]
    if architecture.foreign:
        lines += [line(JUMP_GREATER_EQUAL, architecture.foreign, 0, 1), refuse(errno.ENOSYS)]
    for name in ("clone3", "io_uring_enter", "io_uring_register", "io_uring_setup"):
        lines += [line(JUMP_EQUAL, numbers[name], 0, 1), refuse(errno.ENOSYS)]
    for name in sorted(set(numbers) - set(SPECIAL)):
        lines += [line(JUMP_EQUAL, numbers[name], 0, 1), refuse(errno.EPERM)]
    lines += argument_rule(
        numbers["clone"], FIRST, [line(JUMP_BITS, NEW_NAMESPACES, 0, 1), refuse(errno.EPERM)], ALLOW
    )
    injection = [
        step
        for number in TERMINAL_INJECTION
        for step in (line(JUMP_EQUAL, number, 0, 1), refuse(errno.EPERM))
    ]
    lines += argument_rule(numbers["ioctl"], SECOND, injection, ALLOW)
    families = [step for family in FAMILIES for step in (line(JUMP_EQUAL, family, 0, 1), line(RETURN, ALLOW))]
    lines += argument_rule(numbers["socket"], FIRST, families, REFUSE | errno.EAFNOSUPPORT)
    lines.append(line(RETURN, ALLOW))
    return b"".join(lines)


def argument_rule(number: int, argument: int, steps: list[bytes], otherwise: int) -> list[bytes]:
    """Steps on the low word of one argument of one call; every path through them returns."""
    body = [line(LOAD, argument), *steps, line(RETURN, otherwise)]
    return [line(JUMP_EQUAL, number, 0, len(body)), *body]


def line(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One instruction."""
    return struct.pack("=HBBI", code, if_true, if_false, value)


def refuse(number: int) -> bytes:
    """Return with an error."""
    return line(RETURN, REFUSE | number)
