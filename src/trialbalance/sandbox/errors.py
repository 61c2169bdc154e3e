"""What can go wrong with a sandbox.

SandboxError
├── BackendUnavailable   the machine cannot isolate in the way that was asked for
├── UnsafeSandbox        the walls were tried before use and did not hold
├── SandboxClosed        it was closed or frozen, or what runs inside was lost
│   └── RequestLost      nobody answers a request any more
└── RequestRefused       one request failed; the sandbox itself is well
"""

from __future__ import annotations


class SandboxError(Exception):
    """Something about a sandbox failed; the message says what, where and what to do."""


class BackendUnavailable(SandboxError):
    """The machine cannot isolate in the way that was asked for."""


class UnsafeSandbox(SandboxError):
    """A sandbox was not opened because an attack on its walls succeeded."""


class SandboxClosed(SandboxError):
    """The sandbox is closed or frozen, or its first process is gone."""


class RequestLost(SandboxClosed):
    """What served one request is gone: the sandbox was closed, or something inside killed it."""


class RequestRefused(SandboxError):
    """The first process of the sandbox could not do what it was asked."""

    def __init__(self, message: str, number: int) -> None:
        super().__init__(message)
        self.number = number
        """The operating system's error number."""
