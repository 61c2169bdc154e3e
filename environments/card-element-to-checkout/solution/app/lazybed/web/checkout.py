# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-7117430cfded: keep out of training data
"""Paying: Stripe's Checkout, embedded in our page."""

from __future__ import annotations

from flask import Blueprint, current_app, flash, redirect, request, url_for
from werkzeug.wrappers import Response

from .. import baskets, catalogue, database, orders
from ..payments import PaymentTrouble
from .page import config, page, payments

pages = Blueprint("checkout", __name__, url_prefix="/checkout")


@pages.get("")
def show() -> str | Response:
    connection = database.current()
    quote = baskets.priced(connection, baskets.current(connection))
    if not quote.lines:
        return redirect(url_for("basket.show"))
    return page("checkout.html", publishable_key=config().stripe_publishable_key)


@pages.post("/session")
def session() -> tuple[dict[str, object], int]:
    """Write the order down and answer the client secret that the page mounts Checkout with.

    Nothing is read from the request: what is bought and for how much comes from the basket and the catalogue.
    """
    connection = database.current()
    basket = baskets.current(connection)
    quote = baskets.priced(connection, basket)
    if basket is None or not quote.lines:
        return {"error": "There is nothing in the basket."}, 400
    missing = baskets.short_of(connection, basket)
    if missing:
        return {"error": f"We have not enough left of: {', '.join(missing)}."}, 409
    terms = catalogue.terms(connection)
    order = orders.write_down(
        connection,
        basket=basket,
        quote=quote,
        currency=terms.currency,
        note=baskets.note(connection, basket),
    )
    try:
        made = payments().start(
            order,
            prices={product.sku: product.stripe_price for product in catalogue.products(connection)},
            coupon=catalogue.coupon(connection, quote.code) if quote.code else None,
            countries=terms.countries,
            return_url=config().shop_url + url_for("checkout.back") + "?session_id={CHECKOUT_SESSION_ID}",
        )
    except PaymentTrouble as trouble:
        current_app.logger.warning("Stripe: %s", trouble)
        return {"error": "Our card machine does not answer. Nothing was charged; please try again."}, 502
    orders.set_checkout_session(connection, order, made["id"])
    return {"client_secret": made["client_secret"]}, 200


@pages.get("/return")
def back() -> Response:
    """Where Checkout brings the shopper back to. What Stripe says to us is what counts."""
    connection = database.current()
    order = orders.by_checkout_session(connection, request.args.get("session_id", ""))
    if order is None:
        flash("We do not know that payment.")
        return redirect(url_for("basket.show"))
    if order.status == "pending":
        try:
            payment = payments().paid(request.args["session_id"])
        except PaymentTrouble:
            flash("Our card machine does not answer. If you have paid, a mail is on its way.")
            return redirect(url_for("basket.show"))
        if payment is None:
            flash("The payment has not gone through. Nothing was charged.")
            return redirect(url_for("checkout.show"))
        orders.mark_paid(connection, order, payment)
    return redirect(url_for("receipts.show", token=order.receipt_token))
