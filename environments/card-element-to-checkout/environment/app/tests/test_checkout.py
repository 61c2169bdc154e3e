import pytest

SHOPPER = {
    "email": "nuala@example.test",
    "name": "Nuala Tiernan",
    "line1": "1 Hill Road",
    "city": "Drumgarrow",
    "postcode": "N41 XX00",
    "country": "IE",
}


@pytest.fixture
def full(client):
    client.post("/basket/add", data={"sku": "T-1", "quantity": "2"})
    client.post("/basket/note", data={"note": "blue gate"})
    return client


def pay(client, payments, **changes):
    answer = client.post("/checkout/payment-intent", json={**SHOPPER, **changes})
    assert answer.status_code == 200, answer.json
    reference = answer.json["client_secret"].split("_secret")[0]
    payments.intents[reference]["status"] = "succeeded"
    return reference


def orders(shop):
    return shop.execute("SELECT * FROM orders ORDER BY id").fetchall()


def test_the_page_shows_what_will_be_paid(full):
    page = full.get("/checkout").text
    assert "Pay €21.00" in page
    assert "pk_test_only_for_the_tests" in page
    assert "sk_test" not in page


def test_nothing_to_pay_for_leads_back_to_the_basket(client):
    answer = client.get("/checkout")
    assert (answer.status_code, answer.location) == (302, "/basket")


def test_the_server_decides_the_amount(full, payments, shop):
    reference = pay(full, payments, amount=1, total=1, unit_amount=1)
    assert payments.intents[reference]["amount"] == 2100
    assert orders(shop)[0]["total"] == 2100


def test_the_order_is_pending_until_the_money_is_there(full, shop, payments):
    full.post("/checkout/payment-intent", json=SHOPPER)
    answer = full.get("/checkout/complete?payment_intent=pi_1")
    assert answer.location == "/checkout"
    assert [row["status"] for row in orders(shop)] == ["pending"]
    assert shop.execute("SELECT count(*) FROM outbox").fetchone()[0] == 0


def test_a_paid_order(full, shop, payments):
    full.post("/basket/code", data={"code": "TENTH"})
    reference = pay(full, payments)
    answer = full.get(f"/checkout/complete?payment_intent={reference}")
    (order,) = orders(shop)
    assert order["status"] == "paid"
    assert (order["subtotal"], order["discount"], order["shipping"], order["total"]) == (1600, 160, 500, 1940)
    assert (order["email"], order["discount_code"], order["note"]) == (
        "nuala@example.test",
        "TENTH",
        "blue gate",
    )
    assert (order["ship_name"], order["ship_country"]) == ("Nuala Tiernan", "IE")
    assert order["payment_reference"] == reference
    receipt = full.get(answer.location).text
    for words in (order["number"], "Duke of Test", "−€1.60", "€19.40", "1 Hill Road", "Ireland", "blue gate"):
        assert words in receipt


def test_paying_takes_stock_queues_a_mail_and_empties_the_basket_once(full, shop, payments, signed):
    reference = pay(full, payments)
    event = {"object": "event", "type": "payment_intent.succeeded", "data": {"object": {"id": reference}}}
    for _ in range(2):
        assert full.post("/webhooks/stripe", **signed(event)).status_code == 200
        full.get(f"/checkout/complete?payment_intent={reference}")
    assert shop.execute("SELECT stock FROM products WHERE sku = 'T-1'").fetchone()["stock"] == 8
    (mail,) = shop.execute("SELECT * FROM outbox").fetchall()
    assert mail["recipient"] == "nuala@example.test"
    assert "€21.00" in mail["body"]
    assert "Nothing in it yet" in full.get("/basket").text


def test_a_closed_window_still_makes_an_order(full, shop, payments, signed):
    reference = pay(full, payments)
    event = {"object": "event", "type": "payment_intent.succeeded", "data": {"object": {"id": reference}}}
    full.post("/webhooks/stripe", **signed(event))
    assert [row["status"] for row in orders(shop)] == ["paid"]


def test_unsigned_calls_change_nothing(full, shop, payments, signed):
    reference = pay(full, payments)
    event = {"object": "event", "type": "payment_intent.succeeded", "data": {"object": {"id": reference}}}
    forged = signed(event, secret="whsec_somebody_elses")
    assert full.post("/webhooks/stripe", **forged).status_code == 400
    assert full.post("/webhooks/stripe", json=event).status_code == 400
    assert [row["status"] for row in orders(shop)] == ["pending"]


def test_the_order_is_what_was_paid_for_even_if_the_basket_changes_meanwhile(full, shop, payments):
    reference = pay(full, payments)
    full.post("/basket/add", data={"sku": "T-2", "quantity": "1"})
    full.get(f"/checkout/complete?payment_intent={reference}")
    lines = shop.execute("SELECT sku, quantity FROM order_lines").fetchall()
    assert [tuple(line) for line in lines] == [("T-1", 2)]


def test_more_than_the_shed_holds_cannot_be_paid_for(full, shop):
    full.post("/basket/add", data={"sku": "T-2", "quantity": "3"})
    answer = full.post("/checkout/payment-intent", json=SHOPPER)
    assert answer.status_code == 409
    assert "Maris Mock" in answer.json["error"]
    assert orders(shop) == []


def test_an_empty_basket_cannot_be_paid_for(client):
    assert client.post("/checkout/payment-intent", json=SHOPPER).status_code == 400


@pytest.mark.parametrize(
    "changes", [{"email": "nobody"}, {"line1": " "}, {"country": "AQ"}, {"postcode": None}]
)
def test_incomplete_details_are_refused(full, shop, changes):
    assert full.post("/checkout/payment-intent", json={**SHOPPER, **changes}).status_code == 400
    assert orders(shop) == []


def test_when_stripe_does_not_answer_the_shopper_is_told(full, payments):
    payments.down = True
    answer = full.post("/checkout/payment-intent", json=SHOPPER)
    assert answer.status_code == 502
    assert "Nothing was charged" in answer.json["error"]


def test_an_unknown_payment_shows_nobodys_receipt(client):
    assert client.get("/checkout/complete?payment_intent=pi_9").location == "/basket"
