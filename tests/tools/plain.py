"""A sandbox that is none: commands run on this machine, in a folder of the test."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Done:
    """A command that ended."""

    exit_code: int
    stdout: str
    stderr: str
    timed_out: bool = False


@dataclass
class PlainSandbox:
    """Has what the tools need of a sandbox, without any isolation."""

    root: Path
    commands: list[Sequence[str]] = field(default_factory=list)

    def exec(
        self,
        argv: Sequence[str],
        *,
        cwd: str = "/app",
        env: Mapping[str, str] | None = None,
        stdin: str | bytes | None = None,
        timeout: float | None = None,
        output_limit: int = 1_000_000,
    ) -> Done:
        """Run in a session of its own; when the time is over the session is killed."""
        self.commands.append(argv)
        given = stdin.encode() if isinstance(stdin, str) else stdin
        environment = {**os.environ, "TMPDIR": str(self.root), **(env or {})}
        with subprocess.Popen(
            argv,
            cwd=self.root,
            env=environment,
            stdin=subprocess.PIPE if given is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            timed_out = False
            try:
                out, err = process.communicate(given, timeout)
            except subprocess.TimeoutExpired:
                timed_out = True
                os.killpg(process.pid, signal.SIGKILL)
                out, err = process.communicate()
        code = process.returncode if process.returncode >= 0 else 128 - process.returncode
        text = out[:output_limit].decode(errors="replace")
        return Done(code, text, err.decode(errors="replace"), timed_out)
