"""What a basket costs. Arithmetic only: no database, no web, no Stripe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    sku: str
    name: str
    unit_amount: int
    quantity: int

    @property
    def amount(self) -> int:
        return self.unit_amount * self.quantity


@dataclass(frozen=True)
class Code:
    """A discount code: `percent` takes `value` per cent off the goods, `amount` takes `value` minor units."""

    code: str
    kind: str
    value: int
    minimum: int
    active: bool


@dataclass(frozen=True)
class Delivery:
    """One flat charge, nothing from `free_from` worth of goods (counted before any discount)."""

    flat: int
    free_from: int


@dataclass(frozen=True)
class Quote:
    lines: tuple[Line, ...]
    code: str | None
    subtotal: int
    discount: int
    shipping: int
    total: int


def applies(code: Code, subtotal: int) -> bool:
    """Whether the code may be used on goods worth `subtotal`."""
    return code.active and subtotal >= code.minimum


def discount_for(code: Code, subtotal: int) -> int:
    """What the code takes off, half cents rounded up, never more than the goods are worth."""
    if code.kind == "percent":
        return min(subtotal, (subtotal * code.value + 50) // 100)
    return min(subtotal, code.value)


def delivery_for(delivery: Delivery, subtotal: int) -> int:
    return 0 if subtotal >= delivery.free_from else delivery.flat


def quote(lines: Sequence[Line], delivery: Delivery, code: Code | None = None) -> Quote:
    """Price `lines`. A code that does not apply is left out of the result."""
    subtotal = sum(line.amount for line in lines)
    used = code if code is not None and applies(code, subtotal) else None
    discount = discount_for(used, subtotal) if used else 0
    shipping = delivery_for(delivery, subtotal) if lines else 0
    return Quote(
        lines=tuple(lines),
        code=used.code if used else None,
        subtotal=subtotal,
        discount=discount,
        shipping=shipping,
        total=subtotal - discount + shipping,
    )
