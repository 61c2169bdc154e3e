"""A shopper's basket: lines, one discount code, a note for the packing shed.

A basket lives in the database; the shopper's cookie holds nothing but its id.
"""

from __future__ import annotations

import secrets
import sqlite3

from flask import session

from . import catalogue
from .pricing import Line, Quote, quote

MOST_OF_ONE = 20
LONGEST_NOTE = 280


def current(connection: sqlite3.Connection, make: bool = False) -> str | None:
    """The id of this shopper's basket. With `make`, one is made when there is none."""
    basket = session.get("basket")
    if basket and connection.execute("SELECT 1 FROM baskets WHERE id = ?", (basket,)).fetchone():
        return basket
    if not make:
        return None
    basket = secrets.token_urlsafe(12)
    connection.execute("INSERT INTO baskets (id) VALUES (?)", (basket,))
    session["basket"] = basket
    return basket


def add(connection: sqlite3.Connection, basket: str, sku: str, quantity: int) -> None:
    had = connection.execute(
        "SELECT quantity FROM basket_lines WHERE basket = ? AND sku = ?", (basket, sku)
    ).fetchone()
    set_quantity(connection, basket, sku, quantity + (had["quantity"] if had else 0))


def set_quantity(connection: sqlite3.Connection, basket: str, sku: str, quantity: int) -> None:
    """Nought or less takes the line out; more than `MOST_OF_ONE` is cut to that."""
    if quantity <= 0:
        connection.execute("DELETE FROM basket_lines WHERE basket = ? AND sku = ?", (basket, sku))
        return
    connection.execute(
        "INSERT INTO basket_lines (basket, sku, quantity) VALUES (?, ?, ?)"
        " ON CONFLICT (basket, sku) DO UPDATE SET quantity = excluded.quantity",
        (basket, sku, min(quantity, MOST_OF_ONE)),
    )


def set_code(connection: sqlite3.Connection, basket: str, code: str | None) -> None:
    connection.execute("UPDATE baskets SET code = ? WHERE id = ?", (code, basket))


def set_note(connection: sqlite3.Connection, basket: str, note: str) -> None:
    connection.execute("UPDATE baskets SET note = ? WHERE id = ?", (note.strip()[:LONGEST_NOTE], basket))


def note(connection: sqlite3.Connection, basket: str | None) -> str:
    row = connection.execute("SELECT note FROM baskets WHERE id = ?", (basket,)).fetchone()
    return row["note"] if row else ""


def code(connection: sqlite3.Connection, basket: str | None) -> str | None:
    """The code the shopper gave, whether or not it applies to the basket as it stands."""
    row = connection.execute("SELECT code FROM baskets WHERE id = ?", (basket,)).fetchone()
    return row["code"] if row else None


def priced(connection: sqlite3.Connection, basket: str | None) -> Quote:
    """The basket at today's prices."""
    rows = connection.execute(
        "SELECT p.sku, p.name, p.unit_amount, l.quantity FROM basket_lines l JOIN products p USING (sku)"
        " WHERE l.basket = ? ORDER BY p.position",
        (basket,),
    )
    lines = [Line(row["sku"], row["name"], row["unit_amount"], row["quantity"]) for row in rows]
    given = code(connection, basket)
    return quote(
        lines,
        catalogue.terms(connection).delivery,
        catalogue.code(connection, given) if given else None,
    )


def short_of(connection: sqlite3.Connection, basket: str | None) -> list[str]:
    """Names of the products of which the basket holds more than the shed does."""
    rows = connection.execute(
        "SELECT p.name FROM basket_lines l JOIN products p USING (sku)"
        " WHERE l.basket = ? AND l.quantity > p.stock ORDER BY p.position",
        (basket,),
    )
    return [row["name"] for row in rows]


def empty(connection: sqlite3.Connection, basket: str) -> None:
    """Take out the lines, the code and the note; the shopper keeps the basket itself."""
    connection.execute("DELETE FROM basket_lines WHERE basket = ?", (basket,))
    connection.execute("UPDATE baskets SET code = NULL, note = '' WHERE id = ?", (basket,))


def count(connection: sqlite3.Connection, basket: str | None) -> int:
    row = connection.execute(
        "SELECT COALESCE(SUM(quantity), 0) AS pieces FROM basket_lines WHERE basket = ?", (basket,)
    ).fetchone()
    return row["pieces"]
