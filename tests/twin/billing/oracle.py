"""A slow, obvious re-computation of subscription billing, written from the rules; it shares no code with the twin.

Everything is a `Fraction` until one final rounding. Rules, in words:

- A month later is the same day of the month, or the month's last day, counted from the anchor.
- A discount of so many percent is taken off each line and rounded to the nearest cent, half up. An amount is shared
  by the lines in proportion, shares cut off, the last line takes the rest.
- Tax is rounded for each line, half up; an exclusive tax comes on top of what is left after discounts.
- A proration is the net price times the seconds left over the seconds of the period; half a cent goes down.
- Classic billing credits the item's present price with its discount alone; flexible billing credits what was charged.
- A total, with the balance, of less than the smallest charge waits on the balance.
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
    """A subscription item: its unit price, its quantity, and what was charged for it: (net, from, to)."""

    unit: int
    quantity: int
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
class Oracle:
    """One subscription and its customer's balance."""

    flexible: bool
    anchor: int
    items: list[Item]
    percent: Fraction | None = None
    amount_off: int | None = None
    tax: Fraction | None = None
    inclusive: bool = False
    now: int = 0
    periods: int = 0
    balance: int = 0
    pending: list[Pending] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)
    waiting: tuple[int, int] | None = None
    over: bool = False

    @property
    def start(self) -> int:
        """Of the current period."""
        return months_later(self.anchor, self.periods)

    @property
    def end(self) -> int:
        """Of the current period."""
        return months_later(self.anchor, self.periods + 1)

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
        self.now = self.anchor
        self.settle(self.bill([], self.items))

    def bill(self, pending: list[Pending], items: list[Item]) -> int:
        """The total of an invoice with pending things and whole periods of items; keeps what was charged."""
        reduced = [entry for entry in reversed(pending) if entry.discountable]
        lines = [entry.amount for entry in reduced] + [item.gross for item in items]
        off = self.discounts(lines)
        nets = [line - part for line, part in zip(lines, off, strict=True)]
        for item, net in zip(items, nets[len(reduced) :], strict=True):
            item.charged = [(net, self.start, self.end)]
        nets += [entry.amount for entry in pending if not entry.discountable]
        total = sum(self.taxed(net) for net in nets)
        self.totals.append(total)
        return total

    def settle(self, total: int) -> None:
        """Finalize: use the balance, charge what is due."""
        due = total + self.balance
        if total <= 0 or due <= 0 or due < SMALLEST:
            self.balance = due
        else:
            self.balance = 0

    def wait(self, until: int) -> None:
        """Let time go by: renewals at the end of each period, finalized an hour later."""
        while True:
            upcoming = [] if self.over else [self.end]
            if self.waiting is not None:
                upcoming.append(self.waiting[0])
            if not upcoming or min(upcoming) > until:
                break
            if self.waiting is not None and self.waiting[0] == min(upcoming):
                self.settle(self.waiting[1])
                self.waiting = None
                continue
            self.now = self.end
            self.periods += 1
            taken, self.pending = self.pending, []
            self.waiting = (self.now + HOUR, self.bill(taken, self.items))
        self.now = until

    def prorated(self, net: int, since: int, until: int) -> int:
        """The part of a price for the rest of a span."""
        left = max(0, min(until - self.now, until - since))
        return nearest_down(Fraction(net * left, until - since))

    def credits(self, item: Item) -> list[int]:
        """What is given back for the rest of an item's period."""
        if not self.flexible:
            return [self.prorated(-self.net_of(item), self.start, self.end)]
        return [self.prorated(-net, since, until) for net, since, until in item.charged]

    def change(self, before: Item | None, after: Item | None, behavior: str) -> None:
        """Replace an item, add one (`before` None) or remove one (`after` None)."""
        credits = self.credits(before) if before is not None and behavior != "none" else []
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
        if after is not None:
            debit = self.prorated(self.net_of(after), self.start, self.end)
            after.charged = [(debit, self.now, self.end)]
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
