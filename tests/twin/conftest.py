"""Fixtures for tests of the twin: a fresh twin and the official SDK bound to it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import stripe

from tests.twin import sdk
from trialbalance.twin import Twin


@pytest.fixture
def twin() -> Twin:
    """A fresh twin: seed 1, clock frozen at 2026-01-01."""
    return Twin(seed=1)


@pytest.fixture
def client(twin: Twin) -> stripe.StripeClient:
    """The official SDK on the twin's secret key, newest API version."""
    return sdk.client(twin)


@pytest.fixture
def at_version(twin: Twin) -> Callable[[str], stripe.StripeClient]:
    """The official SDK sending a given `Stripe-Version`."""
    return lambda version: sdk.client(twin, version=version)


@pytest.fixture
def browser_client(twin: Twin) -> stripe.StripeClient:
    """The SDK on the publishable key, as a browser would call."""
    return sdk.client(twin, key=twin.publishable_key)
