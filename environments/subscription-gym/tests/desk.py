# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-d53a649ca6cf: keep out of training data
"""The office's side: members on test clocks, things to sell, orders, and what came of them in Stripe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import stripe as sdk
from trialbalance.grading import App, Draw, Failed, GraderTwin, same

from sums import DAY, HOUR, moment
from watching import Snapshot, unexpected

SETTLED = 2 * HOUR
"""A renewal is drafted, and paid an hour later."""
GOOD = "pm_card_visa"
DECLINES = "pm_card_chargeCustomerFail"
LATE_DAYS = (
    (2027, 1, 29), (2027, 1, 30), (2027, 12, 31), (2028, 1, 29), (2028, 1, 30), (2028, 1, 31), (2027, 8, 31),
    (2027, 10, 31), (2027, 12, 30),
)  # fmt: skip
"""Days after which some month of the next few is too short, or is the leap February."""


class Member(NamedTuple):
    """A customer and the clock it lives on."""

    id: str
    clock: str


class Bill(NamedTuple):
    """An invoice with something on it."""

    at: int
    total: int
    paid: int
    status: str


@dataclass
class Result:
    """What a flow came to: problems by check, and what was written that nobody asked for."""

    judged: dict[str, Failed | None] = field(default_factory=dict)
    broken: Failed | None = None
    orders: int = 0
    extras: list[str] = field(default_factory=list)


class Desk:
    """Drives one flow and writes down what holds."""

    def __init__(self, app: App, twin: GraderTwin, draw: Draw) -> None:
        self.app, self.twin, self.draw = app, twin, draw
        self._stripe = twin.stripe.v1
        self._state: dict[str, Any] | None = None
        self.result = Result()
        self._product = ""

    @property
    def stripe(self) -> Any:
        """The account, for the grader's own doings; whoever asks for it may change what there is."""
        self._state = None
        return self._stripe

    def forget(self) -> None:
        """Something may be done: read again what there is."""
        self._state = None

    def state(self) -> dict[str, Any]:
        """Everything there is, read once as long as nothing is done."""
        if self._state is None:
            self._state = self.twin.state()
        return self._state

    @contextmanager
    def holds(self, check: str) -> Iterator[None]:
        """What is inside proves a check; its first failure is written down, and the flow goes on."""
        try:
            yield
        except Failed as failed:
            if self.result.judged.get(check) is None:
                self.result.judged[check] = failed
        else:
            self.result.judged.setdefault(check, None)

    # What there is to begin with

    def late_day(self) -> int:
        """A second of a day near the end of a month, years from now."""
        return moment(*self.draw.choice(LATE_DAYS), self.draw.integer(6 * HOUR, 20 * HOUR))

    def member(self, at: int, card: str | None = GOOD, clock: str | None = None) -> Member:
        """A new customer on a clock of its own, or on somebody's."""
        clock = clock or str(self.stripe.test_helpers.test_clocks.create({"frozen_time": at}).id)
        person = self.draw.person()
        made = self.stripe.customers.create({"name": person.name, "email": person.email, "test_clock": clock})
        member = Member(str(made.id), clock)
        if card is not None:
            self.give_card(member, card)
        return member

    def give_card(self, member: Member, card: str) -> str:
        """The card that a member pays with from now on."""
        kept = self.stripe.payment_methods.attach(card, {"customer": member.id})
        self.stripe.customers.update(member.id, {"invoice_settings": {"default_payment_method": kept.id}})
        return str(kept.id)

    def product(self) -> str:
        """Something to put prices on."""
        if not self._product:
            self._product = str(self.stripe.products.create({"name": self.draw.product().name}).id)
        return self._product

    def price(self, amount: int, interval: str | None = "month", count: int = 1, **more: Any) -> str:
        """A price of the workshop, in pounds unless told otherwise; one-time without an interval."""
        form: dict[str, Any] = {"product": self.product(), "unit_amount": amount, "currency": "gbp", **more}
        if interval is not None:
            form["recurring"] = {"interval": interval, "interval_count": count, **more.get("recurring", {})}
        if amount < 0:
            del form["unit_amount"]
        return str(self.stripe.prices.create(form).id)

    def membership(self, member: Member, *items: tuple[str, int], **more: Any) -> Any:
        """A membership that somebody made before the agent's program is asked, in either billing mode."""
        wanted = [{"price": price, "quantity": quantity} for price, quantity in items]
        mode = {"type": self.draw.choice(("classic", "flexible"))}
        return self.stripe.subscriptions.create(
            {"customer": member.id, "items": wanted, "billing_mode": mode, **more}
        )

    # Orders

    def order(
        self,
        task: str,
        asked: Mapping[str, Any],
        *,
        request: str | None = None,
        about: tuple[str, ...] = (),
        makes: Mapping[str, int] | None = None,
    ) -> dict[str, Any]:
        """An order that must be carried out; whatever it writes besides is noted.

        `about` are ids that it may change, `makes` how many objects of a kind it may make.
        """  # fmt: skip
        before = Snapshot(self.state())
        self._state = None
        name = request or self.new_request()
        answer = self.app.call("POST", "/run-task", json={"request": name, "task": task, "input": asked})
        if not isinstance(answer, dict):
            raise Failed(f"{task} is not answered with an object")
        after = Snapshot(self.state())
        owner = {value for value in asked.values() if isinstance(value, str)}
        self.result.orders += 1
        found = unexpected(before, after, {*about, *owner}, makes or {})
        self.result.extras.extend(f"{task}: {text}" for text in found)
        return answer

    def refused(self, task: str, asked: Any, status: int, code: str, **envelope: Any) -> None:
        """An order that must be refused with a code."""
        order = {"request": self.new_request(), "task": task, "input": asked, **envelope}
        body = {name: value for name, value in order.items() if value is not Ellipsis}
        self._state = None
        answer = self.app.post("/run-task", json=body)
        told = _code(answer)
        if (answer.status_code, told) != (status, code):
            raise Failed(
                f"{task} is not refused as it should be", input=asked, status=answer.status_code, code=told,
                expected=[status, code],
            )  # fmt: skip

    def new_request(self) -> str:
        """A text that was not used before."""
        return f"order-{self.draw.integer(10**8, 10**9)}"

    def name(self, what: str) -> str:
        """A name of something that was not used before."""
        return f"{what}_{self.draw.integer(10**6, 10**7)}"

    # Later

    def advance(self, member: Member, to: int) -> None:
        """Move a member's clock, and with it the bills."""
        self.stripe.test_helpers.test_clocks.advance(member.clock, {"frozen_time": to})

    def subscription(self, name: Any) -> Any:
        """A subscription as it is now; `Failed` when the app told of one that is not there."""
        try:
            return self.stripe.subscriptions.retrieve(str(name))
        except sdk.InvalidRequestError as error:
            raise Failed("the answered subscription is not there", subscription=name) from error

    def objects(self, kind: str) -> list[dict[str, Any]]:
        """Everything of a kind that exists now."""
        state = self.state()
        found: list[dict[str, Any]] = state["accounts"][state["account"]].get(kind, [])
        return found

    def bills(self, member: Member) -> list[Bill]:
        """Every invoice of a member with something on it, oldest first; what was paid is what cards were
        charged, and what events told.
        """
        invoices = [item for item in self.objects("invoice") if item["customer"] == member.id]
        found = sorted(
            Bill(item["created"], item["total"], item["amount_paid"], item["status"])
            for item in invoices
            if item["total"]
        )
        paid = sorted(bill.paid for bill in found if bill.paid)
        charged = sorted(
            item["amount_captured"]
            for item in self.objects("charge")
            if item["customer"] == member.id and item["status"] == "succeeded"
        )
        told = sorted(
            event["data"]["object"]["amount_paid"]
            for event in self.told("invoice.paid", member)
            if event["data"]["object"]["amount_paid"]
        )
        same(charged, paid, "what the card was charged, beside what invoices were paid")
        same(told, paid, "what events told, beside what invoices were paid")
        return found

    def told(self, kind: str, member: Member) -> list[dict[str, Any]]:
        """Events of a kind about a member, oldest first."""
        return [
            event
            for event in self.objects("event")
            if event["type"] == kind and event["data"]["object"].get("customer") == member.id
        ]

    def expect_bills(self, member: Member, expected: list[Bill], what: str) -> None:
        """The member's bills are these and no others."""
        same([list(bill) for bill in self.bills(member)], [list(bill) for bill in sorted(expected)], what)


def paid_bill(at: int, amount: int) -> Bill:
    """An invoice that was paid entirely with the card."""
    return Bill(at, amount, amount, "paid")


def answered(answer: Mapping[str, Any], what: str, **expected: Any) -> None:
    """An answer has these values, among others."""
    actual = {name: answer.get(name) for name in expected}
    for name, value in actual.items():
        if isinstance(value, bool):
            raise Failed(f"{what}: {name} is true or false", actual=actual)
    same(actual, expected, f"the answer to {what}")


def _code(answer: Any) -> Any:
    try:
        body = answer.json()
    except ValueError:
        return None
    error = body.get("error") if isinstance(body, dict) else None
    return error.get("code") if isinstance(error, dict) else None


__all__ = [
    "DAY",
    "DECLINES",
    "GOOD",
    "HOUR",
    "SETTLED",
    "Bill",
    "Desk",
    "Member",
    "Result",
    "answered",
    "paid_bill",
]
