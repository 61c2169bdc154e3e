"""The programs of `examples/` do what their README says, in both languages, against a twin of their own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from trialbalance.twin.process import TwinProcess

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"

pytestmark = pytest.mark.parametrize("language", ["py", "mjs"])


@pytest.fixture
def twin() -> Iterator[TwinProcess]:
    with TwinProcess.start(seed=9) as process:
        yield process


@contextmanager
def started(name: str, language: str, twin: TwinProcess) -> Iterator[subprocess.Popen[str]]:
    """One example, running."""
    if language == "mjs" and (shutil.which("node") is None or not (ROOT / "node_modules/stripe").exists()):
        pytest.skip("node or its package stripe is missing; run scripts/bootstrap.sh")
    program = sys.executable if language == "py" else "node"
    given = {**os.environ, "STRIPE_API_BASE": twin.url, "STRIPE_SECRET_KEY": twin.secret_key}
    process = subprocess.Popen(
        [program, str(EXAMPLES / f"{name}.{language}")],
        env={**given, "PORT": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def output(name: str, language: str, twin: TwinProcess) -> list[str]:
    """The lines that an example prints."""
    with started(name, language, twin) as process:
        text, _ = process.communicate(timeout=60)
        assert process.returncode == 0, text
    return text.splitlines()


def until(read: Callable[[], bool], twin: TwinProcess) -> None:
    """Wait for a condition; every look is a request, the webhook is on its way meanwhile."""
    for _ in range(2000):
        if read():
            return
    raise AssertionError(f"it did not come about; deliveries: {twin.control.state()}")


def test_accept_a_payment(language: str, twin: TwinProcess) -> None:
    with started("accept_a_payment", language, twin) as process, httpx.Client() as browser:
        assert process.stdout is not None
        line = process.stdout.readline()
        opened = re.search(r"http://\S+", line)
        assert opened, line + (process.stdout.read() if process.poll() is not None else "")
        shop = opened[0]
        assert browser.post(f"{shop}/pay", json={"item": "yacht"}).status_code == 404
        secret = browser.post(f"{shop}/pay", json={"item": "mug"}).json()["client_secret"]
        intent = secret.split("_secret_")[0]
        assert browser.get(f"{shop}/orders").json() == {intent: "waiting"}
        forged = {"type": "payment_intent.succeeded", "data": {"object": {"id": intent}}}
        signature = {"Stripe-Signature": "t=1,v1=00"}
        assert browser.post(f"{shop}/webhook", json=forged, headers=signature).status_code == 400
        confirmed = browser.post(
            f"{twin.url}/v1/payment_intents/{intent}/confirm",
            data={
                "client_secret": secret,
                "payment_method": "pm_card_visa",
                "return_url": shop,
                "key": twin.publishable_key,
            },
        ).json()
        assert (confirmed["status"], confirmed["amount"]) == ("succeeded", 1500)
        until(lambda: browser.get(f"{shop}/orders").json() == {intent: "paid"}, twin)


def test_save_a_card(language: str, twin: TwinProcess) -> None:
    assert output("save_a_card", language, twin) == [
        "the card is kept: succeeded",
        "charged 2500 to visa 4242: succeeded",
    ]


def test_charge_off_session(language: str, twin: TwinProcess) -> None:
    refused, waiting = output("charge_off_session", language, twin)
    assert refused == "refused: authentication_required; the payment waits: requires_payment_method"
    query = parse_qs(urlsplit(waiting.split(" to ")[1]).query)
    secret = query["payment_intent_client_secret"][0]
    form = {"source": query["source"][0], "client_secret": secret, "outcome": "succeeded"}
    ended = httpx.post(f"{twin.url}/v1/3ds2/challenge_complete", data={**form, "key": twin.publishable_key})
    assert ended.json()["intent"]["status"] == "succeeded"
    assert ended.json()["redirect_url"].startswith("https://shop.example/done?payment_intent=")


def test_marketplace(language: str, twin: TwinProcess) -> None:
    lines = output("marketplace", language, twin)
    assert [line.lower() for line in lines] == [
        "the seller may take payments: true",
        "the seller earned 9000",
        "after half went back: 4500",
    ]
