# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-f614e0a2f3b9: keep out of training data
"""Products, discount codes and delivery terms: one JSON file, loaded into the database.

The database is what the shop sells from. Nothing else in the shop reads the file.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from .pricing import Code, Delivery


class CatalogueError(Exception):
    """The catalogue file cannot be used; the message says why."""


@dataclass(frozen=True)
class Product:
    sku: str
    name: str
    kind: str
    pack: str
    blurb: str
    story: str
    picture: str
    unit_amount: int
    stock: int
    stripe_product: str | None
    stripe_price: str | None


@dataclass(frozen=True)
class Terms:
    currency: str
    delivery: Delivery
    countries: tuple[str, ...]


def load(connection: sqlite3.Connection, path: Path) -> None:
    """Fill an empty shop from the catalogue file."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        settings = {
            "currency": document["currency"],
            "delivery_flat": str(document["delivery"]["flat"]),
            "delivery_free_from": str(document["delivery"]["free_from"]),
            "countries": " ".join(document["delivery"]["countries"]),
        }
        products = [{**entry, "position": index} for index, entry in enumerate(document["products"])]
        codes = [{"minimum": 0, "active": True, **entry} for entry in document["codes"]]
    except OSError as error:
        raise CatalogueError(f"cannot read the catalogue {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise CatalogueError(f"the catalogue {path} is not usable: {error!r}") from error
    connection.executemany("INSERT INTO settings (name, value) VALUES (?, ?)", sorted(settings.items()))
    connection.executemany(
        "INSERT INTO products (sku, position, name, kind, pack, blurb, story, picture, unit_amount, stock)"
        " VALUES (:sku, :position, :name, :kind, :pack, :blurb, :story, :picture, :unit_amount, :stock)",
        products,
    )
    connection.executemany(
        "INSERT INTO codes (code, kind, value, minimum, active)"
        " VALUES (:code, :kind, :value, :minimum, :active)",
        codes,
    )


def products(connection: sqlite3.Connection) -> list[Product]:
    return [_product(row) for row in connection.execute("SELECT * FROM products ORDER BY position")]


def product(connection: sqlite3.Connection, sku: str) -> Product | None:
    row = connection.execute("SELECT * FROM products WHERE sku = ?", (sku,)).fetchone()
    return _product(row) if row else None


def code(connection: sqlite3.Connection, text: str) -> Code | None:
    """The code a shopper typed; capitals and blanks around it do not matter."""
    row = connection.execute("SELECT * FROM codes WHERE code = ?", (text.strip().upper(),)).fetchone()
    if row is None:
        return None
    return Code(row["code"], row["kind"], row["value"], row["minimum"], bool(row["active"]))


def coupon(connection: sqlite3.Connection, code: str) -> str | None:
    """The Stripe coupon that a code stands for."""
    row = connection.execute("SELECT stripe_coupon FROM codes WHERE code = ?", (code,)).fetchone()
    return row["stripe_coupon"] if row else None


def codes(connection: sqlite3.Connection) -> list[sqlite3.Row]:
    return connection.execute("SELECT * FROM codes ORDER BY code").fetchall()


def terms(connection: sqlite3.Connection) -> Terms:
    rows = connection.execute("SELECT name, value FROM settings").fetchall()
    settings = {row["name"]: row["value"] for row in rows}
    return Terms(
        currency=settings["currency"],
        delivery=Delivery(int(settings["delivery_flat"]), int(settings["delivery_free_from"])),
        countries=tuple(settings["countries"].split()),
    )


def _product(row: sqlite3.Row) -> Product:
    return Product(
        sku=row["sku"],
        name=row["name"],
        kind=row["kind"],
        pack=row["pack"],
        blurb=row["blurb"],
        story=row["story"],
        picture=row["picture"],
        unit_amount=row["unit_amount"],
        stock=row["stock"],
        stripe_product=row["stripe_product"],
        stripe_price=row["stripe_price"],
    )
