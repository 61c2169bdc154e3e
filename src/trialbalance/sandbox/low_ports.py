# ruff: noqa: PTH116, PTH123 (quicker to start without pathlib)
"""Lets a sandbox listen on ports below 1024 whose user is not 0: Stripe's names lead to port 443 there.

bubblewrap puts an ordinary user into a user namespace of its own, below the one that owns the network, so that no
capability inside counts for ports. A script of its own, run on the host by ``/usr/bin/python3 -I -S`` with the number of
the sandbox's first process; it enters the network and nothing else of the sandbox, before anything of an agent's is in it.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import sys

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
NS_GET_USERNS = 0xB701
SETTING = "/proc/sys/net/ipv4/ip_unprivileged_port_start"

libc = ctypes.CDLL(None, use_errno=True)


def enter(descriptor: int, kind: int, what: str) -> None:
    """Change to another namespace."""
    if libc.setns(descriptor, kind) != 0:
        raise OSError(ctypes.get_errno(), f"cannot enter {what}: {os.strerror(ctypes.get_errno())}")


def main() -> None:
    network = os.open(f"/proc/{int(sys.argv[1])}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    if os.stat(network).st_ino == os.stat("/proc/self/ns/net").st_ino:
        raise OSError("the sandbox has the host's own network")
    if os.geteuid() != 0:
        enter(fcntl.ioctl(network, NS_GET_USERNS), CLONE_NEWUSER, "the network's owner")
    enter(network, CLONE_NEWNET, "the network")
    with open(SETTING, "w", encoding="ascii") as file:
        file.write("0")


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, IndexError) as error:
        print(f"sandbox ports: {error}", file=sys.stderr)
        sys.exit(1)
