# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-6c040a7449d1: keep out of training data
"""Memberships that change: seasons, upgrades, downgrades, ends, quotes, other intervals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from trialbalance.grading import Failed, same

from desk import DAY, HOUR, SETTLED, Bill, Desk, Member, answered, paid_bill
from joining_flows import NEW, newest_invoice, only_membership
from sums import Period, Unclear, cents, clear, moment, months_on, nth


def seasons(desk: Desk) -> None:
    """Two prices, one after the other: for good, and with an end."""
    draw = desk.draw
    first, then = draw.amount(900, 4000), draw.amount(4100, 9000)
    prices = {"first": desk.price(first), "then": desk.price(then)}
    with desk.holds("seasons-follow-each-other"):
        start, periods = desk.late_day(), draw.integer(2, 3)
        member = desk.member(start)
        answer = _seasons(desk, member, prices, periods, None)
        _answered_seasons(desk, answer, member, first)
        expected = _advance_seasons(desk, member, start, [first] * periods + [then] * 4)
        desk.expect_bills(member, expected, "the bills of seasons for good")
        same(desk.subscription(answer["subscription"]).status, "active", "the status of seasons for good")
    with desk.holds("seasons-end-when-told"):
        start = moment(2027, draw.integer(1, 8), draw.integer(2, 27), draw.integer(6 * HOUR, 20 * HOUR))
        last = draw.integer(2, 3)
        member = desk.member(start)
        answer = _seasons(desk, member, prices, 1, last)
        _answered_seasons(desk, answer, member, first)
        expected = _advance_seasons(desk, member, start, [first] + [then] * last)
        end = nth(start, 1 + last, "month")
        desk.advance(member, end - 1)
        same(desk.subscription(answer["subscription"]).status, "active", "the status a second before the end")
        desk.advance(member, end + DAY)
        desk.expect_bills(member, expected, "the bills of seasons with an end")
        same(desk.subscription(answer["subscription"]).status, "canceled", "the status after the last season")
        ended = desk.told("customer.subscription.deleted", member)
        same([item["data"]["object"]["ended_at"] for item in ended], [end], "the end that events tell")


def _seasons(
    desk: Desk, member: Member, prices: dict[str, str], periods: int, last: int | None
) -> dict[str, Any]:
    asked = {
        "customer": member.id,
        "first": {"price": prices["first"], "periods": periods},
        "then": {"price": prices["then"], "periods": last},
    }
    return desk.order("seasons", asked, makes={**NEW, "subscription_schedule": 1})


def _answered_seasons(desk: Desk, answer: dict[str, Any], member: Member, first: int) -> None:
    schedules = [
        item["id"] for item in desk.objects("subscription_schedule") if item["customer"] == member.id
    ]
    answered(
        answer, "seasons", subscription=only_membership(desk, member), invoice=newest_invoice(desk, member),
        schedule=schedules[-1] if schedules else None, amount_paid=first,
    )  # fmt: skip


def _advance_seasons(desk: Desk, member: Member, start: int, amounts: list[int]) -> list[Bill]:
    expected = [paid_bill(start, amounts[0])]
    for number, amount in enumerate(amounts[1:], 1):
        due = nth(start, number, "month")
        desk.advance(member, due + SETTLED)
        expected.append(paid_bill(due, amount))
    return expected


class Bench:
    """A membership of benches and lockers, in the middle of its second period; `halved` by a coupon."""

    def __init__(self, desk: Desk, *, halved: bool = False) -> None:
        draw = desk.draw
        self.desk, self.halved = desk, halved
        self.start = desk.late_day()
        self.bench, self.locker = 2 * draw.amount(600, 1900), 2 * draw.amount(150, 450)
        self.number, self.lockers = draw.integer(2, 4), draw.integer(1, 3)
        self.member = desk.member(self.start)
        self.price, self.locker_price = desk.price(self.bench), desk.price(self.locker)
        more: dict[str, Any] = {}
        if halved:
            coupon = desk.stripe.coupons.create({"percent_off": 50, "duration": "forever"})
            more["discounts"] = [{"coupon": coupon.id}]
        items = ((self.locker_price, self.lockers), (self.price, self.number))
        self.subscription = str(desk.membership(self.member, *items, **more).id)
        self.period = Period(nth(self.start, 1, "month"), nth(self.start, 2, "month"))
        self.now = clear(self._middle)
        desk.advance(self.member, self.period.start + SETTLED)
        desk.advance(self.member, self.now)
        self.bills = [paid_bill(at, self.total(self.bench)) for at in (self.start, self.period.start)]
        self.neighbour = desk.member(self.now)
        desk.membership(self.neighbour, (self.price, self.number), (self.locker_price, self.lockers))

    def _middle(self) -> int:
        """A moment of the period at which what is left of the benches is a clear amount."""
        at = self.desk.draw.integer(self.period.start + DAY, self.period.end - 2 * DAY)
        cents(self.bench * self.number * self.period.left(at))
        return at

    def total(self, bench: int) -> int:
        """What a period costs when a bench costs so much."""
        return (bench * self.number + self.locker * self.lockers) // (2 if self.halved else 1)

    def dearer(self) -> tuple[int, int]:
        """A drawn dearer price for a bench, and the difference for the rest of the period."""

        def draw() -> tuple[int, int]:
            amount = 2 * self.desk.draw.amount(2000, 4900)
            left = self.period.left(self.now)
            return amount, difference(self.bench * self.number, amount * self.number, left)

        return clear(draw)

    def asked(self, to: int) -> dict[str, str]:
        """The input of a change to a price."""
        return {"subscription": self.subscription, "from": self.price, "to": self.desk.price(to)}

    def has(self, price: str, what: str) -> None:
        """The benches have this price, and the lockers are there."""
        found = self.desk.subscription(self.subscription)["items"].data
        actual = sorted([item.price.id, item.quantity] for item in found)
        expected = sorted([[price, self.number], [self.locker_price, self.lockers]])
        same(actual, expected, f"the items {what}")

    def renew(self, number: int, bench: int) -> None:
        """The n-th period begins, at so much for a bench."""
        due = nth(self.start, number, "month")
        self.desk.advance(self.member, due + SETTLED)
        self.bills.append(paid_bill(due, self.total(bench)))

    def billed(self, what: str) -> None:
        """The member's bills are those that were written down here."""
        self.desk.expect_bills(self.member, self.bills, f"the bills {what}")


