"""The basket page and the forms on it."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, request, url_for
from werkzeug.wrappers import Response

from .. import baskets, catalogue, database
from ..money import display
from ..pricing import applies
from .page import page

pages = Blueprint("basket", __name__, url_prefix="/basket")


@pages.get("")
def show() -> str:
    connection = database.current()
    basket = baskets.current(connection)
    return page(
        "basket.html",
        quote=baskets.priced(connection, basket),
        given_code=baskets.code(connection, basket),
        note=baskets.note(connection, basket),
        products={product.sku: product for product in catalogue.products(connection)},
        most=baskets.MOST_OF_ONE,
        longest_note=baskets.LONGEST_NOTE,
    )


@pages.post("/add")
def add() -> Response:
    connection = database.current()
    product = catalogue.product(connection, request.form.get("sku", ""))
    if product is None:
        flash("We do not grow that one.")
    else:
        baskets.add(connection, baskets.current(connection, make=True), product.sku, _quantity())
    return redirect(url_for("basket.show"))


@pages.post("/quantity")
def quantity() -> Response:
    connection = database.current()
    product = catalogue.product(connection, request.form.get("sku", ""))
    if product is not None:
        baskets.set_quantity(connection, baskets.current(connection, make=True), product.sku, _quantity())
    return redirect(url_for("basket.show"))


@pages.post("/code")
def code() -> Response:
    """Put a discount code in, or with an empty field take it out."""
    connection = database.current()
    basket = baskets.current(connection, make=True)
    typed = request.form.get("code", "")
    found = catalogue.code(connection, typed)
    subtotal = baskets.priced(connection, basket).subtotal
    if not typed.strip():
        baskets.set_code(connection, basket, None)
    elif found is None or not found.active:
        flash(f"The code {typed.strip()[:40]} is not one of ours, or its season is over.")
    elif not applies(found, subtotal):
        currency = catalogue.terms(connection).currency
        flash(f"{found.code} is good from {display(found.minimum, currency)} worth of goods.")
    else:
        baskets.set_code(connection, basket, found.code)
    return redirect(url_for("basket.show"))


@pages.post("/note")
def note() -> Response:
    connection = database.current()
    baskets.set_note(connection, baskets.current(connection, make=True), request.form.get("note", ""))
    return redirect(url_for("basket.show"))


def _quantity() -> int:
    text = request.form.get("quantity", "1").strip()
    return int(text) if text.isdigit() and len(text) < 6 else 0
