"""The wire's scenarios through the official SDKs of four languages and three eras, against one twin each.

`make conformance` runs them all.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance import runner
from trialbalance.twin import Twin
from trialbalance.twin.webhooks.deliveries import take

pytestmark = runner.MARKS
SUITE = runner.Suite("wire")


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
    with runner.twin(**signed_event()) as (process, environment):
        process.control.faults(
            [
                {"fault": "lock_timeout", "endpoint": "POST /v1/coupons", "count": 1},
                {"fault": "rate_limit", "endpoint": "GET /v1/coupons/limited"},
            ]
        )
        yield environment


@pytest.mark.parametrize(
    ("version", "api"), [("16.1.0", ""), ("10.0.0", "2024-06-20"), ("5.0.0", "2022-11-15")]
)
def test_python(environment: dict[str, str], version: str, api: str) -> None:
    SUITE.python({**environment, "STRIPE_VERSION": api}, version)


@pytest.mark.parametrize("package", ["stripe", "stripe-2024", "stripe-2022"])
def test_node(environment: dict[str, str], package: str) -> None:
    SUITE.node(environment, package)


def test_go(environment: dict[str, str]) -> None:
    SUITE.go(environment)


def test_java(environment: dict[str, str]) -> None:
    SUITE.java(environment)
