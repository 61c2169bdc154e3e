"""Random histories of subscriptions, billed by the twin and by an oracle that shares no code with it.

Compared after every step: every invoice's total, what waits, the customer's balance; and the law that what was
invoiced is paid, remains, was credited, voided, or moved through the balance.

`TWIN_HISTORIES=5000 pytest tests/twin/billing/test_oracle.py` runs as many histories as it says.
"""

from __future__ import annotations

import os
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.twin.billing.oracle import Item, Oracle
from trialbalance.twin import Twin

START = 1775001600
DAY = 86_400
HISTORIES = int(os.environ.get("TWIN_HISTORIES", "120"))
UNITS = st.sampled_from([7, 100, 333, 999, 1000, 1800, 2592, 4999, 12345])
BEHAVIORS = st.sampled_from(["create_prorations", "always_invoice", "none"])
STEPS = st.one_of(
    st.tuples(
        st.just("wait"), st.one_of(st.integers(1, 45 * DAY), st.sampled_from([1, 3599, 3600, 30 * DAY]))
    ),
    st.tuples(st.just("quantity"), st.integers(0, 5), st.integers(1, 6), BEHAVIORS),
    st.tuples(st.just("price"), st.integers(0, 5), UNITS, BEHAVIORS),
    st.tuples(st.just("add"), UNITS, st.integers(1, 3), BEHAVIORS),
    st.tuples(st.just("remove"), st.integers(0, 5), BEHAVIORS),
    st.tuples(st.just("fee"), st.integers(1, 5000)),
)
COUPONS = st.sampled_from(
    [None, {"percent_off": "12.5"}, {"percent_off": "33"}, {"amount_off": "500"}, {"amount_off": "101"}]
)
TAXES = st.sampled_from([None, ("19", False), ("9.975", False), ("20", True)])
DAYS = st.sampled_from([0, 27, 28, 29, 30, 59])
"""Days after April 1 on which the subscription begins: also the 28th to the 31st."""


