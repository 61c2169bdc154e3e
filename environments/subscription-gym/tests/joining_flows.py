# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-786315733021: keep out of training data
"""New memberships: joining, trials, days of payment, fees, usage, teams."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from trialbalance.grading import same

from desk import DAY, HOUR, SETTLED, Bill, Desk, Member, answered, paid_bill
from sums import Coupon, Period, Tier, Unclear, cents, clear, moment, months_on, nth, tiered

NEW = {"subscription": 1, "invoice": 1}


def renewals(
    desk: Desk, member: Member, anchor: int, amounts: list[int], interval: str = "month", count: int = 1
) -> list[Bill]:
    """Advance through periods, the first of which is paid; the bills that there must be then."""
    expected = [paid_bill(anchor, amounts[0])]
    for number, amount in enumerate(amounts[1:], 1):
        due = nth(anchor, number, interval, count)
        desk.advance(member, due + SETTLED)
        expected.append(paid_bill(due, amount))
    return expected


def join(desk: Desk) -> None:
    """Three memberships, two of them from days that some months do not have."""
    draw = desk.draw
    leap = moment(2028, 2, 29, draw.integer(6 * HOUR, 20 * HOUR))
    cases = ((desk.late_day(), "month", 1), (leap, "year", 1), (desk.late_day(), "week", 2))
    with desk.holds("joining-charges-each-period"):
        for start, interval, count in draw.shuffled(cases):
            member = desk.member(start)
            amount, quantity = draw.amount(900, 9000), draw.integer(2, 7)
            price = desk.price(amount, interval, count)
            asked = {"customer": member.id, "price": price, "quantity": quantity}
            answer = desk.order("join", asked, makes=NEW)
            total = amount * quantity
            answered(
                answer, "join", status="active", currency="gbp", amount_paid=total,
                period_end=nth(start, 1, interval, count), invoice=newest_invoice(desk, member),
                subscription=only_membership(desk, member),
            )  # fmt: skip
            expected = renewals(desk, member, start, [total] * 4, interval, count)
            desk.expect_bills(member, expected, f"the bills of a membership by the {interval}")
            same(
                desk.subscription(answer["subscription"]).status, "active", "the status after three renewals"
            )


def newest_invoice(desk: Desk, member: Member) -> str | None:
    """The id of a member's last invoice."""
    found = [item["id"] for item in desk.objects("invoice") if item["customer"] == member.id]
    return found[-1] if found else None


def only_membership(desk: Desk, member: Member) -> str | None:
    """The id of a member's membership; None when there is not exactly one."""
    found = [item["id"] for item in desk.objects("subscription") if item["customer"] == member.id]
    return found[0] if len(found) == 1 else None


def trying(desk: Desk) -> None:
    """A member with a card, one without, and one who brings a card in time."""
    draw = desk.draw
    start, days = desk.late_day(), draw.integer(10, 25)
    amount = draw.amount(900, 9000)
    price, end = desk.price(amount), start + days * DAY
    member = desk.member(start)
    with desk.holds("trials-are-free-and-then-paid"):
        answer = desk.order("trial", {"customer": member.id, "price": price, "days": days}, makes=NEW)
        answered(
            answer, "trial", subscription=only_membership(desk, member), status="trialing", trial_end=end
        )
        desk.advance(member, end - 1)
        desk.expect_bills(member, [], "the bills during a trial")
        due = [end, months_on(end, 1), months_on(end, 2)]
        for at in due:
            desk.advance(member, at + SETTLED)
        desk.expect_bills(member, [paid_bill(at, amount) for at in due], "the bills after a trial")
        same(desk.subscription(answer["subscription"]).status, "active", "the status after the trial")
    poor = desk.member(start, card=None)
    saved = desk.member(start, card=None, clock=poor.clock)
    with desk.holds("trials-without-a-card-end"):
        asked = {"price": price, "days": days}
        ended = desk.order("trial", {"customer": poor.id, **asked}, makes=NEW)
        kept = desk.order("trial", {"customer": saved.id, **asked}, makes=NEW)
        answered(ended, "trial without a card", status="trialing", trial_end=end)
        desk.advance(poor, end - DAY)
        desk.give_card(saved, "pm_card_mastercard")
        desk.advance(poor, end + DAY)
        found = desk.subscription(ended["subscription"])
        same([found.status, found.ended_at], ["canceled", end], "status and end of a trial without a card")
        same(len(desk.told("customer.subscription.deleted", poor)), 1, "events of the end")
        desk.expect_bills(poor, [], "the bills of a trial without a card")
        same(desk.subscription(kept["subscription"]).status, "active", "the status with a card in time")
        desk.expect_bills(saved, [paid_bill(end, amount)], "the bills with a card in time")


