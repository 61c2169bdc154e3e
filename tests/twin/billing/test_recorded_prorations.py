"""Prorations as the recorded test-mode API answered (recording 01, 2026-08-26.dahlia), to the half cent and the second."""

from __future__ import annotations

from typing import Any

import pytest

from trialbalance.twin import Twin
from trialbalance.twin.config import TwinConfig

VERSION = "2026-08-26.dahlia"
TEN_DAYS, TIE = 864_000, 6_480
"""Before the period's end: a third of thirty days, and the seconds in which 10.00 a month are worth 2.5 cents."""


class Shop:
    """A customer with a card, a product, and prices of 10, 18 and 20 dollars a month; each write takes two seconds."""

    def __init__(self) -> None:
        self.twin = Twin(config=TwinConfig(seed=1, clock=1790021303, frozen=True))
        self.customer = self.post("customers", email="ada@example.test")["id"]
        card = self.post("payment_methods", type="card", card={"token": "tok_visa"})["id"]
        self.post(f"payment_methods/{card}/attach", customer=self.customer)
        self.post(f"customers/{self.customer}", invoice_settings={"default_payment_method": card})
        product = self.post("products", name="Allotment")["id"]
        self.price = {
            amount: self.post(
                "prices", product=product, unit_amount=amount, currency="usd", recurring={"interval": "month"}
            )["id"]
            for amount in (1000, 1800, 2000)
        }

    def ask(self, method: str, path: str, **form: Any) -> Any:
        answer = self.twin.request(method, f"/v1/{path}", form, version=VERSION)
        assert answer.status == 200, answer.body
        if method != "GET":
            self.twin.advance(self.twin.now() + 2)
        return answer.json()

    def post(self, path: str, **form: Any) -> Any:
        return self.ask("POST", path, **form)

    def subscribe(self, amount: int) -> Any:
        return self.post("subscriptions", customer=self.customer, items=[{"price": self.price[amount]}])

    def change(
        self, subscription: Any, before_end: int | None, behavior: str = "always_invoice", **item: Any
    ) -> Any:
        (held,) = subscription["items"]["data"]
        at = {} if before_end is None else {"proration_date": held["current_period_end"] - before_end}
        items = [{"id": held["id"], **item}]
        return self.post(
            f"subscriptions/{subscription['id']}", items=items, proration_behavior=behavior, **at
        )

    def latest(self, subscription: Any) -> Any:
        return self.ask("GET", f"invoices/{subscription['latest_invoice']}")

    def pending(self) -> Any:
        return self.ask("GET", "invoiceitems", customer=self.customer, pending="true")["data"]

    def balance(self) -> int:
        found: int = self.ask("GET", f"customers/{self.customer}")["balance"]
        return found


@pytest.fixture
def shop() -> Shop:
    return Shop()


def lines(invoice: Any) -> list[tuple[int, str, int]]:
    return [(line["amount"], line["description"], line["quantity"]) for line in invoice["lines"]["data"]]


def test_half_cents_go_down_and_too_little_is_carried_over(shop: Shop) -> None:
    changed = shop.change(shop.subscribe(1000), TIE, price=shop.price[1800])
    invoice = shop.latest(changed)
    assert lines(invoice) == [
        (-3, "Unused time on Allotment after 21 Oct 2026", 1),
        (4, "Remaining time on Allotment after 21 Oct 2026", 1),
    ]
    sums = (
        "subtotal",
        "total",
        "amount_due",
        "amount_paid",
        "starting_balance",
        "ending_balance",
        "attempt_count",
        "attempted",
    )
    assert [invoice[name] for name in sums] == [1, 1, 0, 0, 0, 1, 0, True]
    assert (invoice["status"], invoice["billing_reason"], invoice["auto_advance"]) == (
        "paid",
        "subscription_update",
        False,
    )
    assert invoice["period_end"] == invoice["period_start"] + 2 == invoice["created"]
    credit, charge = (line["parent"]["subscription_item_details"] for line in invoice["lines"]["data"])
    assert credit["proration_details"]["credited_items"]["invoice"] != invoice["id"]
    assert charge["proration_details"] == {"credited_items": None} and charge["proration"] is True
    for line in invoice["lines"]["data"]:
        assert line["pricing"]["unit_amount_decimal"] is None and line["discountable"] is False
        assert line["period"]["end"] - line["period"]["start"] == TIE
    assert shop.balance() == 1


def test_another_quantity_is_prorated_as_a_whole(shop: Shop) -> None:
    invoice = shop.latest(shop.change(shop.subscribe(1000), TIE, quantity=3))
    assert lines(invoice) == [
        (-3, "Unused time on Allotment after 21 Oct 2026", 1),
        (7, "Remaining time on 3 × Allotment after 21 Oct 2026", 3),
    ]
    assert (invoice["total"], invoice["ending_balance"]) == (4, 4)


