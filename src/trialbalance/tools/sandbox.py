"""What the tools need of a sandbox. `trialbalance.sandbox.Sandbox` has it; tests may bring less."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol


class Completed(Protocol):
    """A command that ended."""

    @property
    def exit_code(self) -> int: ...

    @property
    def stdout(self) -> str: ...

    @property
    def stderr(self) -> str: ...

    @property
    def timed_out(self) -> bool: ...


class Launcher(Protocol):
    """A program that starts Chromium in the sandbox's network, for Playwright's `executable_path`."""

    @property
    def executable(self) -> Path: ...


class Sandbox(Protocol):
    """An isolated place where commands run."""

    def exec(
        self,
        argv: Sequence[str],
        *,
        cwd: str = ...,
        env: Mapping[str, str] = ...,
        stdin: str | bytes | None = ...,
        timeout: float | None = ...,
        output_limit: int = ...,
    ) -> Completed:
        """Run a command to its end; what it leaves in the background goes on, unless the time was up."""
