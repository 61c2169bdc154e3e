"""Orders: written down when the money is there, from what Stripe was paid for."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from datetime import UTC, datetime

from . import baskets, mail
from .database import transaction
from .pricing import Line

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


def from_session(connection: sqlite3.Connection, session: Mapping) -> Order | None:
    """The order of a Checkout Session: made the first time a paid session is seen, and the same one ever after.

    None when the session is not paid.
    """
    if session["payment_status"] != "paid":
        return None
    reference = session["payment_intent"]
    with transaction(connection):
        if by_payment(connection, reference) is None:
            _make(connection, session, reference)
    return by_payment(connection, reference)


def _make(connection: sqlite3.Connection, session: Mapping, reference: str) -> None:
    details, memory = session["total_details"], session["metadata"]
    delivery = session["shipping_details"]
    place = delivery["address"]
    address = Address(
        name=delivery["name"],
        line1=place["line1"] or "",
        line2=place["line2"] or "",
        city=place["city"] or "",
        region=place["state"] or "",
        postcode=place["postal_code"] or "",
        country=place["country"],
    )
    moment = now()
    cursor = connection.execute(
        "INSERT INTO orders (status, basket, receipt_token, email, currency, subtotal, discount, discount_code,"
        " shipping, total, ship_name, ship_line1, ship_line2, ship_city, ship_region, ship_postcode, ship_country,"
        " note, payment_reference, created_at, paid_at)"
        " VALUES ('paid', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            memory["basket"],
            secrets.token_urlsafe(16),
            session["customer_details"]["email"],
            session["currency"],
            session["amount_subtotal"],
            details["amount_discount"],
            memory["code"] if details["amount_discount"] else None,
            details["amount_shipping"],
            session["amount_total"],
            *astuple(address),
            memory.get("note", ""),
            reference,
            moment,
            moment,
        ),
    )
    order_id = cursor.lastrowid
    connection.execute(
        "UPDATE orders SET number = ? WHERE id = ?", (f"LB-{FIRST_NUMBER + order_id}", order_id)
    )
    for line in session["line_items"]["data"]:
        price = line["price"]
        product = connection.execute(
            "SELECT sku, name FROM products WHERE stripe_product = ?", (price["product"],)
        ).fetchone()
        connection.execute(
            "INSERT INTO order_lines (order_id, sku, name, unit_amount, quantity) VALUES (?, ?, ?, ?, ?)",
            (order_id, product["sku"], product["name"], price["unit_amount"], line["quantity"]),
        )
        connection.execute(
            "UPDATE products SET stock = MAX(0, stock - ?) WHERE sku = ?", (line["quantity"], product["sku"])
        )
    mail.queue_confirmation(connection, _one(connection, "id", order_id))
    baskets.empty(connection, memory["basket"])


def mark_refunded(connection: sqlite3.Connection, order: Order) -> None:
    connection.execute("UPDATE orders SET status = 'refunded' WHERE id = ?", (order.id,))


def by_payment(connection: sqlite3.Connection, reference: str) -> Order | None:
    return _one(connection, "payment_reference", reference)


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
