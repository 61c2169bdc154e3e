"""A customer with a card on a test clock, and short words for what billing tests do."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
import stripe

from trialbalance.twin import Twin

START = 1775001600
"""2026-04-01 00:00 UTC."""
DAY = 86_400


def on(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> int:
    """A second in UTC."""
    return int(datetime(year, month, day, hour, minute, tzinfo=UTC).timestamp())


def refused(act: Callable[[], Any]) -> stripe.StripeError:
    """The error that an act meets."""
    with pytest.raises(stripe.StripeError) as caught:
        act()
    return caught.value


class World:
    """One clock, one customer, prices on demand; `client` is the official SDK."""

    def __init__(
        self, client: Any, *, at: int = START, card: str | None = "pm_card_visa", clock: bool = True
    ) -> None:
        self.clients = client
        self.v1 = client.v1
        self.now = at
        self.clock = self.v1.test_helpers.test_clocks.create({"frozen_time": at}).id if clock else None
        self.product = self.v1.products.create({"name": "Seed box"}).id
        self.customer = self.new_customer(card)

    def new_customer(self, card: str | None = "pm_card_visa", **fields: Any) -> str:
        given: dict[str, Any] = {"email": "a@example.test", **fields}
        if self.clock:
            given["test_clock"] = self.clock
        customer: str = self.v1.customers.create(given).id
        if card:
            self.pay_with(card, customer)
        return customer

    def pay_with(self, card: str, customer: str | None = None) -> str:
        customer = customer or self.customer
        method: str = self.v1.payment_methods.attach(card, {"customer": customer}).id
        self.v1.customers.update(customer, {"invoice_settings": {"default_payment_method": method}})
        return method

    def price(
        self, amount: int | None = 1000, every: str | None = "month", *, count: int = 1, **more: Any
    ) -> str:
        given: dict[str, Any] = {"product": self.product, "currency": "usd", **more}
        if amount is not None:
            given["unit_amount"] = amount
        if every:
            given["recurring"] = {"interval": every, "interval_count": count, **given.get("recurring", {})}
        identifier: str = self.v1.prices.create(given).id
        return identifier

    def subscribe(self, *prices: str | dict[str, Any], **more: Any) -> Any:
        items = [{"price": price} if isinstance(price, str) else price for price in prices]
        return self.v1.subscriptions.create({"customer": self.customer, "items": items, **more})

    def advance(self, to: int) -> None:
        assert self.clock is not None
        self.v1.test_helpers.test_clocks.advance(self.clock, {"frozen_time": to})
        clock = self.v1.test_helpers.test_clocks.retrieve(self.clock)
        assert (clock.status, clock.frozen_time) == ("ready", to)
        self.now = to

    def read(self, subscription: Any) -> Any:
        identifier = subscription if isinstance(subscription, str) else subscription.id
        return self.v1.subscriptions.retrieve(identifier)

    def invoices(self, subscription: Any | None = None) -> list[Any]:
        """Invoices, oldest first."""
        where: dict[str, Any] = {"customer": self.customer, "limit": 100}
        if subscription is not None:
            where["subscription"] = subscription.id
        return list(reversed(self.v1.invoices.list(where).data))

    def invoice(self, identifier: Any) -> Any:
        assert identifier is not None
        return self.v1.invoices.retrieve(identifier if isinstance(identifier, str) else identifier.id)

    def waiting(self) -> list[Any]:
        """Pending invoice items, newest first."""
        found: list[Any] = self.v1.invoice_items.list({"customer": self.customer, "pending": True}).data
        return found

    def item(self, subscription: Any, position: int = 0) -> str:
        identifier: str = subscription["items"]["data"][position]["id"]
        return identifier


def types(twin: Twin, since: int = 0) -> list[str]:
    """Types of all events, oldest first."""
    found = twin.request("GET", "/v1/events", {"limit": 100}).json()["data"]
    return [event["type"] for event in reversed(found)][since:]


def amounts(invoice: Any) -> list[int]:
    """The amounts of an invoice's lines."""
    return [line.amount for line in invoice.lines.data]


def words(invoice: Any) -> list[str]:
    """The descriptions of an invoice's lines."""
    return [line.description for line in invoice.lines.data]
