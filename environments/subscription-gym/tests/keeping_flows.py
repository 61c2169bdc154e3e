# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-4e7a02a4c201: keep out of training data
"""Memberships that stop being paid: pauses, cards that decline, cards that come instead."""

from __future__ import annotations

from typing import Any

from trialbalance.grading import Failed, same

from changing_flows import Bench
from desk import DAY, DECLINES, HOUR, SETTLED, Bill, Desk, answered, paid_bill
from sums import nth

WEEK = 7 * DAY


def pause(desk: Desk) -> None:
    """A pause over two payments that ends by itself, and one that is ended."""
    bench = Bench(desk)
    dues = [nth(bench.start, number, "month") for number in range(7)]
    with desk.holds("pauses-are-void"):
        until = desk.draw.integer(dues[3] + DAY, dues[4] - DAY)
        answer = desk.order("pause", {"subscription": bench.subscription, "until": until})
        answered(answer, "pause", subscription=bench.subscription, status="active", until=until)
        for number in (2, 3):
            desk.advance(bench.member, dues[number] + SETTLED)
            bench.bills.append(Bill(dues[number], bench.total(bench.bench), 0, "void"))
        bench.billed("during a pause")
        for number in (4, 5):
            bench.renew(number, bench.bench)
        bench.billed("after a pause")
        bench.has(bench.price, "after a pause")
    with desk.holds("pauses-can-be-ended"):
        bench = Bench(desk)
        dues = [nth(bench.start, number, "month") for number in range(7)]
        answer = desk.order("pause", {"subscription": bench.subscription, "until": None})
        answered(answer, "pause without an end", status="active", until=None)
        for number in (2, 3):
            desk.advance(bench.member, dues[number] + SETTLED)
            bench.bills.append(Bill(dues[number], bench.total(bench.bench), 0, "void"))
        desk.advance(bench.member, desk.draw.integer(dues[3] + DAY, dues[4] - DAY))
        answer = desk.order("resume", {"subscription": bench.subscription})
        answered(answer, "resume", subscription=bench.subscription, status="active", next_payment=dues[4])
        bench.billed("right after a pause was ended")
        for number in (4, 5):
            bench.renew(number, bench.bench)
        bench.billed("after a pause was ended")


class Owing:
    """A weekly member whose card stopped working: two weeks are open, and a purchase besides."""

    def __init__(self, desk: Desk) -> None:
        draw = desk.draw
        self.desk = desk
        self.start = desk.late_day()
        self.amount, self.quantity = draw.amount(700, 2500), draw.integer(1, 3)
        self.member = desk.member(self.start)
        self.subscription = str(
            desk.membership(self.member, (desk.price(self.amount, "week"), self.quantity)).id
        )
        self.total = self.amount * self.quantity
        desk.give_card(self.member, DECLINES)
        self.purchase = self._bought()
        desk.advance(self.member, self.start + WEEK + SETTLED)

    def _bought(self) -> str:
        """An invoice for something else, to be paid within a month."""
        stripe = self.desk.stripe
        made = stripe.invoices.create(
            {"customer": self.member.id, "collection_method": "send_invoice", "days_until_due": 60}
        )
        stripe.invoice_items.create(
            {
                "customer": self.member.id,
                "invoice": made.id,
                "amount": self.desk.draw.amount(),
                "currency": "gbp",
            }
        )
        return str(stripe.invoices.finalize_invoice(str(made.id)).id)

    def open(self) -> list[dict[str, int | str]]:
        """The open invoices of the membership as the twin has them, oldest first."""
        found = [
            item
            for item in self.desk.objects("invoice")
            if item["customer"] == self.member.id and item["status"] == "open" and item["id"] != self.purchase
        ]
        return [
            {"invoice": item["id"], "attempts": item["attempt_count"]}
            for item in sorted(found, key=lambda item: item["created"])
        ]


def arrears(desk: Desk) -> None:
    """One open week, two open weeks, and the end."""
    owing = Owing(desk)
    finalized = owing.start + WEEK + HOUR
    with desk.holds("arrears-are-told"):
        _tell(desk, owing, "past_due", [1], finalized + 3 * DAY, None)
        desk.advance(owing.member, finalized + 3 * DAY + HOUR)
        _tell(desk, owing, "past_due", [2], finalized + 8 * DAY, None)
        desk.advance(owing.member, owing.start + 2 * WEEK + SETTLED)
        _tell(desk, owing, "past_due", [2, 1], finalized + 8 * DAY, None)
        for later in (2 * WEEK + 3 * DAY, 3 * WEEK - DAY, 4 * WEEK):
            desk.advance(owing.member, owing.start + later)
        state = desk.subscription(owing.subscription)
        same(state.status, "canceled", "the status after the last attempt")
        rest = owing.open()
        attempts = [int(item["attempts"]) for item in rest]
        _tell(desk, owing, "canceled", attempts, None, "payment_failed")
    with desk.holds("arrears-are-told"):
        good = Bench(desk)
        answer = desk.order("arrears", {"subscription": good.subscription})
        answered(
            answer,
            "arrears of nobody",
            status="active",
            owed=0,
            invoices=[],
            next_attempt=None,
            ended_because=None,
        )


def _tell(
    desk: Desk, owing: Owing, status: str, attempts: list[int], due: int | None, reason: str | None
) -> None:
    answer = desk.order("arrears", {"subscription": owing.subscription})
    expected = [
        {"invoice": item["invoice"], "amount": owing.total, "attempts": count}
        for item, count in zip(owing.open(), attempts, strict=True)
    ]
    answered(
        answer, "arrears", status=status, currency="gbp", owed=owing.total * len(attempts), invoices=expected,
        next_attempt=due, ended_because=reason,
    )  # fmt: skip


def recover(desk: Desk) -> None:
    """Two open weeks are paid with another card, and the weeks that follow too."""
    owing = Owing(desk)
    desk.advance(owing.member, owing.start + 2 * WEEK + SETTLED)
    card = str(desk.stripe.payment_methods.create({"type": "card", "card": {"token": "tok_mastercard"}}).id)
    before = owing.open()
    answer: dict[str, Any] = {}
    with desk.holds("recoveries-pay-what-is-open"):
        same(len(before), 2, "open weeks")
        asked = {"subscription": owing.subscription, "payment_method": card}
        answer = desk.order("recover", asked)
        paid = [{"invoice": item["invoice"], "amount": owing.total} for item in before]
        answered(
            answer, "recover", subscription=owing.subscription, status="active", paid=paid,
            amount_paid=2 * owing.total,
        )  # fmt: skip
        for number in (3, 4):
            desk.advance(owing.member, owing.start + number * WEEK + SETTLED)
        weeks = [paid_bill(owing.start + number * WEEK, owing.total) for number in range(5)]
        found = [bill for bill in desk.bills(owing.member) if bill.total == owing.total]
        same([list(bill) for bill in found], [list(bill) for bill in weeks], "the weeks after a recovery")
        charged = [
            item["payment_method"]
            for item in desk.objects("charge")
            if item["customer"] == owing.member.id and item["status"] == "succeeded"
        ]
        same(charged[-4:], [card] * 4, "the card of the last four payments")
        same(desk.subscription(owing.subscription).status, "active", "the status after a recovery")
    with desk.holds("recoveries-leave-other-debts"):
        if not answer:
            raise Failed("nothing was recovered")
        invoice = desk.stripe.invoices.retrieve(owing.purchase)
        same([invoice.status, invoice.amount_paid], ["open", 0], "the other invoice of the member")
