"""A slow, obvious re-computation of subscription billing, written from the rules; it shares no code with the twin.

Everything is a `Fraction` until one final rounding. Rules, in words:

- A month later is the same day of the month, or the month's last day, counted from the anchor. Each item has its own
  interval of months, all counted from the one anchor.
- A trial is free and lasts until the anchor; nothing is prorated in it.
- A discount of so many percent is taken off each line and rounded to the nearest cent, half up. An amount is shared
  by the lines in proportion, shares cut off, the last line takes the rest.
- Tax is rounded for each line, half up; an exclusive tax comes on top of what is left after discounts.
- A proration is the net price times the seconds left over the seconds of the period; half a cent goes down.
- Classic billing credits the item's present price with its discount alone; flexible billing credits what was charged.
- In flexible billing another interval keeps the anchor: the new price is charged for the rest of its own cycle.
- An invoice is finalized at once when it is charged at the beginning or for a change; a renewal, and the first one
  that is sent, an hour later.
- A total, with the balance, of less than the smallest charge waits on the balance. A voided invoice gives back what
  it took from the balance; credit for a paid invoice goes onto it.
"""

from __future__ import annotations

import math
from calendar import monthrange
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction

HOUR = 3600
SMALLEST = 50


def nearest(value: Fraction) -> int:
    """Half up, also for negative values away from zero."""
    sign = -1 if value < 0 else 1
    return sign * math.floor(abs(value) + Fraction(1, 2))


def nearest_down(value: Fraction) -> int:
    """To the nearest, half towards minus infinity."""
    return math.ceil(value - Fraction(1, 2))


def months_later(anchor: int, months: int) -> int:
    """`months` months after `anchor`."""
    moment = datetime.fromtimestamp(anchor, UTC)
    year, month = moment.year, moment.month
    for _ in range(months):
        month += 1
        if month == 13:
            year, month = year + 1, 1
    day = min(moment.day, monthrange(year, month)[1])
    return int(moment.replace(year=year, month=month, day=day).timestamp())


@dataclass
class Item:
    """A subscription item: unit price, quantity, months of its interval, its current period, and what was charged
    for it: (net, from, to)."""

    unit: int
    quantity: int
    months: int = 1
    start: int = 0
    end: int = 0
    charged: list[tuple[int, int, int]] = field(default_factory=list)

    @property
    def gross(self) -> int:
        """The price of a whole period."""
        return self.unit * self.quantity


@dataclass
class Pending:
    """Something that waits for an invoice."""

    amount: int
    discountable: bool


@dataclass
class Bill:
    """An invoice: its total, and what it moved on the balance when it was finalized."""

    total: int
    moved: int = 0