class Run:
    """One history on a twin of its own."""

    def __init__(self, twin: Twin, oracle: Oracle, coupon: dict[str, str] | None, tax: Any) -> None:
        self.twin = twin
        self.oracle = oracle
        self.clock = self.post("/v1/test_helpers/test_clocks", frozen_time=oracle.anchor)["id"]
        self.customer = self.post("/v1/customers", test_clock=self.clock)["id"]
        card = self.post("/v1/payment_methods/pm_card_visa/attach", customer=self.customer)["id"]
        self.post(f"/v1/customers/{self.customer}", **{"invoice_settings[default_payment_method]": card})
        self.product = self.post("/v1/products", name="Box")["id"]
        form: dict[str, Any] = {"customer": self.customer}
        form["billing_mode[type]"] = "flexible" if oracle.flexible else "classic"
        if coupon is not None:
            made = self.post("/v1/coupons", duration="forever", currency="usd", **coupon)
            form["discounts[0][coupon]"] = made["id"]
        if tax is not None:
            rate = self.post(
                "/v1/tax_rates", display_name="T", percentage=tax[0], inclusive=str(tax[1]).lower()
            )
            form["default_tax_rates[0]"] = rate["id"]
        for place, item in enumerate(oracle.items):
            form[f"items[{place}][price]"] = self.price(item.unit)
            form[f"items[{place}][quantity]"] = item.quantity
        self.subscription = self.post("/v1/subscriptions", **form)
        self.ids = [item["id"] for item in self.subscription["items"]["data"]]

    def post(self, path: str, **form: Any) -> dict[str, Any]:
        answer = self.twin.request("POST", path, form)
        assert answer.status == 200, answer.body
        found: dict[str, Any] = answer.json()
        return found

    def price(self, unit: int) -> str:
        found: str = self.post(
            "/v1/prices",
            product=self.product,
            unit_amount=unit,
            currency="usd",
            **{"recurring[interval]": "month"},
        )["id"]
        return found

    def update(self, behavior: str, **item: Any) -> None:
        form = {f"items[0][{name}]": value for name, value in item.items()}
        identifier = self.subscription["id"]
        now = self.post(f"/v1/subscriptions/{identifier}", proration_behavior=behavior, **form)
        known = [entry["id"] for entry in now["items"]["data"]]
        self.ids = [name for name in self.ids if name in known]
        self.ids += [name for name in known if name not in self.ids]

    def step(self, step: tuple[Any, ...]) -> None:
        oracle = self.oracle
        kind = step[0]
        if kind == "wait":
            until = oracle.now + step[1]
            oracle.wait(until)
            self.post(f"/v1/test_helpers/test_clocks/{self.clock}/advance", frozen_time=until)
        elif kind == "fee":
            oracle.fee(step[1])
            self.post("/v1/invoiceitems", customer=self.customer, amount=step[1], currency="usd")
        elif kind == "add":
            if len(oracle.items) < 5:
                self.update(step[3], price=self.price(step[1]), quantity=step[2])
                oracle.change(None, Item(step[1], step[2]), step[3])
        elif len(oracle.items) > 1 or kind != "remove":
            place = step[1] % len(oracle.items)
            before = oracle.items[place]
            if kind == "remove":
                self.update(step[2], id=self.ids[place], deleted="true")
                oracle.change(before, None, step[2])
            elif kind == "quantity" and step[2] != before.quantity:
                self.update(step[3], id=self.ids[place], quantity=step[2])
                oracle.change(before, Item(before.unit, step[2]), step[3])
            elif kind == "price":
                self.update(step[3], id=self.ids[place], price=self.price(step[2]))
                oracle.change(before, Item(step[2], before.quantity), step[3])

    def finish(self) -> None:
        if self.oracle.waiting is not None:
            return
        path = f"/v1/subscriptions/{self.subscription['id']}"
        answer = self.twin.request("DELETE", path, {"prorate": "true", "invoice_now": "true"})
        assert answer.status == 200, answer.body
        self.oracle.cancel()
        self.compare()
        self.step(("wait", 2 * 3600))
        self.compare()

    def every(self, path: str, **form: Any) -> list[dict[str, Any]]:
        found = self.twin.request("GET", path, {"customer": self.customer, "limit": 100, **form}).json()
        assert not found["has_more"]
        rows: list[dict[str, Any]] = found["data"]
        return list(reversed(rows))

    def compare(self) -> None:
        invoices = self.every("/v1/invoices")
        assert [invoice["total"] for invoice in invoices] == self.oracle.totals
        pending = self.every("/v1/invoiceitems", pending="true")
        assert sorted(item["amount"] for item in pending) == sorted(p.amount for p in self.oracle.pending)
        customer = self.twin.request("GET", f"/v1/customers/{self.customer}").json()
        assert customer["balance"] == self.oracle.balance
        self.conserve(invoices, customer["balance"])

    def conserve(self, invoices: list[dict[str, Any]], balance: int) -> None:
        """Nothing is lost: what was invoiced was paid, remains, is a draft, or moved through the balance."""
        through = 0
        for invoice in invoices:
            lines = invoice["lines"]
            if not lines["has_more"]:
                assert sum(line["amount"] for line in lines["data"]) == invoice["subtotal"]
            if invoice["status"] == "draft":
                continue
            moved = invoice["ending_balance"] - invoice["starting_balance"]
            assert invoice["total"] == invoice["amount_paid"] + invoice["amount_remaining"] + moved
            assert invoice["amount_due"] == invoice["amount_paid"] + invoice["amount_remaining"]
            through += moved
        assert through == balance


def history(
    flexible: bool, items: list[tuple[int, int]], coupon: Any, tax: Any, day: int, steps: list[Any]
) -> None:
    oracle = Oracle(flexible=flexible, anchor=START + day * DAY, items=[Item(*item) for item in items])
    if coupon is not None:
        oracle.percent = Fraction(coupon["percent_off"]) if "percent_off" in coupon else None
        oracle.amount_off = int(coupon["amount_off"]) if "amount_off" in coupon else None
    if tax is not None:
        oracle.tax, oracle.inclusive = Fraction(tax[0]), tax[1]
    oracle.begin()
    run = Run(Twin(seed=1), oracle, coupon, tax)
    run.compare()
    for step in steps:
        run.step(step)
        run.compare()
    run.finish()


@pytest.mark.slow
@pytest.mark.timeout(3600)
@settings(
    max_examples=HISTORIES,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(
    flexible=st.booleans(),
    items=st.lists(st.tuples(UNITS, st.integers(1, 4)), min_size=1, max_size=3),
    coupon=COUPONS,
    tax=TAXES,
    day=DAYS,
    steps=st.lists(STEPS, max_size=8),
)
def test_random_histories(
    flexible: bool, items: list[tuple[int, int]], coupon: Any, tax: Any, day: int, steps: list[Any]
) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/prorations and
    https://docs.stripe.com/billing/subscriptions/billing-mode/compare"""
    history(flexible, items, coupon, tax, day, steps)
