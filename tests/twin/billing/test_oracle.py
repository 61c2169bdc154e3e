"""Random histories of subscriptions, billed by the twin and by an oracle that shares no code with it.

Compared after every step: every invoice's total, what waits, the customer's balance; and the law that what was
invoiced is paid, remains, was credited, voided, or moved through the balance: after every step for every invoice, and
at the end for every state of an invoice that an event ever told.

`make test` runs a few, `make check` 5,000; `TWIN_HISTORIES=100 pytest tests/twin/billing/test_oracle.py` says how many.
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
from trialbalance.twin.billing import dashboard

START = 1775001600
DAY = 86_400
HISTORIES = int(os.environ.get("TWIN_HISTORIES", "5000"))
FEW = 60
UNITS = st.sampled_from([7, 100, 333, 999, 1000, 1800, 2592, 4999, 12345])
BEHAVIORS = st.sampled_from(["create_prorations", "always_invoice", "none"])
MONTHS = st.sampled_from([1, 1, 3, 12])
STEPS = st.one_of(
    st.tuples(
        st.just("wait"), st.one_of(st.integers(1, 45 * DAY), st.sampled_from([1, 3599, 3600, 30 * DAY]))
    ),
    st.tuples(st.just("quantity"), st.integers(0, 5), st.integers(1, 6), BEHAVIORS),
    st.tuples(st.just("price"), st.integers(0, 5), UNITS, MONTHS, BEHAVIORS),
    st.tuples(st.just("add"), UNITS, st.integers(1, 3), BEHAVIORS),
    st.tuples(st.just("remove"), st.integers(0, 5), BEHAVIORS),
    st.tuples(st.just("fee"), st.integers(1, 5000)),
    st.tuples(st.just("card"), st.sampled_from(["pm_card_visa", "pm_card_chargeCustomerFail"])),
    st.tuples(st.just("void"), st.integers(0, 9)),
    st.tuples(st.just("write off"), st.integers(0, 9)),
    st.tuples(st.just("credit"), st.integers(0, 9), st.integers(1, 100), st.booleans()),
)
COUPONS = st.sampled_from(
    [None, {"percent_off": "12.5"}, {"percent_off": "33"}, {"amount_off": "500"}, {"amount_off": "101"}]
)
TAXES = st.sampled_from([None, ("19", False), ("9.975", False), ("20", True)])
DAYS = st.sampled_from([0, 27, 28, 29, 30, 59])
"""Days after April 1 on which the subscription begins: also the 28th to the 31st."""
TRIALS = st.sampled_from([0, 0, 0, 10])
EVERY = {1: ("month", 1), 3: ("month", 3), 12: ("year", 1)}


class Run:
    """One history on a twin of its own."""

    def __init__(self, twin: Twin, oracle: Oracle, coupon: dict[str, str] | None, tax: Any) -> None:
        self.twin = twin
        dashboard.write(twin, {"billing": {"after_retries": "past_due"}})
        self.oracle = oracle
        self.given = 0
        """Credit that notes put on the balance."""
        self.clock = self.post("/v1/test_helpers/test_clocks", frozen_time=oracle.begun)["id"]
        self.customer = self.post("/v1/customers", test_clock=self.clock)["id"]
        self.pay_with("pm_card_visa")
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
        if oracle.sent:
            form["collection_method"], form["days_until_due"] = "send_invoice", 30
        if oracle.trialing:
            form["trial_end"] = oracle.anchor
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

    def pay_with(self, card: str) -> None:
        method = self.post(f"/v1/payment_methods/{card}/attach", customer=self.customer)["id"]
        self.post(f"/v1/customers/{self.customer}", **{"invoice_settings[default_payment_method]": method})

    def price(self, unit: int, months: int = 1) -> str:
        interval, count = EVERY[months]
        found: str = self.post(
            "/v1/prices",
            product=self.product,
            unit_amount=unit,
            currency="usd",
            **{"recurring[interval]": interval, "recurring[interval_count]": count},
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
        elif kind == "card":
            self.pay_with(step[1])
        elif kind in ("void", "write off", "credit"):
            self.correct(step)
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
                oracle.change(before, Item(before.unit, step[2], before.months), step[3])
            elif kind == "price":
                months = step[3] if oracle.flexible else 1
                self.update(step[4], id=self.ids[place], price=self.price(step[2], months))
                oracle.change(before, Item(step[2], 1, months), step[4])

    def correct(self, step: tuple[Any, ...]) -> None:
        """Void or write off an open invoice, or credit a part of a finalized one."""
        invoices = self.every("/v1/invoices")
        state = ("open", "paid", "uncollectible") if step[0] == "credit" else ("open",)
        places = [place for place, invoice in enumerate(invoices) if invoice["status"] in state]
        if not places:
            return
        place = places[step[1] % len(places)]
        invoice = invoices[place]
        path = f"/v1/invoices/{invoice['id']}"
        if step[0] == "write off":
            self.post(f"{path}/mark_uncollectible")
        elif step[0] == "void":
            if invoice["amount_paid"] == 0:
                self.post(f"{path}/void")
                self.oracle.void(place)
        else:
            self.credit(invoice, step[2], outside=step[3])

    def credit(self, invoice: dict[str, Any], percent: int, *, outside: bool) -> None:
        """Credit so many percent: of what remains, or, when nothing does, of what was paid."""
        before = invoice["pre_payment_credit_notes_amount"] + invoice["post_payment_credit_notes_amount"]
        unpaid = invoice["amount_remaining"]
        amount = (unpaid or invoice["total"] - before) * percent // 100
        if amount <= 0:
            return
        ways: dict[str, int] = {}
        if not unpaid:
            ways["out_of_band_amount" if outside else "credit_amount"] = amount
        self.post("/v1/credit_notes", invoice=invoice["id"], amount=amount, **ways)
        if "credit_amount" in ways:
            self.oracle.credit(amount)
            self.given += amount

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
        """Nothing is lost: the balance is what invoices moved and notes gave."""
        through = 0
        for invoice in invoices:
            lines = invoice["lines"]
            if not lines["has_more"]:
                assert sum(line["amount"] for line in lines["data"]) == invoice["subtotal"]
            balanced(invoice)
            if invoice["status"] not in ("draft", "void"):
                through += invoice["ending_balance"] - invoice["starting_balance"]
        assert through - self.given == balance

    def audit(self) -> None:
        """The law holds in every state of an invoice that an event told, that is at every second."""
        told = self.twin.store.table(self.twin.account, "event").objects.values()
        seen = [event for event in told if event["data"]["object"]["object"] == "invoice"]
        assert seen
        for event in seen:
            if event["type"] != "invoice.upcoming":
                balanced(event["data"]["object"])


def balanced(invoice: dict[str, Any]) -> None:
    """Invoiced = paid + remaining + credited + voided, and what moved through the balance."""
    if invoice["status"] == "draft":
        return
    voided = invoice["amount_remaining"] if invoice["status"] == "void" else 0
    remaining = invoice["amount_remaining"] - voided
    credited = invoice["pre_payment_credit_notes_amount"]
    moved = invoice["ending_balance"] - invoice["starting_balance"]
    assert invoice["total"] == invoice["amount_paid"] + remaining + credited + voided + moved, invoice
    assert invoice["amount_due"] == invoice["amount_paid"] + remaining + voided
    given_back = credited + invoice["post_payment_credit_notes_amount"]
    assert given_back <= max(0, invoice["total"])


def history(
    flexible: bool,
    items: list[tuple[int, int]],
    coupon: Any,
    tax: Any,
    day: int,
    trial: int,
    sent: bool,
    steps: list[Any],
) -> None:
    begun = START + day * DAY
    oracle = Oracle(flexible, begun + trial * DAY, [Item(*item) for item in items], begun=begun, sent=sent)
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
    run.audit()


HISTORY = given(
    flexible=st.booleans(),
    items=st.lists(st.tuples(UNITS, st.integers(1, 4)), min_size=1, max_size=3),
    coupon=COUPONS,
    tax=TAXES,
    day=DAYS,
    trial=TRIALS,
    sent=st.booleans(),
    steps=st.lists(STEPS, max_size=10),
)
CALM = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=FEW, deadline=None, derandomize=True, suppress_health_check=CALM)
@HISTORY
def test_a_few_random_histories(**of: Any) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/prorations and
    https://docs.stripe.com/billing/subscriptions/billing-mode/compare"""
    history(**of)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@settings(max_examples=HISTORIES, deadline=None, derandomize=True, suppress_health_check=CALM)
@HISTORY
def test_random_histories(**of: Any) -> None:
    """Source: https://docs.stripe.com/billing/subscriptions/prorations and
    https://docs.stripe.com/billing/subscriptions/billing-mode/compare"""
    history(**of)