def difference(old: int, new: int, left: Fraction) -> int:
    """What a change costs for the rest of a period; `Unclear` when it depends on the way to round."""
    together = cents((new - old) * left)
    if cents(new * left) - cents(old * left) != together:
        raise Unclear
    return together


def upgrade(desk: Desk) -> None:
    """A dearer bench in the middle of a period, beside lockers."""
    bench = Bench(desk)
    amount, due = bench.dearer()
    asked = bench.asked(amount)
    with desk.holds("upgrades-charge-the-difference"):
        answer = desk.order("upgrade", asked, makes={"invoice": 1})
        newest = newest_invoice(desk, bench.member)
        answered(answer, "upgrade", subscription=bench.subscription, amount_paid=due, invoice=newest)
        after = [bill for bill in desk.bills(bench.member) if bill.at >= bench.now]
        same([list(bill) for bill in after], [list(paid_bill(bench.now, due))], "the bill of an upgrade")
    with desk.holds("upgrades-leave-the-rest"):
        bench.has(asked["to"], "after an upgrade")
        for number in (2, 3):
            desk.advance(bench.member, nth(bench.start, number, "month") + SETTLED)
        renewed = [bill for bill in desk.bills(bench.member) if bill.at > bench.now]
        expected = [paid_bill(nth(bench.start, number, "month"), bench.total(amount)) for number in (2, 3)]
        same([list(bill) for bill in renewed], [list(bill) for bill in expected], "renewals after an upgrade")


