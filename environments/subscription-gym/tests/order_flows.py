# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-57fa1501aadd: keep out of training data
"""What holds for every order: new requests, repeated ones, wrong ones, declined ones."""

from __future__ import annotations

from typing import Any

from trialbalance.grading import Failed, same

from changing_flows import Bench
from desk import DAY, DECLINES, SETTLED, Desk, Member, answered, paid_bill
from joining_flows import NEW
from keeping_flows import Owing
from sums import nth
from watching import Snapshot, unexpected


def card(desk: Desk) -> None:
    """The task that was there."""
    with desk.holds("what-was-there-stays"):
        start = desk.late_day()
        member, poor = desk.member(start, "pm_card_mastercard"), desk.member(start, None)
        answer = desk.order("card", {"customer": member.id})
        answered(answer, "card", customer=member.id, brand="mastercard", last4="4444")
        answered(desk.order("card", {"customer": poor.id}), "card", customer=poor.id, brand=None, last4=None)
        desk.refused("card", {"customer": "cus_nobody"}, 400, "invalid_request")
        desk.refused("card", {}, 400, "invalid_request")
        same(desk.app.get("/health").status_code, 200, "the status of /health")


def again(desk: Desk) -> None:
    """Equal orders with other requests."""
    draw = desk.draw
    start = desk.late_day()
    member, other, third = desk.member(start), desk.member(start), desk.member(start)
    amount, quantity = draw.amount(900, 5000), draw.integer(2, 5)
    price = desk.price(amount)
    join = {"customer": member.id, "price": price, "quantity": quantity}
    seasons = {
        "customer": third.id, "first": {"price": price, "periods": 2},
        "then": {"price": desk.price(amount + 101), "periods": None},
    }  # fmt: skip
    with desk.holds("new-requests-are-new-orders"):
        made: list[dict[str, Any]] = []
        for task, asked in (("join", join), ("seasons", seasons)):
            makes = {**NEW, "subscription_schedule": int(task == "seasons")}
            one = desk.order(task, asked, makes=makes)
            between = desk.order("join", {**join, "customer": other.id, "quantity": 1}, makes=NEW)
            answered(between, "join", amount_paid=amount)
            made += [one, desk.order(task, asked, makes=makes)]
        for payer, ours, total in ((member, made[:2], amount * quantity), (third, made[2:], amount)):
            names = {str(item.get("subscription")) for item in ours}
            there = {item["id"] for item in desk.objects("subscription") if item["customer"] == payer.id}
            same([len(names), names == there], [2, True], "the memberships that two equal orders made")
            due = nth(start, 1, "month")
            desk.advance(payer, due + SETTLED)
            expected = [paid_bill(at, total) for at in (start, start, due, due)]
            desk.expect_bills(payer, expected, "the bills of two equal orders")
        desk.expect_bills(other, [paid_bill(start, amount)] * 2, "the bills of somebody else")


def repeated(desk: Desk) -> None:
    """The same requests again, at once and after a restart."""
    draw = desk.draw
    bench = Bench(desk)
    amount, due = bench.dearer()
    member = desk.member(bench.now)
    join = {"customer": member.id, "price": bench.price, "quantity": draw.integer(2, 5)}
    orders = [
        ("join", join, NEW), ("upgrade", bench.asked(amount), {"invoice": 1}),
        ("pause", {"subscription": bench.subscription, "until": bench.period.end + 3 * DAY}, {}),
    ]  # fmt: skip
    with desk.holds("repeated-requests-are-one-order"):
        kept = []
        for task, asked, makes in orders:
            request = desk.new_request()
            answer = desk.order(task, asked, request=request, makes=makes)
            kept.append((task, asked, request, answer))
        before = Snapshot(desk.state())
        _repeat(desk, kept)
        desk.app.restart()
        _repeat(desk, draw.shuffled(kept))
        extras = unexpected(before, Snapshot(desk.state()), (), {})
        if extras:
            raise Failed("a repeated request changed something", changed=extras)
        bench.bills.append(paid_bill(bench.now, due))
        bench.billed("after repeated requests")
        desk.expect_bills(
            member, [paid_bill(bench.now, bench.bench * int(join["quantity"]))], "the bills of one order"
        )


def _repeat(desk: Desk, kept: list[tuple[str, Any, str, dict[str, Any]]]) -> None:
    for task, asked, request, answer in kept:
        desk.forget()
        order = {"request": request, "task": task, "input": asked}
        same(desk.app.call("POST", "/run-task", json=order), answer, f"the repeated answer to {task}")


