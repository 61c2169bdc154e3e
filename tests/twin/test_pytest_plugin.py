"""The pytest plugin, used as a user would."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
import stripe

from trialbalance.twin.pytest_plugin import StripeTwin


def test_the_sdk_is_pointed_at_the_twin(stripe_twin: StripeTwin) -> None:
    made = stripe.Customer.create(email="a@example.test")
    assert stripe_twin.client.v1.customers.retrieve(made.id).email == "a@example.test"
    assert [e["type"] for e in stripe_twin.events()] == ["customer.created"]


def test_every_test_gets_a_fresh_twin(stripe_twin: StripeTwin) -> None:
    assert stripe.Customer.list().data == []


@pytest.mark.stripe_twin(api_version="2024-06-20", seed=7)
def test_settings_by_marker(stripe_twin: StripeTwin) -> None:
    assert stripe_twin.twin.config.default_version == "2024-06-20"


def test_snapshot_and_restore(stripe_twin: StripeTwin) -> None:
    before = stripe_twin.snapshot()
    stripe.Customer.create()
    stripe_twin.restore(before)
    assert stripe.Customer.list().data == []


def test_faults(stripe_twin: StripeTwin) -> None:
    stripe_twin.faults({"fault": "rate_limit", "count": 1})
    with pytest.raises(stripe.RateLimitError):
        stripe.Customer.create()
    stripe.Customer.create()


def test_webhooks_arrive_signed(stripe_twin: StripeTwin) -> None:
    got: list[tuple[bytes, str]] = []
    arrived = threading.Event()

    class Shop(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(
                (self.rfile.read(int(self.headers["Content-Length"])), self.headers["Stripe-Signature"])
            )
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()
            arrived.set()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Shop) as shop:
        thread = threading.Thread(target=shop.serve_forever)
        thread.start()
        try:
            url = f"http://127.0.0.1:{shop.server_port}/hook"
            endpoint = stripe.WebhookEndpoint.create(url=url, enabled_events=["customer.created"])
            stripe.Customer.create(name="Ada")
            assert arrived.wait(10)
        finally:
            shop.shutdown()
            thread.join()
    body, header = got[0]
    assert endpoint.secret
    event = stripe.Webhook.construct_event(body, header, endpoint.secret)
    assert json.loads(body)["data"]["object"]["name"] == "Ada" and event.type == "customer.created"
