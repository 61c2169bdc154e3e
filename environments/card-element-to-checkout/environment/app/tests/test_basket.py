from lazybed import baskets


def basket_id(shop):
    return shop.execute("SELECT id FROM baskets").fetchone()["id"]


def test_adding_twice_makes_one_line(client, shop):
    client.post("/basket/add", data={"sku": "T-1", "quantity": "2"})
    client.post("/basket/add", data={"sku": "T-1", "quantity": "1"})
    (line,) = baskets.priced(shop, basket_id(shop)).lines
    assert (line.sku, line.quantity) == ("T-1", 3)


def test_nought_takes_a_line_out(client, shop):
    client.post("/basket/add", data={"sku": "T-1"})
    client.post("/basket/quantity", data={"sku": "T-1", "quantity": "0"})
    assert baskets.priced(shop, basket_id(shop)).lines == ()


def test_nonsense_is_not_bought(client, shop):
    client.post("/basket/add", data={"sku": "T-9", "quantity": "1"})
    client.post("/basket/add", data={"sku": "T-1", "quantity": "-3"})
    client.post("/basket/add", data={"sku": "T-1", "quantity": "lots"})
    assert shop.execute("SELECT count(*) FROM basket_lines").fetchone()[0] == 0


def test_a_good_code_shows_in_the_sums(client):
    client.post("/basket/add", data={"sku": "T-1", "quantity": "3"})
    client.post("/basket/code", data={"code": " tenth "})
    page = client.get("/basket").text
    assert "−€2.40" in page
    assert "€26.60" in page


def test_a_code_below_its_minimum_says_so(client):
    client.post("/basket/add", data={"sku": "T-1", "quantity": "1"})
    client.post("/basket/code", data={"code": "FIVER"})
    assert "FIVER is good from €20.00" in client.get("/basket").text


def test_a_code_that_is_over_is_refused(client):
    client.post("/basket/add", data={"sku": "T-1", "quantity": "3"})
    client.post("/basket/code", data={"code": "GONE"})
    assert "not one of ours" in client.get("/basket").text


def test_a_code_stops_applying_when_the_basket_shrinks(client, shop):
    client.post("/basket/add", data={"sku": "T-1", "quantity": "3"})
    client.post("/basket/code", data={"code": "FIVER"})
    client.post("/basket/quantity", data={"sku": "T-1", "quantity": "1"})
    assert baskets.priced(shop, basket_id(shop)).code is None
    assert "does not apply" in client.get("/basket").text


def test_the_note_is_kept(client):
    client.post("/basket/add", data={"sku": "T-1"})
    client.post("/basket/note", data={"note": "  blue gate  "})
    assert ">blue gate</textarea>" in client.get("/basket").text


def test_two_shoppers_have_two_baskets(client, shop):
    client.post("/basket/add", data={"sku": "T-1"})
    other = client.application.test_client()
    assert "Nothing in it yet" in other.get("/basket").text
