"""The real Stripe SDKs for Python, old and new, installed inside by the sandbox's own pip, unmodified and unconfigured."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sandbox.conftest import OpenSandbox, serving_stripe
from tests.sandbox.test_sandbox import shell
from trialbalance.sandbox import STRIPE_HOSTS, Authority

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

OLD = """
import sys, stripe
stripe.api_key = "sk_test_x"
customer = stripe.Customer.create(name="Ada")
assert customer["id"] == "cus_echo" and customer["host"] == "api.stripe.com", customer
stripe.default_http_client = stripe.http_client.RequestsClient()
assert stripe.Customer.retrieve("cus_1")["path"] == "/v1/customers/cus_1"
for name in ("UrllibClient", "Urllib2Client"):
    if hasattr(stripe.http_client, name):
        stripe.default_http_client = getattr(stripe.http_client, name)()
        assert stripe.Customer.retrieve("cus_2")["path"] == "/v1/customers/cus_2"
print("ok")
"""
NEW = """
import asyncio, io, stripe
for client in (None, stripe.RequestsClient(), stripe.UrllibClient(), stripe.HTTPXClient(allow_sync_methods=True)):
    known = stripe.StripeClient("sk_test_x", **({"http_client": client} if client else {}))
    customer = known.v1.customers.create(params={"name": "Ada"})
    assert customer["id"] == "cus_echo" and customer["host"] == "api.stripe.com", (client, customer)
stripe.api_key = "sk_test_x"
assert stripe.Customer.create(name="Ada")["body"] == "name=Ada"
file = stripe.File.create(purpose="dispute_evidence", file=io.BytesIO(b"x"))
assert file["host"] == "files.stripe.com", file
answer = asyncio.run(stripe.StripeClient("sk_test_x", http_client=stripe.HTTPXClient()).v1.customers.retrieve_async("cus_1"))
assert answer["path"] == "/v1/customers/cus_1"
import certifi, httpx, requests
assert requests.get("https://api.stripe.com/x").json()["path"] == "/x"
assert httpx.get("https://api.stripe.com/x").json()["path"] == "/x"
print("ok")
"""


@pytest.mark.parametrize(
    ("packages", "script"),
    [
        (["stripe==2.60.0"], OLD),
        (["stripe==5.5.0"], OLD),
        (["stripe==7.14.0"], OLD),
        (["stripe", "httpx", "requests", "certifi"], NEW),
    ],
    ids=["2.60", "5.5", "7.14", "newest"],
)
def test_the_python_sdk(
    opened: OpenSandbox, authority: Authority, workspace: Path, packages: list[str], script: str
) -> None:
    sandbox = opened(hosts=STRIPE_HOSTS, authority=authority, registries=True)
    made = shell(
        sandbox,
        f"python3 -m venv .venv && .venv/bin/pip install -q setuptools {' '.join(packages)}",
        timeout=280,
    )
    assert made.ok, made.stderr
    (workspace / "call.py").write_text(script, encoding="utf-8")
    with serving_stripe(sandbox, authority):
        for command in (
            ".venv/bin/python call.py",
            ".venv/bin/python -I call.py",
            "env -i .venv/bin/python call.py",
        ):
            done = shell(sandbox, command, timeout=60)
            assert done.stdout == "ok\n", (command, done)
