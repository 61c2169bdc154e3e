"""The official Stripe CLI against the twin: `listen`, `trigger`, `get`, `post`, `logs tail`."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import stripe

from trialbalance.twin.process import TwinProcess

CLI = Path(__file__).parents[3] / "node_modules" / "@stripe" / "cli-linux-x64" / "bin" / "stripe"

pytestmark = pytest.mark.skipif(
    not CLI.exists(), reason=f"the Stripe CLI is not at {CLI}; run scripts/bootstrap.sh"
)


@pytest.fixture(scope="module")
def process() -> Iterator[TwinProcess]:
    with TwinProcess.start(seed=11) as running:
        yield running


class Cli:
    """The CLI with a home of its own, no telemetry, pointed at a twin."""

    def __init__(self, process: TwinProcess, home: Path) -> None:
        self.base = ["--api-base", process.url, "--api-key", process.secret_key]
        self.env = {**os.environ, "HOME": str(home), "STRIPE_CLI_TELEMETRY_OPTOUT": "1", "NO_COLOR": "1"}

    def run(self, *words: str) -> str:
        done = subprocess.run(
            [str(CLI), *words, *self.base], env=self.env, capture_output=True, text=True, timeout=60
        )
        return done.stdout + done.stderr

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(CLI), *words, *self.base],
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


@pytest.fixture
def cli(process: TwinProcess, tmp_path: Path) -> Cli:
    return Cli(process, tmp_path)


class Shop(BaseHTTPRequestHandler):
    got: list[tuple[bytes, str]] = []

    def do_POST(self) -> None:
        self.got.append(
            (self.rfile.read(int(self.headers["Content-Length"])), self.headers["Stripe-Signature"])
        )
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


def lines_until(process: subprocess.Popen[str], *words: str) -> str:
    assert process.stdout is not None
    text = ""
    for line in process.stdout:
        text += line
        if all(word in text for word in words):
            return text
    raise AssertionError(f"the CLI ended without {words}: {text}")


def test_listen_forwards_events_that_the_sdk_verifies(process: TwinProcess, cli: Cli) -> None:
    Shop.got.clear()
    with HTTPServer(("127.0.0.1", 0), Shop) as shop:
        thread = threading.Thread(target=shop.serve_forever)
        thread.start()
        listening = cli.start(
            "listen", "--all-snapshot", "--forward-to", f"localhost:{shop.server_port}/hook"
        )
        try:
            ready = lines_until(listening, "Ready!", "whsec_")
            secret = ready.split("signing secret is ")[1].split()[0]
            assert "Trigger succeeded" in cli.run("trigger", "product.created")
            text = lines_until(listening, "--> product.created", "[200] POST")
        finally:
            listening.terminate()
            listening.wait()
            assert listening.stdout is not None
            listening.stdout.close()
            shop.shutdown()
            thread.join()
    assert "product.created" in text
    bodies = [stripe.Webhook.construct_event(body, header, secret) for body, header in Shop.got]
    assert "product.created" in {event.type for event in bodies}


def test_resources_get_and_post(cli: Cli) -> None:
    assert '"email": "cli@example.test"' in cli.run("customers", "create", "--email", "cli@example.test")
    assert '"object": "list"' in cli.run("get", "/v1/customers")
    assert '"name": "Lamp"' in cli.run("post", "/v1/products", "-d", "name=Lamp")
    assert "No such customer" in cli.run("get", "/v1/customers/cus_none")


def test_logs_tail(process: TwinProcess, cli: Cli) -> None:
    tailing = cli.start("logs", "tail")
    try:
        lines_until(tailing, "Ready!")
        cli.run("post", "/v1/products", "-d", "name=Chair")
        assert "/v1/products" in lines_until(tailing, "/v1/products")
    finally:
        tailing.terminate()
        tailing.wait()
        assert tailing.stdout is not None
        tailing.stdout.close()