def wrong(desk: Desk) -> None:
    """Orders that cannot be meant."""
    bench = Bench(desk)
    member = desk.member(bench.now)
    join = {"customer": member.id, "price": bench.price, "quantity": 1}
    change = bench.asked(bench.bench + 1000)
    two = {"price": bench.price, "periods": 1}
    orders: list[tuple[str, Any]] = [
        ("join", {**join, "customer": "cus_nobody"}),
        ("join", {**join, "price": "price_none"}),
        ("join", {**join, "quantity": "2"}),
        ("join", {**join, "quantity": 0}),
        ("join", {"customer": member.id, "quantity": 1}),
        ("join", [join]),
        ("trial", {"customer": member.id, "price": bench.price}),
        ("by-the-day", {"customer": member.id, "price": bench.price, "day": 32, "coupon": None}),
        ("by-the-day", {"customer": member.id, "price": bench.price, "day": 3, "coupon": "no-such-coupon"}),
        ("by-the-day", {"customer": member.id, "price": bench.price, "day": 3}),
        ("induction", {"customer": member.id, "price": bench.price, "fee": "price_none", "fee_quantity": 1}),
        ("seasons", {"customer": member.id, "first": two, "then": {"price": "price_none", "periods": None}}),
        ("seasons", {"customer": member.id, "first": two, "then": None}),
        (
            "firings",
            {
                "customer": member.id,
                "meter": "mtr_none",
                "readings": [{"id": "a", "value": 1, "at": bench.now}],
            },
        ),
        ("upgrade", {**change, "to": "price_none"}),
        ("upgrade", {**change, "from": change["to"]}),
        ("downgrade", {**change, "to": "price_none"}),
        ("leave", {"subscription": bench.subscription, "when": "tomorrow"}),
        ("leave", {"subscription": "sub_nobody", "when": "now"}),
        ("pause", {"subscription": bench.subscription}),
        ("recover", {"subscription": bench.subscription, "payment_method": "pm_none"}),
        ("switch", {"subscription": bench.subscription, "price": "price_none"}),
        ("dance", join),
    ]
    with desk.holds("wrong-orders-are-refused"):
        before = Snapshot(desk.state())
        for task, asked in desk.draw.shuffled(orders):
            desk.refused(task, asked, 400, "invalid_request")
        desk.refused("join", join, 400, "invalid_request", request=...)
        extras = unexpected(before, Snapshot(desk.state()), (), {})
        if extras:
            raise Failed("an order that was refused changed something", changed=extras)
        answer = desk.order("join", join, makes=NEW)
        answered(answer, "join after refused orders", amount_paid=bench.bench)


def declined(desk: Desk) -> None:
    """Cards that the bank declines."""
    draw = desk.draw
    bench, other = Bench(desk), Bench(desk)
    desk.give_card(bench.member, DECLINES)
    desk.give_card(other.member, DECLINES)
    member = desk.member(bench.now, DECLINES)
    asked = {"customer": member.id, "price": bench.price}
    season = {"price": bench.price, "periods": 1}
    fresh = [
        ("join", {**asked, "quantity": 1}),
        ("induction", {**asked, "fee": desk.price(draw.amount(), None), "fee_quantity": 1}),
        ("by-the-day", {**asked, "day": draw.integer(1, 28), "coupon": None}),
        ("seasons", {"customer": member.id, "first": season, "then": {**season, "periods": None}}),
    ]
    with desk.holds("declined-cards-change-nothing"):
        for task, order in draw.shuffled(fresh):
            desk.refused(task, order, 402, "card_declined")
            _nothing_begun(desk, member, task)
        before = _membership(desk, bench)
        desk.refused("upgrade", bench.asked(bench.bench * 3), 402, "card_declined")
        same(_membership(desk, bench), before, "the membership after a declined upgrade")
        _nothing_open(desk, bench.member, "upgrade")
        single = desk.member(other.now)
        subscription = str(desk.membership(single, (bench.price, 1)).id)
        desk.give_card(single, DECLINES)
        desk.advance(single, other.now + DAY)
        desk.refused(
            "switch",
            {"subscription": subscription, "price": desk.price(90_000, "year")},
            402,
            "card_declined",
        )
        found = desk.subscription(subscription)
        same([found.status, found["items"].data[0].price.id], ["active", bench.price], "a declined switch")
        _nothing_open(desk, single, "switch")
    with desk.holds("declined-cards-change-nothing"):
        owing = Owing(desk)
        card = desk.stripe.payment_methods.create(
            {"type": "card", "card": {"token": "tok_chargeCustomerFail"}}
        )
        asked = {"subscription": owing.subscription, "payment_method": str(card.id)}
        desk.refused("recover", asked, 402, "card_declined")
        found = desk.subscription(owing.subscription)
        same([found.status, found.default_payment_method], ["past_due", None], "a declined recovery")
        same(len(owing.open()), 1, "open weeks after a declined recovery")


def _membership(desk: Desk, bench: Bench) -> list[Any]:
    found = desk.subscription(bench.subscription)
    items = [[item.id, item.price.id, item.quantity] for item in found["items"].data]
    return [found.status, items, found.pending_update, found.latest_invoice, found.cancel_at, found.schedule]


def _nothing_begun(desk: Desk, member: Member, task: str) -> None:
    over = ("canceled", "incomplete_expired")
    begun = [
        item["status"]
        for item in desk.objects("subscription")
        if item["customer"] == member.id and item["status"] not in over
    ]
    if begun:
        raise Failed(f"a declined {task} has begun a membership", statuses=begun)
    running = [
        item["status"]
        for item in desk.objects("subscription_schedule")
        if item["customer"] == member.id and item["status"] in ("active", "not_started")
    ]
    if running:
        raise Failed(f"a declined {task} has left a schedule", statuses=running)
    _nothing_open(desk, member, task)


def _nothing_open(desk: Desk, member: Member, task: str) -> None:
    owed = [
        item["status"]
        for item in desk.objects("invoice")
        if item["customer"] == member.id and item["status"] in ("draft", "open")
    ]
    waiting = [
        "invoice item"
        for item in desk.objects("invoiceitem")
        if item["customer"] == member.id and item.get("invoice") is None
    ]
    if owed or waiting:
        raise Failed(f"a declined {task} has left something to be paid", left=[*owed, *waiting])
