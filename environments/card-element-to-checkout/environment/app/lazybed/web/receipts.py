"""The receipt: what was bought, for how much, and where it goes."""

from __future__ import annotations

from flask import Blueprint, abort

from .. import countries, database, orders
from .page import page

pages = Blueprint("receipts", __name__)


@pages.get("/receipt/<token>")
def show(token: str) -> str:
    order = orders.by_receipt(database.current(), token)
    if order is None or order.status == "pending":
        abort(404)
    return page("receipt.html", order=order, country=countries.name(order.address.country))
