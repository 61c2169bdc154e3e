"""What a job ran with: `lock.json`. Enough to tell later whether two results may share a table."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import subprocess
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

_PACKAGES = ("trialbalance", "stripe", "mcp", "playwright", "httpx", "msgspec")
_PROGRAMS = {
    "bwrap": ("bwrap", "--version"),
    "chromium": ("chromium", "--version"),
    "git": ("git", "--version"),
    "node": ("node", "--version"),
}


def package_versions() -> dict[str, str]:
    """Versions of the Python packages that decide how a trial goes."""
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "absent"
    return found


def program_versions() -> dict[str, str]:
    """First line of `--version` of the programs that trials use; `absent` when one is not installed."""
    return {name: _version(argv) for name, argv in _PROGRAMS.items()}


def _version(argv: tuple[str, ...]) -> str:
    program = shutil.which(argv[0])
    if program is None:
        return "absent"
    try:
        done = subprocess.run(
            [program, *argv[1:]],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return done.stdout.strip().partition("\n")[0] or "unknown"


def source_digest(
    packages: Iterable[str] = ("contract", "twin", "sandbox", "tools", "gateway", "agents", "grading"),
) -> str:
    """SHA-256 over the installed source of the packages that decide a score, in path order."""
    spec = importlib.util.find_spec("trialbalance")
    assert spec is not None and spec.submodule_search_locations
    root = Path(next(iter(spec.submodule_search_locations)))
    digest = sha256()
    for package in packages:
        for path in sorted((root / package).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(f"{path.relative_to(root).as_posix()}\0".encode())
                digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def versions() -> dict[str, object]:
    """Everything of the machine and of this program that a result may depend on."""
    return {
        "packages": package_versions(),
        "programs": program_versions(),
        "source_digest": source_digest(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "cpus": os.cpu_count() or 1,
    }
