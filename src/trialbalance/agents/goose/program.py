"""Finds goose's binary on this machine."""

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from trialbalance.agents.errors import AgentUnavailable

VARIABLE = "TRIALBALANCE_GOOSE"
_ARCHITECTURES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
_VERSION = re.compile(r"^\s*(?:goose\s+)?v?(\d+\.\d+\.\d+\S*)\s*$", re.MULTILINE)


class Program(NamedTuple):
    """The binary and its version."""

    path: Path
    version: str


def find_goose(environment: Mapping[str, str] | None = None, starts: Sequence[Path] | None = None) -> Program:
    """The binary that `TRIALBALANCE_GOOSE` names, else the npm package's in a `node_modules` in or above one of the
    `starts` (this package's folder and the working directory), else `goose` on the PATH. Raises `AgentUnavailable`.
    """
    environment = os.environ if environment is None else environment
    named = environment.get(VARIABLE)
    if named:
        path = Path(named)
        if not os.access(path, os.X_OK):
            raise AgentUnavailable(f"{VARIABLE}={named}: there is no program there; name goose's binary")
        return Program(path, _version(path))
    for path in _candidates(environment, starts or (Path(__file__).resolve().parent, Path.cwd())):
        if os.access(path, os.X_OK) and path.is_file():
            try:
                return Program(path, _version(path))
            except AgentUnavailable:
                continue  # another program of that name
    raise AgentUnavailable(
        f"goose is not here: run `npm install @aaif/{_package()}` in the checkout, or set {VARIABLE} to its binary"
    )


def _package() -> str:
    machine = platform.machine().lower()
    return f"goose-binary-{platform.system().lower()}-{_ARCHITECTURES.get(machine, machine)}"


def _candidates(environment: Mapping[str, str], starts: Sequence[Path]) -> Iterator[Path]:
    for start in starts:
        for folder in (start, *start.parents):
            yield folder / "node_modules" / "@aaif" / _package() / "bin" / "goose"
    found = shutil.which("goose", path=environment.get("PATH"))
    if found:
        yield Path(found).resolve()


@cache
def _version(path: Path) -> str:
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AgentUnavailable(f"{path} does not run: {error}") from None
    found = _VERSION.search(done.stdout)
    if found is None:
        said = " ".join((done.stdout + done.stderr).split())[:100]
        raise AgentUnavailable(f"{path} is not goose: `--version` says {said!r}")
    return found.group(1)