def by_the_day(desk: Desk) -> None:
    """Days of payment that some months do not have, and coupons of each kind."""
    draw = desk.draw
    with desk.holds("payments-fall-on-the-day"):
        short = draw.choice(((2028, 2), (2027, 4), (2027, 6), (2027, 9), (2027, 11)))
        for day, month in draw.shuffled(((31, short), (draw.choice((29, 30)), (2027, 2)))):
            start = moment(*month, draw.integer(5, 25), draw.integer(6 * HOUR, 20 * HOUR))
            member = desk.member(start)
            amount, first, due = clear(lambda s=start, d=day: _partial(desk, s, d, None))
            _day_of_payment(desk, member, start, day, amount, first, due, None, None)
    with desk.holds("coupons-last-as-they-say"):
        for months in draw.shuffled((draw.integer(2, 4), None)):
            start = moment(2027, draw.integer(1, 11), draw.integer(3, 13), draw.integer(6 * HOUR, 20 * HOUR))
            day = draw.integer(15, 28)
            coupon = _coupon(desk, months)
            amount, first, due = clear(lambda s=start, d=day, c=coupon: _partial(desk, s, d, c))
            member = desk.member(start)
            _day_of_payment(desk, member, start, day, amount, first, due, coupon, _made(desk, coupon))


def _partial(desk: Desk, start: int, day: int, coupon: Coupon | None) -> tuple[int, int, list[int]]:
    """A drawn price, what its first invoice comes to, and the next days of payment."""
    amount = desk.draw.amount(2000, 9000)
    due = [months_on(start, number, day) for number in range(-1, 6)]
    due = [at for at in due if at > start]
    before = months_on(due[0], -1, day)
    share = Fraction(amount) * Period(before, due[0]).left(start)
    first = cents(share)
    if coupon is not None:
        off = cents(share * (100 - coupon.percent) / 100)
        whole = coupon.off(amount) * Period(before, due[0]).left(start)
        if not coupon.off(first) == off == cents(whole):
            raise Unclear
        first = off
    return amount, first, due


def _day_of_payment(
    desk: Desk, member: Member, start: int, day: int, amount: int, first: int, due: list[int],
    coupon: Coupon | None, coupon_id: str | None,
) -> None:  # fmt: skip
    asked = {"customer": member.id, "price": desk.price(amount), "day": day, "coupon": coupon_id}
    answer = desk.order("by-the-day", asked, makes=NEW)
    answered(
        answer, "by-the-day", subscription=only_membership(desk, member),
        invoice=newest_invoice(desk, member), amount_paid=first, next_payment=due[0],
    )  # fmt: skip
    expected = [paid_bill(start, first)]
    for at in due[:4]:
        desk.advance(member, at + SETTLED)
        lasts = coupon is not None and coupon.lasts(start, at)
        expected.append(paid_bill(at, coupon.off(amount) if coupon and lasts else amount))
    desk.expect_bills(member, expected, f"the bills on day {day}")


def _coupon(desk: Desk, months: int | None) -> Coupon:
    return Coupon(desk.draw.integer(5, 45), months)


def _made(desk: Desk, coupon: Coupon) -> str:
    form: dict[str, Any] = {"duration": "forever", "percent_off": coupon.percent}
    if coupon.months is not None:
        form.update(duration="repeating", duration_in_months=coupon.months)
    return str(desk.stripe.coupons.create(form).id)


