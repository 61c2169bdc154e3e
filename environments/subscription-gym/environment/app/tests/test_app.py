"""The door, without Stripe."""

from types import SimpleNamespace

import pytest

from tannery.app import create_app
from tannery.config import Config
from tannery.tasks import TASKS


@pytest.fixture
def client(tmp_path):
    return create_app(Config(secret_key="sk_test_none", data=tmp_path)).test_client()


def test_health(client):
    assert client.get("/health").json == {"ok": True}


@pytest.mark.parametrize("order", [None, [], {"task": "card"}, {"task": "dance", "input": {}}])
def test_what_cannot_be_meant(client, order):
    answer = client.post("/run-task", json=order)
    assert answer.status_code == 400
    assert answer.json["error"]["code"] == "invalid_request"


def test_card_of_a_member():
    kept = SimpleNamespace(card=SimpleNamespace(brand="visa", last4="4242"))
    customer = SimpleNamespace(id="cus_1", invoice_settings=SimpleNamespace(default_payment_method=kept))
    customers = SimpleNamespace(retrieve=lambda name, params: customer)
    stripe = SimpleNamespace(v1=SimpleNamespace(customers=customers))
    assert TASKS["card"](stripe, {"customer": "cus_1"}) == {"customer": "cus_1", "brand": "visa", "last4": "4242"}