@dataclass
class Oracle:
    """One subscription and its customer's balance."""

    flexible: bool
    anchor: int
    items: list[Item]
    begun: int = 0
    sent: bool = False
    percent: Fraction | None = None
    amount_off: int | None = None
    tax: Fraction | None = None
    inclusive: bool = False
    now: int = 0
    balance: int = 0
    pending: list[Pending] = field(default_factory=list)
    bills: list[Bill] = field(default_factory=list)
    waiting: tuple[int, Bill] | None = None
    over: bool = False

    @property
    def trialing(self) -> bool:
        """Whether nothing is charged yet."""
        return self.now < self.anchor

    @property
    def totals(self) -> list[int]:
        """Of all invoices, oldest first."""
        return [bill.total for bill in self.bills]

    def period(self, months: int, at: int) -> tuple[int, int]:
        """The cycle of so many months that holds a second."""
        number = 0
        while months_later(self.anchor, (number + 1) * months) <= at:
            number += 1
        return months_later(self.anchor, number * months), months_later(self.anchor, (number + 1) * months)

    def discounts(self, amounts: list[int]) -> list[int]:
        """What the coupon takes off each of some lines."""
        if self.percent is not None:
            return [nearest(amount * self.percent / 100) for amount in amounts]
        if self.amount_off is None or sum(amounts) == 0:
            return [0] * len(amounts)
        given = min(self.amount_off, sum(amounts))
        shares = [math.floor(Fraction(given * amount, sum(amounts))) for amount in amounts]
        places = [place for place, amount in enumerate(amounts) if amount > 0]
        rest = given - sum(shares)
        for place in reversed(places):
            taken = min(rest, amounts[place] - shares[place])
            shares[place] += taken
            rest -= taken
        return shares

    def taxed(self, net: int) -> int:
        """A line's amount with its tax on top."""
        if self.tax is None or self.inclusive:
            return net
        return net + nearest(net * self.tax / 100)

    def net_of(self, item: Item) -> int:
        """An item's price after the coupon: among all items, or in classic billing alone."""
        if not self.flexible:
            return item.gross - self.discounts([item.gross])[0]
        position = next(i for i, other in enumerate(self.items) if other is item)
        return item.gross - self.discounts([other.gross for other in self.items])[position]

    def begin(self) -> None:
        """The first invoice."""
        self.now = self.begun
        for item in self.items:
            item.start = self.now
            item.end = self.anchor if self.trialing else self.period(item.months, self.now)[1]
        first = self.bill([], [] if self.trialing else self.items)
        if self.sent:
            self.waiting = (self.now + HOUR, first)
        else:
            self.settle(first)

    def bill(self, pending: list[Pending], items: list[Item]) -> Bill:
        """An invoice with pending things and whole periods of items; keeps what was charged."""
        reduced = [entry for entry in reversed(pending) if entry.discountable]
        lines = [entry.amount for entry in reduced] + [item.gross for item in items]
        off = self.discounts(lines)
        nets = [line - part for line, part in zip(lines, off, strict=True)]
        for item, net in zip(items, nets[len(reduced) :], strict=True):
            item.charged = [(net, item.start, item.end)]
        nets += [entry.amount for entry in pending if not entry.discountable]
        made = Bill(sum(self.taxed(net) for net in nets))
        self.bills.append(made)
        return made

    def settle(self, bill: Bill) -> None:
        """Finalize: use the balance, charge what is due."""
        before = self.balance
        due = bill.total + before
        self.balance = due if bill.total <= 0 or due <= 0 or due < SMALLEST else 0
        bill.moved = self.balance - before

    def void(self, place: int) -> None:
        """Take an open invoice out of the books."""
        self.balance -= self.bills[place].moved
        self.bills[place].moved = 0

    def credit(self, amount: int) -> None:
        """Give credit for a paid invoice."""
        self.balance -= amount

    def wait(self, until: int) -> None:
        """Let time go by: renewals at the ends of periods, finalized an hour later."""
        while True:
            upcoming = [] if self.over else [min(item.end for item in self.items)]
            if self.waiting is not None:
                upcoming.append(self.waiting[0])
            if not upcoming or min(upcoming) > until:
                break
            if self.waiting is not None and self.waiting[0] == min(upcoming):
                self.settle(self.waiting[1])
                self.waiting = None
                continue
            self.now = min(upcoming)
            due = [item for item in self.items if item.end == self.now]
            for item in due:
                item.start, item.end = self.period(item.months, self.now)
            taken, self.pending = self.pending, []
            self.waiting = (self.now + HOUR, self.bill(taken, due))
        self.now = until

    def prorated(self, net: int, since: int, until: int) -> int:
        """The part of a price for the rest of a span."""
        left = max(0, min(until - self.now, until - since))
        return nearest_down(Fraction(net * left, until - since))

    def credits(self, item: Item) -> list[int]:
        """What is given back for the rest of an item's period."""
        if self.trialing:
            return []
        if not self.flexible:
            return [self.prorated(-self.net_of(item), item.start, item.end)]
        return [self.prorated(-net, since, until) for net, since, until in item.charged]

    def change(self, before: Item | None, after: Item | None, behavior: str) -> None:
        """Replace an item, add one (`before` None) or remove one (`after` None)."""
        credits = self.credits(before) if before is not None and behavior != "none" else []
        if after is not None:
            if self.trialing:
                after.start, after.end = self.now, self.anchor
            else:
                after.start, after.end = self.period(after.months, self.now)
        if before is None:
            assert after is not None
            self.items.append(after)
        else:
            place = next(i for i, other in enumerate(self.items) if other is before)
            if after is None:
                del self.items[place]
            else:
                after.charged = before.charged
                self.items[place] = after
        if behavior == "none":
            return
        made = list(credits)
        if after is not None and not self.trialing:
            debit = self.prorated(self.net_of(after), after.start, after.end)
            after.charged = [(debit, self.now, after.end)]
            made.append(debit)
        self.pending += [Pending(amount, False) for amount in made]
        if behavior == "always_invoice" and self.pending:
            taken, self.pending = self.pending, []
            self.settle(self.bill(taken, []))

    def fee(self, amount: int) -> None:
        """A single charge that waits."""
        self.pending.append(Pending(amount, True))

    def cancel(self) -> None:
        """Cancel at once with credits and a last invoice, which leaves single charges alone."""
        made = [Pending(amount, False) for item in self.items for amount in self.credits(item)]
        own = [entry for entry in self.pending if not entry.discountable] + made
        self.pending = [entry for entry in self.pending if entry.discountable]
        if own:
            self.waiting = (self.now + HOUR, self.bill(own, []))
        self.over = True