def induction(desk: Desk) -> None:
    """A fee, once."""
    draw = desk.draw
    start = desk.late_day()
    member = desk.member(start)
    amount, fee, quantity = draw.amount(900, 9000), draw.amount(300, 2500), draw.integer(2, 4)
    asked = {
        "customer": member.id, "price": desk.price(amount), "fee": desk.price(fee, None), "fee_quantity": quantity,
    }  # fmt: skip
    with desk.holds("fees-are-charged-once"):
        answer = desk.order("induction", asked, makes=NEW)
        first = amount + fee * quantity
        answered(
            answer, "induction", subscription=only_membership(desk, member),
            invoice=newest_invoice(desk, member), amount_paid=first,
        )  # fmt: skip
        expected = renewals(desk, member, start, [first, amount, amount])
        desk.expect_bills(member, expected, "the bills after an induction")


def kiln(desk: Desk) -> None:
    """Two periods of usage, with readings that come twice."""
    draw = desk.draw
    start = desk.late_day()
    member = desk.member(start)
    other = desk.member(start, clock=member.clock)
    base, unit = draw.amount(900, 6000), Fraction(draw.integer(1101, 1999), 100)
    step, dear = draw.integer(40, 90), Fraction(draw.integer(801, 999), 100)
    tiers = [Tier(step, unit), Tier(None, dear)]
    names = (desk.name("burnt"), desk.name("by"), desk.name("units"))
    meter = desk.stripe.billing.meters.create(
        {
            "display_name": names[0],
            "event_name": names[0],
            "default_aggregation": {"formula": "sum"},
            "customer_mapping": {"type": "by_id", "event_payload_key": names[1]},
            "value_settings": {"event_payload_key": names[2]},
        }
    )
    usage_price = desk.price(
        -1,
        billing_scheme="tiered",
        tiers_mode="graduated",
        tiers=[
            {"up_to": step, "unit_amount_decimal": str(float(unit))},
            {"up_to": "inf", "unit_amount_decimal": str(float(dear))},
        ],
        recurring={"usage_type": "metered", "meter": meter.id},
    )
    price = desk.price(base)
    ends = [nth(start, number, "month") for number in (1, 2, 3)]

    def values() -> list[int]:
        found = [draw.integer(7, 60) for _ in range(4)]
        cents(tiered(tiers, sum(found), "graduated"))
        return found

    with desk.holds("usage-is-charged-afterwards"):
        asked = {"customer": member.id, "price": price, "usage_price": usage_price}
        answer = desk.order("kiln", asked, makes=NEW)
        answered(
            answer, "kiln", subscription=only_membership(desk, member),
            invoice=newest_invoice(desk, member), amount_paid=base,
        )  # fmt: skip
        stranger = desk.order("kiln", {**asked, "customer": other.id}, makes=NEW)
        answered(stranger, "kiln", amount_paid=base)
    told: list[dict[str, Any]] = []
    bill = {"customer": member.id, "meter": str(meter.id)}
    for number, end in enumerate(ends[:2]):
        used = clear(values)
        desk.advance(member, end - 2 * DAY)
        begin = nth(start, number, "month") + HOUR
        readings = [
            {"id": desk.name("reading"), "value": value, "at": draw.integer(begin, end - 3 * DAY)}
            for value in used
        ]
        total = base + cents(tiered(tiers, sum(used), "graduated"))
        if number == 0:
            with desk.holds("usage-is-charged-afterwards"):
                answered(desk.order("firings", {**bill, "readings": readings}), "firings", counted=4)
                desk.advance(member, end + SETTLED)
                first = [paid_bill(start, base), paid_bill(end, total)]
                desk.expect_bills(member, first, "the bills of a kiln")
        else:
            with desk.holds("readings-count-once"):
                twice = [*readings[:2], readings[0]]
                answered(desk.order("firings", {**bill, "readings": twice}), "firings", counted=2)
                again = desk.order("firings", {**bill, "readings": [*readings[1:], told[0]]})
                answered(again, "firings with some that were told", counted=2)
                told += readings
                same(
                    _daily(desk, str(meter.id), member, start, end),
                    _by_day(told),
                    "what the meter counted by days",
                )
                desk.advance(member, end + SETTLED)
                second = [found for found in desk.bills(member) if found.at == end]
                same(
                    [list(found) for found in second],
                    [list(paid_bill(end, total))],
                    "the bill of readings told twice",
                )
        told = told or readings
    with desk.holds("usage-is-charged-afterwards"):
        desk.advance(member, ends[2] + SETTLED)
        last = [found for found in desk.bills(member) if found.at == ends[2]]
        same(
            [list(found) for found in last],
            [list(paid_bill(ends[2], base))],
            "the bill of a period without firing",
        )
        others = [paid_bill(at, base) for at in (start, *ends)]
        desk.expect_bills(other, others, "the bills of a member who fires nothing")


