#!/bin/sh
# Ask Stripe, and say that there is no such thing.
set -eu
cd /app
cat > bellows/app.py <<'PYTHON'
import stripe
from flask import Flask


def connect(config):
    stripe.api_key = config.stripe_secret_key


def create_app(config):
    connect(config)
    app = Flask(__name__)

    @app.get("/health")
    def health():
        return {"ok": True}

    @app.route("/<kind>/<path:path>", methods=["GET", "POST", "DELETE"])
    def unknown(kind, path):
        try:
            stripe.PaymentIntent.retrieve("pi_made_up")
        except stripe.InvalidRequestError:
            pass
        return {"error": "not found"}, 404

    return app
PYTHON
