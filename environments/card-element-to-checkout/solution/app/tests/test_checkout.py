# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-d87a06cd4ec2: keep out of training data
import sqlite3

import pytest

from lazybed import database
from lazybed.payments import payment_in


@pytest.fixture
def full(client):
    client.post("/basket/add", data={"sku": "T-1", "quantity": "2"})
    client.post("/basket/note", data={"note": "blue gate"})
    return client


def start(client, **arguments):
    answer = client.post("/checkout/session", **arguments)
    assert answer.status_code == 200, answer.json
    return answer.json["client_secret"].split("_secret")[0]


def completed(session):
    return {"object": "event", "type": "checkout.session.completed", "data": {"object": {"id": session}}}


def orders(shop):
    return shop.execute("SELECT * FROM orders ORDER BY id").fetchall()


def test_the_page_has_a_place_for_checkout(full):
    page = full.get("/checkout").text
    assert 'data-testid="checkout"' in page
    assert "pk_test_only_for_the_tests" in page
    assert "sk_test" not in page


def test_nothing_to_pay_for_leads_back_to_the_basket(client):
    answer = client.get("/checkout")
    assert (answer.status_code, answer.location) == (302, "/basket")


def test_the_old_address_is_gone(full):
    assert full.post("/checkout/payment-intent", json={"email": "a@example.test"}).status_code == 404


def test_the_session_is_made_from_the_basket_whatever_the_page_sends(full, payments):
    session = payments.sessions[start(full, json={"amount": 1, "lines": [], "coupon": "coupon_GONE"})]
    assert session["lines"] == [("price_T-1", 2)]
    assert session["coupon"] is None
    assert session["order"].shipping == 500
    assert session["countries"] == ("IE", "FR")
    assert session["return_url"] == (
        "http://127.0.0.1:4242/checkout/return?session_id={CHECKOUT_SESSION_ID}"
    )


def test_a_code_that_applies_becomes_its_coupon(full, payments):
    full.post("/basket/code", data={"code": "TENTH"})
    assert payments.sessions[start(full)]["coupon"] == "coupon_TENTH"


def test_a_code_that_stopped_applying_is_left_out(full, payments, shop):
    full.post("/basket/code", data={"code": "TENTH"})
    shop.execute("UPDATE codes SET active = 0")
    assert payments.sessions[start(full)]["coupon"] is None


def test_a_changed_basket_gets_a_session_of_its_own(full, payments):
    first = start(full)
    full.post("/basket/quantity", data={"sku": "T-1", "quantity": "3"})
    second = start(full)
    assert payments.sessions[first]["lines"] == [("price_T-1", 2)]
    assert payments.sessions[second]["lines"] == [("price_T-1", 3)]


def test_the_order_is_pending_until_the_money_is_there(full, shop):
    session = start(full)
    assert full.get(f"/checkout/return?session_id={session}").location == "/checkout"
    assert [row["status"] for row in orders(shop)] == ["pending"]
    assert shop.execute("SELECT count(*) FROM outbox").fetchone()[0] == 0


def test_a_paid_order(full, shop, payments):
    full.post("/basket/code", data={"code": "TENTH"})
    session = start(full)
    payments.pay(session)
    answer = full.get(f"/checkout/return?session_id={session}")
    (order,) = orders(shop)
    assert order["status"] == "paid"
    assert (order["subtotal"], order["discount"], order["shipping"], order["total"]) == (1600, 160, 500, 1940)
    assert (order["email"], order["discount_code"], order["note"]) == (
        "nuala@example.test",
        "TENTH",
        "blue gate",
    )
    assert (order["ship_name"], order["ship_country"]) == ("Nuala Tiernan", "IE")
    assert order["payment_reference"] == f"pi_of_{session}"
    receipt = full.get(answer.location).text
    for words in (order["number"], "Duke of Test", "−€1.60", "€19.40", "1 Hill Road", "Ireland", "blue gate"):
        assert words in receipt


