"""Paying: delivery address and card on one page, Stripe's Card Element for the card."""

from __future__ import annotations

import re

from flask import Blueprint, current_app, flash, redirect, request, url_for
from werkzeug.wrappers import Response

from .. import baskets, catalogue, countries, database, orders
from ..payments import PaymentTrouble
from .page import config, page, payments

pages = Blueprint("checkout", __name__, url_prefix="/checkout")

EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


@pages.get("")
def show() -> str | Response:
    connection = database.current()
    quote = baskets.priced(connection, baskets.current(connection))
    if not quote.lines:
        return redirect(url_for("basket.show"))
    terms = catalogue.terms(connection)
    return page(
        "checkout.html",
        quote=quote,
        countries=[(code, countries.name(code)) for code in terms.countries],
        publishable_key=config().stripe_publishable_key,
    )


@pages.post("/payment-intent")
def payment_intent() -> tuple[dict[str, object], int]:
    """Write the order down and answer the client secret the page pays with.

    Only the e-mail and the address come from the page; what is bought and for how much comes from
    the basket and the catalogue.
    """
    connection = database.current()
    basket = baskets.current(connection)
    quote = baskets.priced(connection, basket)
    form = request.get_json(silent=True)
    if not isinstance(form, dict):
        return {"error": "Send the e-mail and the delivery address as JSON."}, 400
    if basket is None or not quote.lines:
        return {"error": "There is nothing in the basket."}, 400
    missing = baskets.short_of(connection, basket)
    if missing:
        return {"error": f"We have not enough left of: {', '.join(missing)}."}, 409
    terms = catalogue.terms(connection)
    email = form.get("email")
    if not isinstance(email, str) or not EMAIL.fullmatch(email.strip()):
        return {"error": "We need an e-mail address for the receipt."}, 400
    try:
        address = orders.address_from_form(form, terms.countries)
    except orders.OrderError as error:
        return {"error": str(error)}, 400
    order = orders.write_down(
        connection,
        basket=basket,
        quote=quote,
        currency=terms.currency,
        email=email.strip(),
        address=address,
        note=baskets.note(connection, basket),
    )
    try:
        intent = payments().start(order)
    except PaymentTrouble as trouble:
        current_app.logger.warning("Stripe: %s", trouble)
        return {"error": "Our card machine does not answer. Nothing was charged; please try again."}, 502
    orders.set_payment(connection, order, intent["id"])
    return {"client_secret": intent["client_secret"]}, 200


@pages.get("/complete")
def complete() -> Response:
    """Where the page goes once Stripe has said yes. What Stripe says to us is what counts."""
    connection = database.current()
    order = orders.by_payment(connection, request.args.get("payment_intent", ""))
    if order is None:
        flash("We do not know that payment.")
        return redirect(url_for("basket.show"))
    if order.status == "pending":
        try:
            intent = payments().find(order.payment_reference)
        except PaymentTrouble:
            flash("Our card machine does not answer. If you have paid, a mail is on its way.")
            return redirect(url_for("basket.show"))
        if intent["status"] != "succeeded":
            flash("The payment has not gone through. Nothing was charged.")
            return redirect(url_for("checkout.show"))
        orders.mark_paid(connection, order)
    return redirect(url_for("receipts.show", token=order.receipt_token))
