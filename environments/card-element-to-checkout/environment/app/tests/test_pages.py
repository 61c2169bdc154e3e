import pytest


@pytest.mark.parametrize("path", ["/", "/about", "/product/T-1", "/basket", "/health"])
def test_pages_are_there(client, path):
    assert client.get(path).status_code == 200


@pytest.mark.parametrize("path", ["/product/T-9", "/receipt/nope", "/nothing"])
def test_what_is_not_there_is_not_found(client, path):
    assert client.get(path).status_code == 404


def test_the_front_page_lists_every_product_with_its_price(client):
    page = client.get("/").text
    for words in ("Duke of Test", "€8.00", "Maris Mock", "€12.40"):
        assert words in page


def test_sold_out_products_cannot_be_added(client, shop):
    shop.execute("UPDATE products SET stock = 0 WHERE sku = 'T-1'")
    assert "gone till spring" in client.get("/product/T-1").text