def downgrade(desk: Desk) -> None:
    """A cheaper bench from the next period on, with a coupon and lockers beside it."""
    bench = Bench(desk, halved=True)
    cheaper = 2 * desk.draw.amount(250, 500)
    asked = bench.asked(cheaper)
    with desk.holds("downgrades-wait"):
        answer = desk.order("downgrade", asked, makes={"subscription_schedule": 1})
        answered(answer, "downgrade", subscription=bench.subscription, effective_at=bench.period.end)
        bench.has(bench.price, "before a downgrade is due")
        bench.billed("before a downgrade is due")
        desk.advance(bench.member, bench.period.end - 1)
        bench.has(bench.price, "a second before a downgrade is due")
        desk.advance(bench.member, bench.period.end + SETTLED)
        found = desk.subscription(bench.subscription)["items"].data
        prices = {item.price.id for item in found}
        if bench.price in prices or asked["to"] not in prices:
            raise Failed("the price has not changed with the period")
    with desk.holds("downgrades-leave-the-rest"):
        bench.has(asked["to"], "after a downgrade")
        bench.bills.append(paid_bill(bench.period.end, bench.total(cheaper)))
        for number in (3, 4, 5):
            bench.renew(number, cheaper)
        bench.billed("after a downgrade")
        same(desk.subscription(bench.subscription).status, "active", "the status long after a downgrade")


def leave(desk: Desk) -> None:
    """Two who leave: one now, with usage that was not billed, one when the period ends."""
    draw = desk.draw
    bench = Bench(desk)
    with desk.holds("leaving-now-gives-and-takes-nothing"):
        meter = _fire_of(desk, bench)
        bench.now += 5 * HOUR
        desk.advance(bench.member, bench.now)
        answer = desk.order("leave", {"subscription": bench.subscription, "when": "now"})
        answered(answer, "leave", subscription=bench.subscription, status="canceled", ends_at=bench.now)
        desk.advance(bench.member, bench.period.end + DAY)
        bench.billed(f"after leaving with usage on {meter}")
        same(desk.subscription(bench.subscription).status, "canceled", "the status after leaving")
        ended = desk.told("customer.subscription.deleted", bench.member)
        same([item["data"]["object"]["ended_at"] for item in ended], [bench.now], "the end that events tell")
        same(_balance(desk, bench.member), 0, "the balance after leaving")
    with desk.holds("leaving-later-ends-with-the-period"):
        bench = Bench(desk)
        end = bench.period.end
        answer = desk.order("leave", {"subscription": bench.subscription, "when": "period_end"})
        answered(answer, "leave", subscription=bench.subscription, status="active", ends_at=end)
        desk.advance(bench.member, end - draw.integer(1, 50))
        same(desk.subscription(bench.subscription).status, "active", "the status just before the end")
        desk.advance(bench.member, end + DAY)
        found = desk.subscription(bench.subscription)
        same([found.status, found.ended_at], ["canceled", end], "status and end of who left")
        bench.billed("after leaving with the period")


def _fire_of(desk: Desk, bench: Bench) -> str:
    """Give a membership a usage price, and use it."""
    name = desk.name("burnt")
    meter = desk.stripe.billing.meters.create(
        {"display_name": name, "event_name": name, "default_aggregation": {"formula": "sum"}}
    )
    price = desk.price(desk.draw.amount(20, 90), recurring={"usage_type": "metered", "meter": meter.id})
    desk.stripe.subscriptions.update(
        bench.subscription, {"items": [{"price": price}], "proration_behavior": "none"}
    )
    desk.stripe.billing.meter_events.create(
        {"event_name": name, "payload": {"stripe_customer_id": bench.member.id, "value": "31"}}
    )
    return name


def _balance(desk: Desk, member: Member) -> int:
    return int(desk.stripe.customers.retrieve(member.id).balance or 0)


