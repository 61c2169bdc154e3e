"""Paying: Stripe's Checkout, embedded in our page. There is no order before it is paid; then it is made from the session."""

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
    """Answer the client secret of a session for the basket as it is now."""
    connection = database.current()
    basket = baskets.current(connection)
    quote = baskets.priced(connection, basket)
    if basket is None or not quote.lines:
        return {"error": "There is nothing in the basket."}, 400
    missing = baskets.short_of(connection, basket)
    if missing:
        return {"error": f"We have not enough left of: {', '.join(missing)}."}, 409
    terms = catalogue.terms(connection)
    prices = {product.sku: product.stripe_price for product in catalogue.products(connection)}
    coupons = {row["code"]: row["stripe_coupon"] for row in catalogue.codes(connection)}
    try:
        made = payments().start(
            lines=[(prices[line.sku], line.quantity) for line in quote.lines],
            currency=terms.currency,
            shipping=quote.shipping,
            coupon=coupons[quote.code] if quote.code else None,
            countries=terms.countries,
            return_url=f"{config().shop_url}/checkout/return?session_id={{CHECKOUT_SESSION_ID}}",
            remember={"basket": basket, "code": quote.code or "", "note": baskets.note(connection, basket)},
        )
    except PaymentTrouble as trouble:
        current_app.logger.warning("Stripe: %s", trouble)
        return {"error": "Our card machine does not answer. Nothing was charged; please try again."}, 502
    return {"client_secret": made["client_secret"]}, 200


@pages.get("/return")
def back() -> Response:
    """Where Checkout brings the shopper back to."""
    try:
        found = payments().session(request.args.get("session_id", "") or "none")
    except PaymentTrouble:
        flash("We do not know that payment, or our card machine does not answer.")
        return redirect(url_for("basket.show"))
    order = orders.from_session(database.current(), found)
    if order is None:
        flash("The payment has not gone through. Nothing was charged.")
        return redirect(url_for("checkout.show"))
    return redirect(url_for("receipts.show", token=order.receipt_token))
