"""Where trials run: processes of this machine (the default), or threads of this process.

An executor starts a trial and tells when it has ended, no more; what came out is read from the trial's
folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from trialbalance.trials import processes
from trialbalance.trials.errors import BadJob

PATIENCE = 15.0
"""Seconds a trial gets to clean up."""


class Running(Protocol):
    """A trial that was started."""

    def fileno(self) -> int:
        """A descriptor that becomes readable when the trial has ended."""

    def ended(self) -> str | None:
        """None while it runs; then "" or, when its process died, how."""

    def ask(self) -> None:
        """Ask it to end; returns at once."""

    def stop(self, patience: float = PATIENCE) -> None:
        """End it, with everything that it started; by force when it is not gone within `patience` seconds."""


class Executor(Protocol):
    """Starts trials."""

    def start(self, trial_dir: Path, *, hold: int) -> Running:
        """Start the trial whose `config.json` is in the folder; its process keeps the descriptor `hold` open."""


class _Process:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._pidfd = os.pidfd_open(process.pid)

    def fileno(self) -> int:
        return self._pidfd

    def ended(self) -> str | None:
        code = self.process.poll()
        if code is None:
            return None
        self._close()
        if code == 0:
            return ""
        return f"was killed by signal {-code}" if code < 0 else f"exited with status {code}"

    def ask(self) -> None:
        processes.ask(self.process)

    def stop(self, patience: float = PATIENCE) -> None:
        processes.end(self.process, patience=patience)
        self._close()

    def _close(self) -> None:
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1


class Processes:
    """Each trial in a Python process of its own on this machine."""

    def __init__(self, python: Iterable[str] = ()) -> None:
        self._python = tuple(python) or (sys.executable, "-W", "ignore", "-m", "trialbalance.trials.worker")

    def start(self, trial_dir: Path, *, hold: int) -> Running:
        """Start the trial's process; its own output goes to `harness.log`."""
        argv = [*self._python, str(trial_dir), str(os.getpid())]
        return _Process(processes.start(argv, log=trial_dir / "harness.log", hold=hold))


class _Thread:
    def __init__(self, run: Callable[[Path], None], trial_dir: Path) -> None:
        self._read, self._write = os.pipe()
        self._error = ""
        self._over = False
        self._run, self._trial_dir = run, trial_dir
        self._thread = threading.Thread(target=self._main, name=trial_dir.name, daemon=True)
        self._thread.start()

    def _main(self) -> None:
        try:
            self._run(self._trial_dir)
        except BaseException as error:
            self._error = f"raised {type(error).__name__}: {error}"
        finally:
            self._over = True
            os.close(self._write)

    def fileno(self) -> int:
        return self._read

    def ended(self) -> str | None:
        if not self._over:
            return None
        self._close()
        return self._error

    def ask(self) -> None:
        """A thread cannot be asked."""

    def stop(self, patience: float = PATIENCE) -> None:
        self._thread.join()
        self._close()

    def _close(self) -> None:
        if self._read >= 0:
            os.close(self._read)
            self._read = -1


class Threads:
    """Each trial in a thread of this process: for programs that bring agents or graders of their own."""

    def __init__(self, run: Callable[[Path], None]) -> None:
        self._run = run

    def start(self, trial_dir: Path, *, hold: int) -> Running:
        """Start the trial's thread."""
        return _Thread(self._run, trial_dir)


def executor_named(name: str) -> Executor:
    """The executor that `--on NAME` asks for."""
    if name == "local":
        return Processes()
    if name == "ray":
        raise BadJob("--on ray: running trials on a Ray cluster is not built yet; use --on local")
    raise BadJob(f"--on {name}: unknown; use --on local")
