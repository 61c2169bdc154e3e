import pytest

@pytest.fixture
def full(client, shop):
    shop.execute("UPDATE products SET stripe_product = 'prod_' || sku, stripe_price = 'price_' || sku")
    client.post("/basket/add", data={"sku": "T-1", "quantity": "2"})
    client.post("/basket/note", data={"note": "blue gate"})
    return client


def start(client):
    answer = client.post("/checkout/session", json={})
    assert answer.status_code == 200, answer.json
    return answer.json["client_secret"].split("_secret")[0]


def completed(session):
    return {"object": "event", "type": "checkout.session.completed", "data": {"object": {"id": session}}}


def orders(shop):
    return shop.execute("SELECT * FROM orders ORDER BY id").fetchall()


def test_the_session_is_made_from_the_basket(full, payments):
    session = payments.sessions[start(full)]
    assert session["lines"] == [("price_T-1", 2)]
    assert (session["shipping"], session["currency"], session["coupon"]) == (500, "eur", None)


def test_no_order_before_the_money_is_there(full, shop):
    session = start(full)
    assert full.get(f"/checkout/return?session_id={session}").location == "/checkout"
    assert orders(shop) == []


@pytest.mark.parametrize("first", ["return", "webhook"])
def test_a_paid_session_is_one_order(full, shop, payments, signed, first):
    session = start(full)
    payments.pay(session)
    steps = [
        lambda: full.get(f"/checkout/return?session_id={session}"),
        lambda: full.post("/webhooks/stripe", **signed(completed(session))),
    ]
    for step in 2 * (steps if first == "return" else steps[::-1]):
        step()
    (order,) = orders(shop)
    assert (order["status"], order["total"], order["note"], order["ship_city"]) == (
        "paid",
        2100,
        "blue gate",
        "Drumgarrow",
    )
    assert order["payment_reference"] == f"pi_of_{session}"
    assert shop.execute("SELECT stock FROM products WHERE sku = 'T-1'").fetchone()["stock"] == 8
    assert shop.execute("SELECT count(*) FROM outbox").fetchone()[0] == 1
    assert "Nothing in it yet" in full.get("/basket").text


def test_trouble_is_told(full, payments):
    payments.down = True
    assert full.post("/checkout/session").status_code == 502


def test_unsigned_calls_change_nothing(full, shop, payments):
    session = start(full)
    payments.pay(session)
    assert full.post("/webhooks/stripe", json=completed(session)).status_code == 400
    assert orders(shop) == []


def test_what_cannot_be_sold_is_refused(client, full):
    assert client.application.test_client().post("/checkout/session").status_code == 400
    full.post("/basket/add", data={"sku": "T-2", "quantity": "3"})
    assert full.post("/checkout/session").status_code == 409
