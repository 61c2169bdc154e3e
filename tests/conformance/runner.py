"""Runs one suite of scenarios in every language: the same names, one program per language, one fresh twin per run.

A suite is a folder with `scenarios.py`, `scenarios.mjs`, `main.go` and `Scenarios.java`. Every program prints
`ok NAME` or `not ok NAME: why`; the Python program's list of names is the list. What the programs share is in
`shared/`. What a language needs is fetched on first use into `.cache/conformance`; a toolchain that is missing is
a visible skip.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import stripe

from trialbalance.twin.process import TwinProcess

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CACHE = ROOT / ".cache" / "conformance"
MARKS = [pytest.mark.slow, pytest.mark.conformance, pytest.mark.timeout(900)]


@contextmanager
def twin(**more: str) -> Iterator[tuple[TwinProcess, dict[str, str]]]:
    """A twin in a process of its own, and the environment of a program that talks to it."""
    with TwinProcess.start(seed=5) as process:
        yield (
            process,
            {
                **os.environ,
                **more,
                "TWIN_URL": process.url,
                "SECRET_KEY": process.secret_key,
                "PUBLISHABLE_KEY": process.publishable_key,
            },
        )


class Suite:
    """One folder of scenarios."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.folder = HERE / name
        listed = (self.folder / "scenarios.py").read_text()
        self.scenarios = re.findall(r"^    (\w+),$", listed, re.MULTILINE)

    def python(self, environment: Mapping[str, str], version: str = stripe.VERSION) -> None:
        """Run with one version of the Python SDK."""
        given = dict(environment)
        if version != stripe.VERSION:
            given["PYTHONPATH"] = os.pathsep.join([str(_python_sdk(version)), given.get("PYTHONPATH", "")])
        self._run([sys.executable, "-W", "ignore", "-m", f"tests.conformance.{self.name}.scenarios"], given)

    def node(self, environment: Mapping[str, str], package: str = "stripe") -> None:
        """Run with one of the Node SDKs of package.json."""
        if shutil.which("node") is None or not (ROOT / "node_modules" / package).exists():
            pytest.skip(f"node or its package {package} is missing; run scripts/bootstrap.sh")
        self._run(["node", str(self.folder / "scenarios.mjs"), package], environment)

    def go(self, environment: Mapping[str, str]) -> None:
        """Run with the Go SDK of go.mod."""
        if shutil.which("go") is None:
            pytest.skip("go is not installed")

        def build(folder: Path) -> None:
            for program in sorted(folder.glob("*/main.go")):
                out = str(folder / "bin" / program.parent.name)
                subprocess.run(["go", "build", "-o", out, str(program.parent)], cwd=folder, check=True)

        self._run([str(_built("go", ("*.go", "go.*"), build) / "bin" / self.name)], environment)

    def java(self, environment: Mapping[str, str]) -> None:
        """Run with the Java SDK of pom.xml."""
        if shutil.which("mvn") is None or shutil.which("java") is None:
            pytest.skip("java and maven are not installed")

        def build(folder: Path) -> None:
            subprocess.run(["mvn", "-q", "-B", "package"], cwd=folder, check=True)

        folder = _built("java", ("*.java", "pom.xml"), build)
        classpath = f"{folder / 'target' / 'classes'}:{(folder / 'target' / 'classpath.txt').read_text()}"
        self._run(["java", "-cp", classpath, f"{self.name}.Scenarios"], environment)

    def _run(self, command: list[str], environment: Mapping[str, str]) -> None:
        """Run a program and require `ok` for every scenario."""
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=600)
        lines = [line for line in done.stdout.splitlines() if line.startswith(("ok ", "not ok "))]
        failed = [line for line in lines if line.startswith("not ok")]
        assert not failed, "\n".join(failed)
        assert [line[3:] for line in lines] == self.scenarios, done.stdout + done.stderr


def _python_sdk(version: str) -> Path:
    """A folder with one version of the Python SDK."""

    def install(folder: Path) -> None:
        command: list[Any] = [sys.executable, "-m", "pip", "install", "-q", "--target", folder]
        subprocess.run([*command, f"stripe=={version}"], check=True)

    return _once(CACHE / f"stripe-python-{version}", install)


def _built(language: str, patterns: tuple[str, ...], build: Callable[[Path], None]) -> Path:
    """A copy of one language's sources, built once per content."""
    sources = sorted({path for pattern in patterns for path in HERE.rglob(pattern)})
    digest = hashlib.sha256()
    for path in sources:
        digest.update(path.read_bytes())

    def make(folder: Path) -> None:
        for path in sources:
            copy = folder / path.relative_to(HERE)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        build(folder)

    return _once(CACHE / f"{language}-{digest.hexdigest()[:16]}", make)


def _once(folder: Path, make: Callable[[Path], None]) -> Path:
    """A folder that is made whole or not at all; two processes do not make it at the same time."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            part = folder.with_name(f"{folder.name}.part")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            make(part)
            part.rename(folder)
    return folder
