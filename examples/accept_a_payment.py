"""A shop's server: `POST /pay` makes a PaymentIntent, the browser confirms it, the webhook marks the order paid."""

from __future__ import annotations

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import stripe

base: Any = {"api": os.environ["STRIPE_API_BASE"]} if "STRIPE_API_BASE" in os.environ else {}
client = stripe.StripeClient(os.environ["STRIPE_SECRET_KEY"], base_addresses=base)
PRICES = {"mug": 1500, "poster": 900}
orders: dict[str, str] = {}
secret = ""


class Shop(BaseHTTPRequestHandler):
    """`POST /pay {"item"}`, `POST /webhook`, `GET /orders`."""

    def do_GET(self) -> None:
        self.answer(200, orders)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/webhook":
            self.webhook(body)
        else:
            self.pay(json.loads(body)["item"])

    def pay(self, item: str) -> None:
        """The price comes from the server, never from the browser."""
        if item not in PRICES:
            self.answer(404, {"error": f"there is no {item}"})
            return
        intent = client.v1.payment_intents.create(
            {
                "amount": PRICES[item],
                "currency": "usd",
                "automatic_payment_methods": {"enabled": True},
                "metadata": {"item": item},
            }
        )
        orders[intent.id] = "waiting"
        self.answer(200, {"client_secret": intent.client_secret})

    def webhook(self, body: bytes) -> None:
        """Only what Stripe signed is believed."""
        try:
            event = client.construct_event(body, self.headers["Stripe-Signature"], secret)
        except stripe.SignatureVerificationError:
            self.answer(400, {"error": "wrong signature"})
            return
        if event.type == "payment_intent.succeeded":
            orders[event.data.object["id"]] = "paid"
        self.answer(200, {})

    def answer(self, status: int, body: Any) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *words: Any) -> None:
        """Quiet."""


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), Shop)
address = f"http://127.0.0.1:{server.server_port}"
endpoint = client.v1.webhook_endpoints.create(
    {"url": f"{address}/webhook", "enabled_events": ["payment_intent.succeeded"]}
)
secret = endpoint.secret or ""
print(f"the shop is open at {address}", flush=True)
server.serve_forever()
