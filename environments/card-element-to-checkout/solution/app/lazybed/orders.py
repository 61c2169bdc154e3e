# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-cbaa6ecaaa77: keep out of training data
"""Orders: written down when the shopper goes to pay, kept when the money is there."""

from __future__ import annotations

import secrets
import sqlite3
from dataclasses import astuple, dataclass
from datetime import UTC, datetime

from . import baskets, mail
from .database import transaction
from .pricing import Line, Quote

FIRST_NUMBER = 2400


@dataclass(frozen=True)
class Address:
    name: str
    line1: str
    line2: str
    city: str
    region: str
    postcode: str
    country: str


# Checkout asks for the address, so an order has none until it is paid.
NOWHERE = Address("", "", "", "", "", "", "")


@dataclass(frozen=True)
class Payment:
    """What Stripe says was paid, by whom, and where the box goes."""

    reference: str
    email: str
    address: Address
    currency: str
    subtotal: int
    discount: int
    shipping: int
    total: int


@dataclass(frozen=True)
class Order:
    id: int
    number: str
    status: str
    basket: str
    receipt_token: str
    email: str
    currency: str
    subtotal: int
    discount: int
    discount_code: str | None
    shipping: int
    total: int
    address: Address
    note: str
    payment_reference: str | None
    created_at: str
    paid_at: str | None
    lines: tuple[Line, ...]


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def write_down(
    connection: sqlite3.Connection,
    *,
    basket: str,
    quote: Quote,
    currency: str,
    note: str,
) -> Order:
    """A pending order that copies the basket as it stands; later changes of the basket do not touch it."""
    with transaction(connection):
        cursor = connection.execute(
            "INSERT INTO orders (status, basket, receipt_token, email, currency, subtotal, discount,"
            " discount_code, shipping, total, ship_name, ship_line1, ship_line2, ship_city, ship_region,"
            " ship_postcode, ship_country, note, created_at)"
            " VALUES ('pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                basket,
                secrets.token_urlsafe(16),
                "",
                currency,
                quote.subtotal,
                quote.discount,
                quote.code,
                quote.shipping,
                quote.total,
                *astuple(NOWHERE),
                note,
                now(),
            ),
        )
        order_id = cursor.lastrowid
        connection.execute(
            "UPDATE orders SET number = ? WHERE id = ?", (f"LB-{FIRST_NUMBER + order_id}", order_id)
        )
        connection.executemany(
            "INSERT INTO order_lines (order_id, sku, name, unit_amount, quantity) VALUES (?, ?, ?, ?, ?)",
            [(order_id, line.sku, line.name, line.unit_amount, line.quantity) for line in quote.lines],
        )
    return _one(connection, "id", order_id)


def set_checkout_session(connection: sqlite3.Connection, order: Order, session: str) -> None:
    """Remember in which Checkout Session this order is paid for."""
    connection.execute("UPDATE orders SET checkout_session = ? WHERE id = ?", (session, order.id))


def mark_paid(connection: sqlite3.Connection, order: Order, payment: Payment) -> bool:
    """The money is there: copy what Stripe knows, take the goods off the shelf, queue the mail, empty the basket.

    Safe to call again, and from two requests at once: only the first call does anything and
    answers True.
    """
    with transaction(connection):
        changed = connection.execute(
            "UPDATE orders SET status = 'paid', paid_at = ?, payment_reference = ?, email = ?, currency = ?,"
            " subtotal = ?, discount = ?, shipping = ?, total = ?,"
            " discount_code = CASE WHEN ? THEN discount_code END,"
            " ship_name = ?, ship_line1 = ?, ship_line2 = ?, ship_city = ?, ship_region = ?,"
            " ship_postcode = ?, ship_country = ?"
            " WHERE id = ? AND status = 'pending'",
            (
                now(),
                payment.reference,
                payment.email,
                payment.currency,
                payment.subtotal,
                payment.discount,
                payment.shipping,
                payment.total,
                payment.discount,
                *astuple(payment.address),
                order.id,
            ),
        ).rowcount
        if not changed:
            return False
        for line in order.lines:
            connection.execute(
                "UPDATE products SET stock = MAX(0, stock - ?) WHERE sku = ?", (line.quantity, line.sku)
            )
        paid = _one(connection, "id", order.id)
        mail.queue_confirmation(connection, paid)
        baskets.empty(connection, order.basket)
    return True


def mark_refunded(connection: sqlite3.Connection, order: Order) -> None:
    connection.execute("UPDATE orders SET status = 'refunded' WHERE id = ?", (order.id,))


def by_checkout_session(connection: sqlite3.Connection, session: str) -> Order | None:
    return _one(connection, "checkout_session", session)


def by_number(connection: sqlite3.Connection, number: str) -> Order | None:
    return _one(connection, "number", number)


def by_receipt(connection: sqlite3.Connection, token: str) -> Order | None:
    return _one(connection, "receipt_token", token)


def kept(connection: sqlite3.Connection) -> list[Order]:
    """Every order that was paid for, refunded ones too, oldest first."""
    rows = connection.execute("SELECT * FROM orders WHERE status <> 'pending' ORDER BY id").fetchall()
    return [_order(connection, row) for row in rows]


def _one(connection: sqlite3.Connection, column: str, value: object) -> Order | None:
    row = connection.execute(f"SELECT * FROM orders WHERE {column} = ?", (value,)).fetchone()
    return _order(connection, row) if row else None


def _order(connection: sqlite3.Connection, row: sqlite3.Row) -> Order:
    lines = connection.execute(
        "SELECT sku, name, unit_amount, quantity FROM order_lines WHERE order_id = ? ORDER BY rowid",
        (row["id"],),
    )
    return Order(
        id=row["id"],
        number=row["number"],
        status=row["status"],
        basket=row["basket"],
        receipt_token=row["receipt_token"],
        email=row["email"],
        currency=row["currency"],
        subtotal=row["subtotal"],
        discount=row["discount"],
        discount_code=row["discount_code"],
        shipping=row["shipping"],
        total=row["total"],
        address=Address(
            name=row["ship_name"],
            line1=row["ship_line1"],
            line2=row["ship_line2"],
            city=row["ship_city"],
            region=row["ship_region"],
            postcode=row["ship_postcode"],
            country=row["ship_country"],
        ),
        note=row["note"],
        payment_reference=row["payment_reference"],
        created_at=row["created_at"],
        paid_at=row["paid_at"],
        lines=tuple(Line(*line) for line in lines),
    )
