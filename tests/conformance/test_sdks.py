"""The same scenarios through the official SDKs of four languages and three eras, against one twin each.

`make conformance` runs them all. What a language needs is fetched on first use into `.cache/conformance`; a
toolchain that is missing is a visible skip.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import stripe

from trialbalance.twin import Twin
from trialbalance.twin.process import TwinProcess
from trialbalance.twin.webhooks.deliveries import take

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CACHE = ROOT / ".cache" / "conformance"

SCENARIOS = re.findall(r"^    (\w+),$", (HERE / "python" / "scenarios.py").read_text(), re.MULTILINE)

pytestmark = [pytest.mark.slow, pytest.mark.conformance, pytest.mark.timeout(900)]


def signed_event() -> dict[str, str]:
    """A real delivery: payload, header and secret."""
    twin = Twin(seed=21)
    form = {"url": "https://shop.example/hook", "enabled_events": ["*"]}
    secret = twin.request("POST", "/v1/webhook_endpoints", form).json()["secret"]
    twin.request("POST", "/v1/customers", {"name": "Ada"})
    (delivery,) = take(twin)
    return {
        "WEBHOOK_PAYLOAD": delivery.payload.decode(),
        "WEBHOOK_HEADER": delivery.headers["Stripe-Signature"],
        "WEBHOOK_SECRET": secret,
    }


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """A fresh twin with the faults that the scenarios expect."""
    with TwinProcess.start(seed=5) as process:
        process.control.faults(
            [
                {"fault": "lock_timeout", "endpoint": "POST /v1/coupons", "count": 1},
                {"fault": "rate_limit", "endpoint": "GET /v1/coupons/limited"},
            ]
        )
        yield {
            **os.environ,
            **signed_event(),
            "TWIN_URL": process.url,
            "SECRET_KEY": process.secret_key,
            "PUBLISHABLE_KEY": process.publishable_key,
        }


def run(command: list[str], environment: dict[str, str], **options: str | Path) -> None:
    """Run a program and require `ok` for every scenario."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, **options)  # type: ignore[call-overload]
    lines = [line for line in done.stdout.splitlines() if line.startswith(("ok ", "not ok "))]
    failed = [line for line in lines if line.startswith("not ok")]
    assert not failed, "\n".join(failed)
    assert [line[3:] for line in lines] == SCENARIOS, done.stdout + done.stderr


def python_with(version: str) -> Path:
    """A folder with one version of the Python SDK, installed on first use."""
    folder = CACHE / f"stripe-python-{version}"
    if not (folder / "stripe").is_dir():
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "-q",
            "--target",
            str(folder),
            f"stripe=={version}",
        ]
        subprocess.run(command, check=True)
    return folder


@pytest.mark.parametrize(
    ("version", "api"), [("16.1.0", ""), ("10.0.0", "2024-06-20"), ("5.0.0", "2022-11-15")]
)
def test_python(environment: dict[str, str], version: str, api: str) -> None:
    if version != stripe.VERSION:
        environment["PYTHONPATH"] = str(python_with(version))
    if api:
        environment["STRIPE_VERSION"] = api
    run([sys.executable, "-W", "ignore", str(HERE / "python" / "scenarios.py")], environment)


@pytest.mark.parametrize("package", ["stripe", "stripe-2024", "stripe-2022"])
def test_node(environment: dict[str, str], package: str) -> None:
    if shutil.which("node") is None or not (ROOT / "node_modules" / package).exists():
        pytest.skip(f"node or its package {package} is missing; run scripts/bootstrap.sh")
    run(["node", str(HERE / "node" / "scenarios.mjs"), package], environment)


def built(name: str, build: Callable[[Path], None]) -> Path:
    """A build folder made once per source."""
    import hashlib

    digest = hashlib.sha256()
    for path in sorted((HERE / name).rglob("*")):
        if path.is_file() and "target" not in path.parts:
            digest.update(path.read_bytes())
    folder = CACHE / f"{name}-{digest.hexdigest()[:16]}"
    if not folder.exists():
        shutil.copytree(HERE / name, folder.with_suffix(".part"), ignore=shutil.ignore_patterns("target"))
        build(folder.with_suffix(".part"))
        folder.with_suffix(".part").rename(folder)
    return folder


def test_go(environment: dict[str, str]) -> None:
    if shutil.which("go") is None:
        pytest.skip("go is not installed")

    def build(folder: Path) -> None:
        subprocess.run(["go", "build", "-o", "scenarios", "."], cwd=folder, check=True)

    run([str(built("go", build) / "scenarios")], environment)


def test_java(environment: dict[str, str]) -> None:
    if shutil.which("mvn") is None or shutil.which("java") is None:
        pytest.skip("java and maven are not installed")

    def build(folder: Path) -> None:
        subprocess.run(["mvn", "-q", "-B", "package"], cwd=folder, check=True)

    folder = built("java", build)
    classpath = f"{folder / 'target' / 'classes'}:{(folder / 'target' / 'classpath.txt').read_text()}"
    run(["java", "-cp", classpath, "Scenarios"], environment)
