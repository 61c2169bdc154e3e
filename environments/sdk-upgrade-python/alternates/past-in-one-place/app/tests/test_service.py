"""The addresses, with prepared answers of Stripe."""

from __future__ import annotations

PAID = {
    "id": "ch_one", "object": "charge", "amount": 4500, "amount_refunded": 500, "paid": True, "refunded": False, "created": 1772442000,
    "currency": "eur", "outcome": {"reason": None}, "payment_intent": "pi_one",
    "payment_method_details": {"type": "card", "card": {"brand": "visa", "last4": "4242"}},
}
REFUND = {"id": "re_one", "object": "refund", "amount": 500, "created": 1772442100, "status": "succeeded", "reason": None}


def listed(*items, url):
    return {"object": "list", "data": list(items), "has_more": False, "url": url}


def test_health(client):
    assert client.get("/health").json == {"ok": True}


def test_a_repair_that_nobody_knows(client):
    answer = client.get("/repairs/R-1")
    assert (answer.status_code, answer.json) == (404, {"error": "not found"})


def test_a_repair(client, books, answers):
    books.write_repair("R-1", "Hohner Corona", "pi_one")
    answers["GET /v1/payment_intents/pi_one"] = 200, {
        "id": "pi_one", "object": "payment_intent", "amount": 4500, "amount_received": 4500, "currency": "eur", "status": "succeeded",
    }
    answers["GET /v1/charges"] = 200, listed(PAID, url="/v1/charges")
    answers["GET /v1/refunds"] = 200, listed(REFUND, url="/v1/refunds")
    found = client.get("/repairs/R-1").json
    assert (found["state"], found["received"], found["refunded"]) == ("partly refunded", 4500, 500)
    assert [attempt["card"]["last4"] for attempt in found["attempts"]] == ["4242"]
    assert [refund["refund"] for refund in found["refunds"]] == ["re_one"]


def test_too_much_is_not_refunded(client, books, answers):
    books.write_repair("R-1", "Hohner Corona", "pi_one")
    answers["GET /v1/payment_intents/pi_one"] = 200, {"id": "pi_one", "object": "payment_intent"}
    answers["GET /v1/charges"] = 200, listed(PAID, url="/v1/charges")
    answers["GET /v1/refunds"] = 200, listed(REFUND, url="/v1/refunds")
    answer = client.post("/repairs/R-1/refunds", json={"amount": 4001})
    assert (answer.status_code, answer.json) == (422, {"error": "amount", "left": 4000})


def test_an_invoice_that_stripe_does_not_know(client, answers):
    assert client.get("/invoices/in_none").status_code == 404


def test_how_an_invoice_is_paid_has_to_be_said(client):
    answer = client.post("/invoices/in_one/pay", json={"how": "shells"})
    assert (answer.status_code, answer.json["choices"]) == (422, ["bank", "card"])


def test_a_customer_who_has_left(client, answers):
    answers["GET /v1/customers/cus_gone"] = 200, {"id": "cus_gone", "object": "customer", "deleted": True}
    assert client.get("/accounts/cus_gone/statement").status_code == 410


def test_a_day_that_is_none(client):
    assert client.get("/day-book?from=monday&to=2026-03-02").status_code == 422


def test_a_payment_of_an_invoice(client, answers):
    answers["GET /v1/payment_intents/pi_one"] = 200, {
        "id": "pi_one", "object": "payment_intent", "amount": 4500, "amount_received": 4500, "currency": "eur", "status": "succeeded",
    }
    invoice = {
        "id": "in_one", "object": "invoice", "number": "A-1", "customer": "cus_one", "status": "open", "amount_remaining": 100,
        "parent": {"type": "subscription_details", "subscription_details": {"subscription": "sub_one"}},
    }
    payment = {"id": "inpay_one", "object": "invoice_payment", "invoice": invoice}
    answers["GET /v1/invoice_payments"] = 200, listed(payment, url="/v1/invoice_payments")
    found = client.get("/payments/pi_one").json["invoice"]
    assert (found["invoice"], found["paid"], found["hire"], found["outstanding"]) == ("in_one", False, "sub_one", 100)
