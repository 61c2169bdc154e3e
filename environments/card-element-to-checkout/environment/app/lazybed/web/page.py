"""What every page shows: the frame, and the number of things in the basket."""

from __future__ import annotations

from flask import current_app, render_template

from .. import baskets, catalogue, database
from ..config import Config
from ..payments import Payments


def page(template: str, **context: object) -> str:
    connection = database.current()
    terms = catalogue.terms(connection)
    return render_template(
        template,
        basket_count=baskets.count(connection, baskets.current(connection)),
        terms=terms,
        currency=terms.currency,
        **context,
    )


def config() -> Config:
    return current_app.extensions["lazybed.config"]


def payments() -> Payments:
    return current_app.extensions["lazybed.payments"]