def test_a_third_of_a_month_back(shop: Shop) -> None:
    invoice = shop.latest(shop.change(shop.subscribe(2000), TEN_DAYS, price=shop.price[1000]))
    assert [amount for amount, _, _ in lines(invoice)] == [-667, 333]
    assert [invoice[n] for n in ("total", "amount_due", "starting_balance", "ending_balance", "status")] == [
        -334,
        0,
        0,
        -334,
        "paid",
    ]
    assert shop.balance() == -334


def test_pending_prorations_and_what_an_end_leaves_of_them(shop: Shop) -> None:
    kept = shop.subscribe(1000)
    shop.change(kept, TIE, "create_prorations", price=shop.price[1800])
    credit, charge = shop.pending()
    assert [(item["amount"], item["net_amount"]) for item in (credit, charge)] == [(-3, -3), (4, 4)]
    held = {"subscription": kept["id"], "subscription_item": kept["items"]["data"][0]["id"]}
    for item in (credit, charge):
        assert item["parent"] == {"subscription_details": held, "type": "subscription_details"}
        assert item["frozen_fields"] == ["pricing", "quantity", "discounts"] and item["proration"] is True
    assert credit["proration_details"]["credited_items"]["type"] == "invoice_line_items"
    assert (
        credit["proration_details"]["credited_items"]["invoice_line_item_details"]["invoice"]
        == kept["latest_invoice"]
    )
    assert charge["proration_details"] == {"credited_items": None, "discount_amounts": []}

    moved = shop.subscribe(1000)
    shop.change(moved, None, "none", price=shop.price[1800])
    assert [item["id"] for item in shop.pending()] == [credit["id"], charge["id"]]

    ended = shop.subscribe(1000)
    gone = shop.ask("DELETE", f"subscriptions/{ended['id']}", prorate="true", invoice_now="true")
    assert (gone["status"], gone["canceled_at"], gone["cancellation_details"]["reason"]) == (
        "canceled", gone["ended_at"], "cancellation_requested",
    )  # fmt: skip
    final = shop.latest(gone)
    assert lines(final) == [(-1000, "Unused time on Allotment after 21 Sep 2026", 1)]
    assert (final["status"], final["billing_reason"], final["auto_advance"]) == (
        "draft",
        "subscription_cycle",
        True,
    )
    assert (final["amount_due"], final["total"], final["ending_balance"], final["number"]) == (
        0,
        -1000,
        None,
        None,
    )
    assert (final["period_start"], final["period_end"]) == (ended["start_date"], gone["ended_at"])
    assert [item["id"] for item in shop.pending()] == [credit["id"], charge["id"]]

    shop.ask("DELETE", f"subscriptions/{moved['id']}", prorate="true")
    newest, *rest = shop.pending()
    assert [item["id"] for item in rest] == [credit["id"], charge["id"]]
    assert (newest["amount"], newest["parent"], newest["proration"]) == (-1000, None, True)
    assert (
        newest["pricing"]["price_details"]["price"] == shop.price[1000] and "proration_details" not in newest
    )


def test_a_credit_tells_of_what_was_billed(shop: Shop) -> None:
    """Not recorded: the same of quantities, and of a change with prorations after one without."""
    begun = shop.subscribe(1000)
    more = shop.change(begun, None, "none", quantity=3)
    shop.change(more, TEN_DAYS, "create_prorations", price=shop.price[1800], quantity=3)
    credit, charge = shop.pending()
    assert (credit["amount"], credit["quantity"], credit["description"]) == (
        -333,
        1,
        "Unused time on Allotment after 11 Oct 2026",
    )
    assert credit["pricing"]["price_details"]["price"] == shop.price[1000]
    assert (charge["amount"], charge["quantity"]) == (1800, 3)


@pytest.mark.parametrize("mode", ["classic", "flexible"])
def test_subscribers_of_a_deleted_plan_go_on(shop: Shop, mode: str) -> None:
    """Nobody new gets it; who has it may change the quantity and is credited at the end.

    Source: https://docs.stripe.com/api/plans/delete
    """
    plan = shop.post("plans", amount=3000, currency="usd", interval="month", product={"name": "Shed"})["id"]
    held = shop.post(
        "subscriptions", customer=shop.customer, items=[{"plan": plan}], billing_mode={"type": mode}
    )
    shop.ask("DELETE", f"plans/{plan}")
    more = shop.change(held, TEN_DAYS, quantity=3)
    assert [amount for amount, _, _ in lines(shop.latest(more))] == [-1000, 3000]
    gone = shop.ask("DELETE", f"subscriptions/{held['id']}", prorate="true")
    assert gone["status"] == "canceled" and all(item["amount"] < 0 for item in shop.pending())
