"""Listening in a sandbox's network from the host, where what runs inside may not: an ordinary user below port 1024."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
from pathlib import Path

from trialbalance.sandbox.root import PYTHON

SECONDS = 20.0


def listen(pid: int, network: int, port: int, backlog: int) -> socket.socket:
    """A socket that listens on 127.0.0.1:port in the network of a process.

    A namespace belongs to a whole process, so another one enters it, in which nothing of the sandbox's runs.

    :raises OSError: the port is taken, or the network cannot be entered.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        ours.settimeout(SECONDS)
        channel = theirs.fileno()
        script = str(Path(__file__).with_name("enter.py"))
        numbers = (channel, pid, network, port, backlog)
        argv = [PYTHON, "-I", "-S", script, "listen", *map(str, numbers)]
        done = subprocess.run(
            argv, pass_fds=[channel], timeout=SECONDS, capture_output=True, text=True, check=False
        )
        theirs.close()
        answer, descriptors, _, _ = socket.recv_fds(ours, 16, 1)
        if descriptors:
            return socket.socket(fileno=descriptors[0])
    number = int(answer or errno.EIO)
    raise OSError(number, os.strerror(number) if answer else done.stderr.strip())
