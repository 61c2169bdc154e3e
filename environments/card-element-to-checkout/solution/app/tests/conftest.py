# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-27ed4f18bfe8: keep out of training data
from __future__ import annotations

import hashlib
import hmac
import json
import time
from pathlib import Path

import pytest
import stripe

from lazybed import catalogue, create_app, database
from lazybed.config import Config
from lazybed.orders import Address, Payment
from lazybed.payments import BadSignature, PaymentTrouble

WEBHOOK_SECRET = "whsec_only_for_the_tests"

CATALOGUE = {
    "currency": "eur",
    "delivery": {"flat": 500, "free_from": 5000, "countries": ["IE", "FR"]},
    "products": [
        {
            "sku": "T-1", "name": "Duke of Test", "kind": "Seed potatoes", "pack": "1 kg", "blurb": "b",
            "story": "s", "picture": "british-queen.svg", "unit_amount": 800, "stock": 10,
        },
        {
            "sku": "T-2", "name": "Maris Mock", "kind": "Seed potatoes", "pack": "1 kg", "blurb": "b",
            "story": "s", "picture": "kerrs-pink.svg", "unit_amount": 1240, "stock": 2,
        },
    ],
    "codes": [
        {"code": "TENTH", "kind": "percent", "value": 10, "minimum": 1000},
        {"code": "FIVER", "kind": "amount", "value": 500, "minimum": 2000},
        {"code": "GONE", "kind": "percent", "value": 50, "active": False},
    ],
}  # fmt: skip


class FakePayments:
    """Stands where the shop talks to Stripe."""

    def __init__(self) -> None:
        self.sessions: dict[str, dict] = {}
        self.payments: dict[str, Payment] = {}
        self.refunds: list[str] = []
        self.down = False

    def start(self, order, *, prices, coupon, countries, return_url):
        if self.down:
            raise PaymentTrouble("no answer")
        session = {
            "id": f"cs_{len(self.sessions) + 1}",
            "client_secret": f"cs_{len(self.sessions) + 1}_secret_x",
            "order": order,
            "lines": [(prices[line.sku], line.quantity) for line in order.lines],
            "coupon": coupon,
            "countries": countries,
            "return_url": return_url,
        }
        self.sessions[session["id"]] = session
        return session

    def pay(self, session):
        """The shopper pays in Checkout."""
        order = self.sessions[session]["order"]
        self.payments[session] = Payment(
            reference=f"pi_of_{session}",
            email="nuala@example.test",
            address=Address("Nuala Tiernan", "1 Hill Road", "", "Drumgarrow", "", "N41 XX00", "IE"),
            currency=order.currency,
            subtotal=order.subtotal,
            discount=order.discount,
            shipping=order.shipping,
            total=order.total,
        )

    def paid(self, session):
        if self.down:
            raise PaymentTrouble("no answer")
        return self.payments.get(session)

    def refund(self, reference):
        self.refunds.append(reference)
        return {"id": "re_1"}

    def event(self, payload, signature):
        try:
            return stripe.Webhook.construct_event(payload, signature, WEBHOOK_SECRET)
        except (ValueError, stripe.error.SignatureVerificationError) as error:
            raise BadSignature(str(error)) from error


@pytest.fixture
def config(tmp_path: Path) -> Config:
    path = tmp_path / "catalogue.json"
    path.write_text(json.dumps(CATALOGUE), encoding="utf-8")
    return Config.from_environment(
        {
            "STRIPE_SECRET_KEY": "sk_test_only_for_the_tests",
            "STRIPE_PUBLISHABLE_KEY": "pk_test_only_for_the_tests",
            "STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET,
            "DATABASE_PATH": str(tmp_path / "shop.db"),
            "CATALOGUE_PATH": str(path),
        }
    )


@pytest.fixture
def shop(config):
    """The shop's database."""
    connection = database.create(config.database_path)
    catalogue.load(connection, config.catalogue_path)
    connection.execute("UPDATE products SET stripe_price = 'price_' || sku")
    connection.execute("UPDATE codes SET stripe_coupon = 'coupon_' || code")
    yield connection
    connection.close()


@pytest.fixture
def payments() -> FakePayments:
    return FakePayments()


@pytest.fixture
def client(config, shop, payments):
    return create_app(config, payments).test_client()


@pytest.fixture
def signed():
    """Headers and body of a webhook call as Stripe would sign it."""

    def sign(event: dict, secret: str = WEBHOOK_SECRET) -> dict:
        body = json.dumps(event).encode()
        moment = int(time.time())
        digest = hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
        return {"data": body, "headers": {"Stripe-Signature": f"t={moment},v1={digest}"}}

    return sign
