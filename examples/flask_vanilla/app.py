"""A seed shop with Flask and plain JavaScript: the Payment Element on the page, the truth from a signed webhook."""

from __future__ import annotations

import os
from typing import Any

import stripe
from flask import Flask, abort, jsonify, render_template, request
from flask.typing import ResponseReturnValue

base: Any = {"api": os.environ["STRIPE_API_BASE"]} if "STRIPE_API_BASE" in os.environ else {}
client = stripe.StripeClient(os.environ["STRIPE_SECRET_KEY"], base_addresses=base)
PRICES = {"beans": 450, "peas": 390}
orders: dict[str, str] = {}
app = Flask(__name__, template_folder=".", static_folder=".", static_url_path="/static")


@app.get("/")
def shop() -> str:
    """The shop's only page."""
    return render_template(
        "page.html",
        key=os.environ["STRIPE_PUBLISHABLE_KEY"],
        prices=PRICES,
        scripts=os.environ.get("STRIPE_JS_BASE", "https://js.stripe.com"),
    )


@app.post("/pay/<item>")
def pay(item: str) -> ResponseReturnValue:
    """A PaymentIntent for an item. The price comes from here, never from the browser."""
    if item not in PRICES:
        abort(404)
    intent = client.v1.payment_intents.create(
        {
            "amount": PRICES[item],
            "currency": "eur",
            "automatic_payment_methods": {"enabled": True},
            "metadata": {"item": item},
        }
    )
    orders[intent.id] = "waiting"
    return jsonify(client_secret=intent.client_secret)


@app.get("/thanks")
def thanks() -> str:
    """Where the customer comes back to; what happened is asked of Stripe, not of the address."""
    intent = client.v1.payment_intents.retrieve(request.args["payment_intent"])
    return render_template("thanks.html", status=intent.status, item=intent.metadata["item"])


@app.post("/webhook")
def webhook() -> ResponseReturnValue:
    """Only what Stripe signed is believed."""
    try:
        event = stripe.Webhook.construct_event(
            request.data, request.headers.get("Stripe-Signature", ""), app.config["SECRET"]
        )
    except (ValueError, stripe.SignatureVerificationError):
        abort(400)
    if event.type == "payment_intent.succeeded":
        orders[event.data.object["id"]] = "paid"
    return jsonify(received=True)


@app.get("/orders")
def all_orders() -> ResponseReturnValue:
    """What was ordered and whether it is paid."""
    return jsonify(orders)


if __name__ == "__main__":
    from werkzeug.serving import make_server

    server = make_server("127.0.0.1", int(os.environ.get("PORT", "4242")), app, threaded=True)
    address = f"http://127.0.0.1:{server.port}"
    hook = client.v1.webhook_endpoints.create(
        {"url": f"{address}/webhook", "enabled_events": ["payment_intent.succeeded"]}
    )
    app.config["SECRET"] = hook.secret
    print(f"open {address}", flush=True)
    server.serve_forever()