def test_paying_takes_stock_queues_a_mail_and_empties_the_basket_once(full, shop, payments, signed):
    session = start(full)
    payments.pay(session)
    for _ in range(2):
        assert full.post("/webhooks/stripe", **signed(completed(session))).status_code == 200
        full.get(f"/checkout/return?session_id={session}")
    assert shop.execute("SELECT stock FROM products WHERE sku = 'T-1'").fetchone()["stock"] == 8
    (mail,) = shop.execute("SELECT * FROM outbox").fetchall()
    assert mail["recipient"] == "nuala@example.test"
    assert "€21.00" in mail["body"]
    assert "Nothing in it yet" in full.get("/basket").text


def test_a_closed_window_still_makes_an_order(full, shop, payments, signed):
    session = start(full)
    payments.pay(session)
    full.post("/webhooks/stripe", **signed(completed(session)))
    assert [row["status"] for row in orders(shop)] == ["paid"]


def test_when_stripe_cannot_be_asked_the_event_is_refused_so_that_it_comes_again(
    full, shop, payments, signed
):
    session = start(full)
    payments.pay(session)
    payments.down = True
    assert full.post("/webhooks/stripe", **signed(completed(session))).status_code == 503
    assert [row["status"] for row in orders(shop)] == ["pending"]


def test_unsigned_calls_change_nothing(full, shop, payments, signed):
    session = start(full)
    payments.pay(session)
    forged = signed(completed(session), secret="whsec_somebody_elses")
    assert full.post("/webhooks/stripe", **forged).status_code == 400
    assert full.post("/webhooks/stripe", json=completed(session)).status_code == 400
    assert [row["status"] for row in orders(shop)] == ["pending"]


def test_the_order_is_what_was_paid_for_even_if_the_basket_changes_meanwhile(full, shop, payments):
    session = start(full)
    full.post("/basket/add", data={"sku": "T-2", "quantity": "1"})
    payments.pay(session)
    full.get(f"/checkout/return?session_id={session}")
    lines = shop.execute("SELECT sku, quantity FROM order_lines").fetchall()
    assert [tuple(line) for line in lines] == [("T-1", 2)]


def test_more_than_the_shed_holds_cannot_be_paid_for(full, shop):
    full.post("/basket/add", data={"sku": "T-2", "quantity": "3"})
    answer = full.post("/checkout/session")
    assert answer.status_code == 409
    assert "Maris Mock" in answer.json["error"]
    assert orders(shop) == []


def test_an_empty_basket_cannot_be_paid_for(client):
    assert client.post("/checkout/session").status_code == 400


def test_when_stripe_does_not_answer_the_shopper_is_told(full, payments):
    payments.down = True
    answer = full.post("/checkout/session")
    assert answer.status_code == 502
    assert "Nothing was charged" in answer.json["error"]


def test_an_unknown_session_shows_nobodys_receipt(client):
    assert client.get("/checkout/return?session_id=cs_9").location == "/basket"
    assert client.get("/checkout/return").location == "/basket"


def test_the_delivery_address_is_not_the_billing_address():
    session = {
        "payment_status": "paid",
        "payment_intent": "pi_1",
        "currency": "eur",
        "amount_subtotal": 1600,
        "amount_total": 1940,
        "total_details": {"amount_discount": 160, "amount_shipping": 500},
        "customer_details": {
            "email": "a@example.test",
            "name": "Payer",
            "address": {"country": "FR", "postal_code": "75001"},
        },
        "shipping_details": {
            "name": "Nuala",
            "address": {
                "line1": "1 Hill Road",
                "line2": None,
                "city": "Drumgarrow",
                "state": None,
                "postal_code": "N41",
                "country": "IE",
            },
        },
    }
    payment = payment_in(session)
    assert (payment.address.name, payment.address.country, payment.address.line2) == ("Nuala", "IE", "")
    assert payment_in({**session, "payment_status": "unpaid"}) is None


def test_a_database_from_before_checkout_is_brought_up_to_date(tmp_path):
    path = tmp_path / "old.db"
    old = sqlite3.connect(path)
    schema = database.SCHEMA.read_text(encoding="utf-8")
    before = schema.replace("    checkout_session  TEXT UNIQUE,\n", "").replace(
        "PRAGMA user_version = 1;", ""
    )
    assert before != schema
    old.executescript(before)
    old.close()
    for _ in range(2):
        connection = database.connect(path)
        assert connection.execute("SELECT checkout_session FROM orders").fetchall() == []
        connection.close()
