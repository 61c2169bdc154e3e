"""The bootstrap touches nothing that is there, and says what is missing."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "bootstrap.sh"


def digest(*files: Path) -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout in which everything has been installed already."""
    root = tmp_path / "checkout"
    (root / "scripts").mkdir(parents=True)
    shutil.copy(SCRIPT, root / "scripts")
    for name in ("requirements.lock", "pyproject.toml", "package.json", "package-lock.json"):
        (root / name).write_text(f"{name}==1\n")
    (root / ".venv" / "bin").mkdir(parents=True)
    (root / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (root / "node_modules").mkdir()
    (root / ".venv" / ".requirements.sha256").write_text(digest(root / "requirements.lock"))
    (root / ".venv" / ".project.sha256").write_text(f"{digest(root / 'pyproject.toml')}{root}")
    packages = digest(root / "package.json", root / "package-lock.json")
    (root / "node_modules" / ".packages.sha256").write_text(packages)
    return root


def bootstrap(checkout: Path, env: Mapping[str, str] = {}, *prefix: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "BOOTSTRAP_NO_APT": "1", **env}
    argv = [*prefix, "bash", str(checkout / "scripts" / "bootstrap.sh")]
    return subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)


def test_a_second_time_needs_no_network(checkout: Path) -> None:
    done = bootstrap(checkout, {}, "unshare", "--user", "--map-root-user", "--net")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("bootstrap: ready (")
    assert "installing" not in done.stdout


def test_a_changed_lock_is_installed(checkout: Path) -> None:
    (checkout / "requirements.lock").write_text("nothing-of-this-name==1 --hash=sha256:00\n")
    done = bootstrap(checkout, {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""})
    assert done.returncode == 1
    assert "bootstrap: installing 1 locked Python packages" in done.stdout
    assert "pip could not install requirements.lock" in done.stderr
    stamp = (checkout / ".venv" / ".requirements.sha256").read_text()
    assert stamp != digest(checkout / "requirements.lock")


def test_missing_programs_are_named_with_the_command_that_installs_them(
    checkout: Path, tmp_path: Path
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for folder in ("/usr/bin", "/bin", "/usr/sbin", "/sbin"):
        for program in Path(folder).iterdir():
            if program.name not in {"chromium", "bwrap"} and not (programs / program.name).exists():
                (programs / program.name).symlink_to(program)
    done = bootstrap(checkout, {"PATH": str(programs)})
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("bootstrap: missing: bubblewrap chromium;")
    assert line.endswith("apt-get install --no-install-recommends bubblewrap chromium")


def test_an_old_python_is_refused(checkout: Path, tmp_path: Path) -> None:
    old = tmp_path / "python-old"
    old.write_text('#!/bin/sh\ncase "$1" in --version) echo "Python 3.8.1";; *) exit 1;; esac\n')
    old.chmod(0o755)
    done = bootstrap(checkout, {"PYTHON": str(old)})
    assert done.returncode == 1 and "Python 3.8.1 is too old" in done.stderr