def quote(desk: Desk) -> None:
    """A quote, and then the upgrade it was for."""
    bench = Bench(desk)
    amount, due = bench.dearer()
    asked = bench.asked(amount)
    answer: dict[str, Any] = {}
    with desk.holds("quotes-say-what-it-costs"):
        answer = desk.order("quote", asked)
        answered(
            answer, "quote", currency="gbp", due_now=due, next_amount=bench.total(amount),
            next_payment=bench.period.end,
        )  # fmt: skip
    with desk.holds("quotes-change-nothing"):
        if not answer:
            raise Failed("there is no quote")
        bench.has(bench.price, "after a quote")
        bench.renew(2, bench.bench)
        bench.billed("after a quote that was not taken")


def switch(desk: Desk) -> None:
    """From months to a year in the middle of a month, and from a year to months with credit left."""
    draw = desk.draw
    with desk.holds("switches-begin-a-new-period"):
        start = desk.late_day()
        member, quantity, month = desk.member(start), draw.integer(1, 3), draw.amount(1500, 3500)
        subscription = str(
            desk.membership(member, (desk.price(month), quantity), billing_mode={"type": "flexible"}).id
        )
        second = Period(nth(start, 1, "month"), nth(start, 2, "month"))
        now = draw.choice(
            (
                moment(2028, 2, 29, draw.integer(0, DAY - 1)),
                draw.integer(second.start + DAY, second.end - DAY),
            )
        )
        if not second.start + SETTLED < now < second.end:
            now = draw.integer(second.start + DAY, second.end - DAY)

        def yearly() -> tuple[int, int]:
            amount = draw.amount(15_000, 36_000)
            return amount, amount * quantity - cents(month * quantity * second.left(now))

        year, due = clear(yearly) if _is_clear(month * quantity, second, now) else (0, 0)
        while not year:
            now += 3607
            year, due = clear(yearly) if _is_clear(month * quantity, second, now) else (0, 0)
        desk.advance(member, second.start + SETTLED)
        desk.advance(member, now)
        asked = {"subscription": subscription, "price": desk.price(year, "year")}
        answer = desk.order("switch", asked, makes={"invoice": 1})
        after = months_on(now, 12)
        answered(
            answer, "switch", subscription=subscription, amount_paid=due, credit=0, period_end=after,
            invoice=newest_invoice(desk, member),
        )  # fmt: skip
        desk.advance(member, after + SETTLED)
        expected = [paid_bill(at, month * quantity) for at in (start, second.start)]
        expected += [paid_bill(now, due), paid_bill(after, year * quantity)]
        desk.expect_bills(member, expected, "the bills of a switch to years")
    with desk.holds("switches-keep-credit"):
        start = moment(2028, 2, 29, draw.integer(0, DAY - 1))
        member, year = desk.member(start), draw.amount(30_000, 50_000)
        subscription = str(
            desk.membership(member, (desk.price(year, "year"), 1), billing_mode={"type": "classic"}).id
        )
        whole = Period(start, months_on(start, 12))
        now = draw.choice((moment(2028, 8, 31), moment(2028, 12, 31))) + draw.integer(HOUR, DAY - HOUR)
        while not _is_clear(year, whole, now):
            now += 3607
        left = cents(year * whole.left(now))
        month = left * 10 // draw.integer(13, 16)
        desk.advance(member, now)
        asked = {"subscription": subscription, "price": desk.price(month)}
        answer = desk.order("switch", asked, makes={"invoice": 1, "customer_balance_transaction": 1})
        answered(
            answer, "switch with credit", subscription=subscription, amount_paid=0, credit=left - month,
            period_end=months_on(now, 1),
        )  # fmt: skip
        rest = left - month
        dues = [months_on(now, number) for number in (1, 2)]
        for due_at in dues:
            desk.advance(member, due_at + SETTLED)
        expected = [
            paid_bill(start, year),
            Bill(now, month - left, 0, "paid"),
            Bill(dues[0], month, month - rest, "paid"),
            paid_bill(dues[1], month),
        ]
        desk.expect_bills(member, expected, "the bills of a switch with credit")


def _is_clear(amount: int, period: Period, at: int) -> bool:
    try:
        cents(amount * period.left(at))
    except Unclear:
        return False
    return True
