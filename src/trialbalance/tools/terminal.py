"""The agent's terminal: a shell in the sandbox that keeps its directory, variables and functions between commands."""

import secrets
import threading
from importlib.resources import files
from typing import NamedTuple

from trialbalance.tools.errors import ToolFailure
from trialbalance.tools.sandbox import Sandbox

DEFAULT_SECONDS = 120
LONGEST_SECONDS = 3600
OUTPUT_LIMIT = 24_000
"""Bytes of a command's output that the agent sees; of more, the beginning and the end."""

_STATE_LIMIT = 4_000_000
_KILLED = 137
_ADVICE = "start what should go on in the background with &, or give a longer timeout"
_ENVIRONMENT = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}
_LOOK = 'size=$(stat -c %s "$1" 2>/dev/null || echo 0); printf "%s\\0" "$size"; head -c "$2" "$1"'
_KILL = 'kill -KILL -- "-$(cat "$1")"'
_TAIL = 'tail -c "$2" "$1"'


class Finished(NamedTuple):
    """What a command came to. `exit_code` is None when it was killed before its end."""

    exit_code: int | None
    output: str
    directory: str
    notes: tuple[str, ...]

    def __str__(self) -> str:
        """As the agent sees it."""
        ended = "no exit code" if self.exit_code is None else f"exit code {self.exit_code}"
        lines = [self.output.rstrip("\n")] if self.output.strip() else []
        return "\n".join([*lines, f"[{ended}]", *(f"[{note}]" for note in self.notes)])


class Terminal:
    """Runs one command after another; calls from several threads take turns."""

    def __init__(self, sandbox: Sandbox, *, directory: str = "/app", temporary: str = "/tmp") -> None:
        self._sandbox = sandbox
        self._script = files("trialbalance.tools").joinpath("terminal.sh").read_text()
        self._lock = threading.Lock()
        self._state = ""
        self._start = directory
        self._directory = directory
        self._folder = f"{temporary}/terminal-{secrets.token_hex(4)}"
        self._number = 0

    def run(self, command: str, seconds: float = DEFAULT_SECONDS) -> Finished:
        """Run a command. When its time is over, everything it started is killed, and the next command begins
        where this one began."""
        if not command.strip():
            raise ToolFailure("the command is empty; write a shell command")
        if not 0 < seconds <= LONGEST_SECONDS:
            raise ToolFailure(
                f"timeout {seconds:g}: write seconds, more than 0 and at most {LONGEST_SECONDS}"
            )
        if "\0" in command:
            raise ToolFailure("the command holds a NUL character, which no shell can read; leave it out")
        with self._lock:
            self._number += 1
            folder = f"{self._folder}/{self._number}"
            boundary = f"\n--{secrets.token_hex(16)}--\n"
            done = self._sandbox.exec(
                [
                    "bash",
                    "--noprofile",
                    "--norc",
                    "-c",
                    self._script,
                    "terminal",
                    folder,
                    boundary,
                    str(OUTPUT_LIMIT),
                ],
                cwd=self._start,
                env=_ENVIRONMENT,
                stdin=self._state + boundary + command,
                timeout=seconds,
                output_limit=_STATE_LIMIT,
            )
            if done.timed_out:
                return self._overdue(folder, f"killed after {seconds:g} s with all it had started; {_ADVICE}")
            if done.exit_code == _KILLED and not done.stdout:
                return self._overdue(folder, "killed from outside")
            parts = done.stdout.split(boundary)
            head = parts[0].split("\0", 4)
            if len(parts) != 3 or len(head) != 5:
                said = " ".join((done.stderr or done.stdout).split())[:300]
                raise ToolFailure(f"the shell did not start: {said or f'exit code {done.exit_code}'}")
            code, place, jobs, size, state = head
            self._state = state or self._state
            self._directory = place or self._directory
            return self._finished(int(code), int(jobs), int(size), parts[1], parts[2], folder)

    def interrupt(self) -> None:
        """Kill the command that is running, if one is; its call then ends."""
        if self._lock.locked():
            pid = f"{self._folder}/{self._number}/pid"
            self._sandbox.exec(["bash", "-c", _KILL, "kill", pid], timeout=5)

    def _finished(self, code: int, jobs: int, size: int, begin: str, end: str, folder: str) -> Finished:
        notes = []
        if self._directory != self._start:
            notes.append(f"directory {self._directory}")
        if jobs:
            still = "1 process is" if jobs == 1 else f"{jobs} processes are"
            notes.append(f"{still} still running in the background; later output goes to {folder}/output")
        return Finished(code, _middle(begin, end, size, folder), self._directory, tuple(notes))

    def _overdue(self, folder: str, note: str) -> Finished:
        half = str(OUTPUT_LIMIT // 2)
        output = f"{folder}/output"
        look = self._sandbox.exec(
            ["sh", "-c", _LOOK, "look", output, half], timeout=10, output_limit=OUTPUT_LIMIT
        )
        size, _, begin = look.stdout.partition("\0")
        rest = max(0, int(size or 0) - OUTPUT_LIMIT // 2)
        end = ""
        if rest:
            wanted = str(min(rest, OUTPUT_LIMIT // 2))
            end = self._sandbox.exec(["sh", "-c", _TAIL, "tail", output, wanted], timeout=10).stdout
        return Finished(None, _middle(begin, end, int(size or 0), folder), self._directory, (note,))


def _middle(begin: str, end: str, size: int, folder: str) -> str:
    """Output whose middle may be missing."""
    if size <= OUTPUT_LIMIT:
        return begin + end
    left = size - OUTPUT_LIMIT
    return f"{begin}\n[… {left} bytes left out here; the whole output is in {folder}/output …]\n{end}"