def _by_day(readings: list[dict[str, Any]]) -> dict[int, int]:
    """What was burnt on each day."""
    found: dict[int, int] = {}
    for reading in readings:
        day = reading["at"] // DAY * DAY
        found[day] = found.get(day, 0) + reading["value"]
    return found


def _daily(desk: Desk, meter: str, member: Member, start: int, end: int) -> dict[int, int]:
    """What the meter counted for a member on each day."""
    listed = desk.stripe.billing.meters.event_summaries.list(
        meter,
        {
            "customer": member.id,
            "start_time": start // DAY * DAY,
            "end_time": (end // DAY + 1) * DAY,
            "value_grouping_window": "day",
            "limit": 100,
        },
    )
    return {item.start_time: int(item.aggregated_value) for item in listed.data if item.aggregated_value}


def team(desk: Desk) -> None:
    """Seats by tiers, in other currencies, and one that the price does not have."""
    draw = desk.draw
    with desk.holds("teams-pay-by-tiers"):
        for mode, currency, whole in draw.shuffled(
            (("volume", "eur", 1), ("graduated", "jpy", 100), ("graduated", "gbp", 1))
        ):
            start = desk.late_day()
            member = desk.member(start)
            steps = (draw.integer(3, 5), draw.integer(8, 11))
            tables = {
                name: _tiers(desk, steps, whole if name == currency else 1) for name in ("gbp", "eur", "jpy")
            }
            seats = draw.integer(steps[1] + 1, 24)
            price = desk.price(
                -1,
                billing_scheme="tiered",
                tiers_mode=mode,
                tiers=_sent(tables["gbp"]),
                currency_options={name: {"tiers": _sent(tables[name])} for name in ("eur", "jpy")},
            )
            asked = {"customer": member.id, "price": price, "seats": seats, "currency": currency}
            answer = desk.order("team", asked, makes=NEW)
            total = cents(tiered(tables[currency], seats, mode))
            answered(
                answer, "team", subscription=only_membership(desk, member),
                invoice=newest_invoice(desk, member), currency=currency, amount_paid=total,
            )  # fmt: skip
            expected = renewals(desk, member, start, [total] * 3)
            desk.expect_bills(member, expected, f"the bills of a team in {currency}")
            found = {item["currency"] for item in desk.objects("invoice") if item["customer"] == member.id}
            same(found, {currency}, "the currencies of a team's invoices")
            stranger = desk.member(start)
            desk.refused(
                "team", {**asked, "customer": stranger.id, "currency": "sek"}, 400, "invalid_request"
            )
            desk.expect_bills(stranger, [], "the bills of a team in no currency")


def _tiers(desk: Desk, steps: tuple[int, int], factor: int) -> list[Tier]:
    draw = desk.draw
    return [
        Tier(steps[0], Fraction(draw.integer(21, 29) * 10 * factor), draw.integer(11, 99) * factor),
        Tier(steps[1], Fraction(draw.integer(15, 20) * 10 * factor)),
        Tier(None, Fraction(draw.integer(7, 14) * 10 * factor)),
    ]


def _sent(tiers: list[Tier]) -> list[dict[str, Any]]:
    return [
        {
            "up_to": tier.up_to or "inf",
            "unit_amount": int(tier.unit),
            **({"flat_amount": tier.flat} if tier.flat else {}),
        }
        for tier in tiers
    ]
