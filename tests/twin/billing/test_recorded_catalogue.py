"""The catalogue as the recorded test-mode API answered (recording 07, 2026-08-26.dahlia): fields, keys, lists, refusals."""

from __future__ import annotations

from typing import Any

import pytest

from trialbalance.twin import Twin

VERSION = "2026-08-26.dahlia"


class Catalogue:
    """Plain requests in the recorded version, and what they are about."""

    def __init__(self, twin: Twin) -> None:
        self.twin = twin
        self.product = self.post(
            "products", name="Priced", default_price_data={"currency": "usd", "unit_amount": 1500}
        )["id"]
        self.coupon = self.post(
            "coupons", amount_off=500, currency="usd", duration="repeating", duration_in_months=3
        )["id"]

    def ask(self, method: str, path: str, **form: Any) -> tuple[int, Any]:
        answer = self.twin.request(method, f"/v1/{path}", form, version=VERSION)
        return answer.status, answer.json()

    def post(self, path: str, **form: Any) -> Any:
        status, body = self.ask("POST", path, **form)
        assert status == 200, body
        return body

    def refusal(self, method: str, path: str, **form: Any) -> tuple[int, Any, Any, str]:
        """Status, code, param and message."""
        status, body = self.ask(method, path, **form)
        error = body["error"]
        assert error["type"] == "invalid_request_error"
        return status, error.get("code"), error.get("param"), error["message"]


@pytest.fixture
def catalogue(twin: Twin) -> Catalogue:
    return Catalogue(twin)


def test_the_fields_of_a_product_and_its_end(catalogue: Catalogue) -> None:
    full = catalogue.post(
        "products", name="Full", shippable=True, statement_descriptor="P7 DESC", unit_label="widget",
        url="https://example.test/full", tax_code="txcd_10103000", marketing_features=[{"name": "feature one"}],
        package_dimensions={"height": 1, "length": 2, "weight": 3, "width": 4},
    )  # fmt: skip
    assert list(full) == [
        "id", "object", "active", "attributes", "created", "default_price", "description", "images", "livemode",
        "marketing_features", "metadata", "name", "package_dimensions", "shippable", "statement_descriptor",
        "tax_code", "tax_details", "type", "unit_label", "updated", "url",
    ]  # fmt: skip
    assert full["tax_details"] == {"performance_location": None, "tax_code": "txcd_10103000"}
    assert (full["attributes"], full["type"], full["marketing_features"]) == (
        [],
        "service",
        [{"name": "feature one"}],
    )
    assert catalogue.ask("DELETE", f"products/{full['id']}") == (
        200,
        {"id": full["id"], "object": "product", "deleted": True},
    )
    gone = (404, "resource_missing", "id", f"No such product: '{full['id']}'")
    assert catalogue.refusal("GET", f"products/{full['id']}") == gone
    status, found = catalogue.ask("GET", "products", ids=[full["id"], "prod_nope"])
    assert (status, found["data"], found["has_more"]) == (200, [], False)


def test_a_lookup_key_has_one_holder(catalogue: Catalogue) -> None:
    common = {"currency": "usd", "product": catalogue.product, "lookup_key": "s07-key"}
    holder = catalogue.post("prices", unit_amount=999, recurring={"interval": "month"}, **common)
    taken = "A price (`%s`) already uses that lookup key."
    assert catalogue.refusal("POST", "prices", unit_amount=500, **common) == (
        400,
        None,
        "lookup_key",
        taken % holder["id"],
    )
    heir = catalogue.post("prices", unit_amount=555, transfer_lookup_key=True, **common)
    assert catalogue.ask("GET", f"prices/{holder['id']}")[1]["lookup_key"] is None
    catalogue.post(f"prices/{heir['id']}", active=False)
    refused = catalogue.refusal("POST", "prices", unit_amount=777, **common)
    assert refused == (400, None, "lookup_key", taken % heir["id"])
    catalogue.post(f"prices/{heir['id']}", active=True)
    assert [p["id"] for p in catalogue.ask("GET", "prices", lookup_keys=["s07-key"])[1]["data"]] == [
        heir["id"]
    ]
    assert catalogue.post(f"prices/{heir['id']}", lookup_key="")["lookup_key"] is None


def test_amounts_that_are_no_whole_number(catalogue: Catalogue) -> None:
    def made(**form: Any) -> list[Any]:
        price = catalogue.post("prices", currency="usd", product=catalogue.product, **form)
        assert "tiers" not in price and "currency_options" not in price
        return [
            price[n]
            for n in (
                "billing_scheme",
                "tiers_mode",
                "unit_amount",
                "unit_amount_decimal",
                "custom_unit_amount",
            )
        ]

    tiers = [{"up_to": 5, "unit_amount": 500}, {"up_to": "inf", "unit_amount": 400}]
    tiered = made(
        billing_scheme="tiered", tiers_mode="graduated", recurring={"interval": "month"}, tiers=tiers
    )
    assert tiered == ["tiered", "graduated", None, None, None]
    assert made(unit_amount_decimal="123.45") == ["per_unit", None, None, "123.45", None]
    bounds = {"maximum": 10000, "minimum": 100, "preset": 500}
    assert made(custom_unit_amount={"enabled": True, **bounds}) == ["per_unit", None, None, None, bounds]
    assert made(unit_amount=2000, currency_options={"eur": {"unit_amount": 90}}) == [
        "per_unit",
        None,
        2000,
        "2000",
        None,
    ]


def test_a_list_of_prices_is_newest_first(catalogue: Catalogue) -> None:
    month = {"currency": "usd", "product": catalogue.product, "recurring": {"interval": "month"}}
    first, second = (catalogue.post("prices", unit_amount=amount, **month)["id"] for amount in (1, 2))
    for filters in ({"type": "recurring"}, {"recurring": {"interval": "month"}}):
        found = catalogue.ask("GET", "prices", product=catalogue.product, limit=3, **filters)[1]
        assert [price["id"] for price in found["data"]] == [second, first]


PAST = (
    "The parameter `%s` expects a unix timestamp representing a date and time in the future. "
    "You specified the value `%s` which is in the past."
)
REFUSED: list[tuple[str, str, dict[str, Any], tuple[int, Any, Any, str]]] = [
    ("POST", "products", {}, (400, "parameter_missing", "name", "Missing required param: name.")),
    ("POST", "products/PRODUCT", {"default_price": "price_nope"},
     (400, "resource_missing", "default_price", "No such price: 'price_nope'")),
    ("DELETE", "products/PRODUCT", {},
     (400, None, None, "This product cannot be deleted because it has one or more user-created prices.")),
    ("POST", "prices", {"currency": "usd", "unit_amount": 1000},
     (400, None, None, "You must specify either `product` or `product_data` when creating a price.")),
    ("POST", "prices", {"currency": "usd", "product": "PRODUCT"},
     (400, None, None, "Prices require an `unit_amount` or `unit_amount_decimal` parameter to be set.")),
    ("POST", "prices", {"currency": "usd", "unit_amount": 1000, "product": "PRODUCT", "product_data": {"name": "x"}},
     (400, None, "product", "You may only specify one of these parameters: product, product_data.")),
    ("POST", "prices", {"currency": "usd", "product": "PRODUCT", "billing_scheme": "tiered", "tiers_mode": "volume",
                        "tiers": [{"up_to": "inf", "unit_amount": 500}]},
     (400, None, "interval", "Prices with `type=one_time` are not supported with tiered billing.")),
    ("POST", "prices", {"currency": "usd", "product": "PRODUCT", "unit_amount": 5,
                        "recurring": {"interval": "month", "usage_type": "metered"}},
     (400, None, None, "Starting with Stripe version `2025-03-31.basil`, metered prices must be backed by meters.")),
    ("POST", "prices", {"currency": "usd", "product": "prod_nope", "unit_amount": 100},
     (400, "resource_missing", "product", "No such product: 'prod_nope'")),
    ("GET", "prices/price_nope", {}, (404, "resource_missing", "price", "No such price: 'price_nope'")),
    ("GET", "coupons/NOPE123", {}, (404, "resource_missing", "coupon", "No such coupon: 'NOPE123'")),
    ("POST", "coupons", {"duration": "once"}, (400, "parameter_missing", None, "Must provide percent_off or amount_off.")),
    ("POST", "coupons", {"percent_off": 10, "amount_off": 500, "currency": "usd", "duration": "once"},
     (400, None, None, "Received both percent_off and amount_off parameters. Please pass in only one.")),
    ("POST", "coupons", {"amount_off": 500, "duration": "once"},
     (400, None, "currency", "You must pass currency when passing amount_off")),
    ("POST", "coupons", {"percent_off": 10, "duration": "repeating"},
     (400, None, "duration", "The duration_in_months param must be set when creating a coupon with a repeating duration")),
    ("POST", "coupons", {"percent_off": 0, "duration": "once"},
     (400, None, "percent_off", "This value must be greater than or equal to 0.01 (it currently is '0.0').")),
    ("POST", "coupons", {"percent_off": 10, "duration": "once", "redeem_by": 1000},
     (400, None, "redeem_by", PAST % ("redeem_by", 1000))),
    ("POST", "coupons", {"percent_off": 5, "duration": "once", "currency_options": {"eur": {"amount_off": 4}}},
     (400, None, "currency_options", "You may only specify one of these parameters: currency_options, percent_off.")),
    ("POST", "coupons", {"amount_off": 500, "currency": "usd", "duration": "once", "currency_options": 5},
     (400, None, "currency_options", "Invalid object")),
    ("POST", "coupons", {"amount_off": 500, "currency": "usd", "duration": "once",
                         "currency_options": {"EUR": {"amount_off": 4}}},
     (400, None, "currency_options",
      "Currencies must be lowercase when used as keys in a map. Use `eur` instead of `EUR`.")),
    ("POST", "promotion_codes", {"promotion": {"type": "coupon", "coupon": "NOPE1234"}},
     (400, "resource_missing", "promotion[coupon]", "No such coupon: 'NOPE1234'")),
    ("POST", "promotion_codes", {"promotion": {"type": "coupon", "coupon": "COUPON"}, "code": "has spaces!"},
     (400, None, "code",
      "This value must match the regex pattern. (/\\A[a-zA-Z0-9\\-_]+\\z/ does not match for the value has spaces!).")),
    ("POST", "promotion_codes", {"promotion": {"type": "coupon"}},
     (400, None, "promotion.coupon", "You must pass promotion.coupon when passing promotion")),
    ("POST", "promotion_codes", {"promotion": {"type": "coupon", "coupon": "COUPON"}, "customer": "cus_nope"},
     (400, "resource_missing", "customer", "No such customer: 'cus_nope'")),
    ("POST", "promotion_codes", {"promotion": {"type": "coupon", "coupon": "COUPON"}, "expires_at": 2000},
     (400, None, "expires_at", PAST % ("expires_at", 2000))),
    ("POST", "promotion_codes", {"promotion": {"type": "coupon", "coupon": "COUPON"}, "expires_at": 4102444800},
     (400, None, "expires_at", "Invalid timestamp: can be no more than five years in the future.")),
    ("GET", "promotion_codes/promo_nope", {},
     (404, "resource_missing", "promotion_code", "No such promotion code: 'promo_nope'")),
    ("GET", "tax_rates/txr_nope", {}, (404, "resource_missing", "tax_rate", "No such tax rate: 'txr_nope'")),
]  # fmt: skip


@pytest.mark.parametrize(
    "case", REFUSED, ids=lambda case: f"{case[0]} {case[1]} {' '.join(map(str, case[2]))}"
)
def test_refusals(
    case: tuple[str, str, dict[str, Any], tuple[int, Any, Any, str]], catalogue: Catalogue
) -> None:
    method, path, form, wanted = case

    def real(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: real(part) for name, part in value.items()}
        return (
            {"PRODUCT": catalogue.product, "COUPON": catalogue.coupon}.get(value, value)
            if isinstance(value, str)
            else value
        )

    assert catalogue.refusal(method, path.replace("PRODUCT", catalogue.product), **real(form)) == wanted


def test_what_no_address_is(catalogue: Catalogue) -> None:
    for method, path in (("DELETE", "prices/price_1"), ("GET", "widgets")):
        status, body = catalogue.ask(method, path)
        assert (status, set(body["error"])) == (404, {"message", "type"})
        assert body["error"]["message"].startswith(f"Unrecognized request URL ({method}: /v1/{path}).")


def test_promotion_codes(catalogue: Catalogue) -> None:
    promotion = {"type": "coupon", "coupon": catalogue.coupon}
    minted = catalogue.post("promotion_codes", promotion=promotion)
    assert list(minted) == [
        "id", "object", "active", "code", "created", "customer", "customer_account", "expires_at", "livemode",
        "max_redemptions", "metadata", "promotion", "restrictions", "times_redeemed",
    ]  # fmt: skip
    assert len(minted["code"]) == 8 and minted["code"].isalnum() and minted["code"].upper() == minted["code"]
    assert minted["promotion"] == {"coupon": catalogue.coupon, "type": "coupon"}
    limits = {"first_time_transaction": True, "minimum_amount": 1000, "minimum_amount_currency": "usd"}
    coded = catalogue.post("promotion_codes", promotion=promotion, code="s07-promo", restrictions=limits)
    assert coded["restrictions"] == limits
    again = catalogue.refusal("POST", "promotion_codes", promotion=promotion, code="s07-promo")
    assert again == (400, None, None, "An active promotion code with `code: s07-promo` already exists.")
    name = "restrictions[first_time_transaction]"
    unknown = catalogue.refusal(
        "POST", f"promotion_codes/{minted['id']}", restrictions={"first_time_transaction": True}
    )
    assert unknown == (400, "parameter_unknown", name, f"Received unknown parameter: {name}")
    catalogue.post(f"promotion_codes/{minted['id']}", active=False)
    listed = [
        [code["id"] for code in catalogue.ask("GET", "promotion_codes", **filters)[1]["data"]]
        for filters in (
            {"coupon": catalogue.coupon},
            {"coupon": catalogue.coupon, "active": True},
            {"code": "s07-promo"},
        )
    ]
    assert listed == [[coded["id"], minted["id"]], [coded["id"]], [coded["id"]]]


def test_tax_rates(catalogue: Catalogue) -> None:
    vat = catalogue.post(
        "tax_rates", display_name="VAT", percentage=20, inclusive=True, tax_type="vat", jurisdiction="DE"
    )
    assert list(vat) == [
        "id", "object", "active", "country", "created", "description", "display_name", "effective_percentage",
        "flat_amount", "inclusive", "jurisdiction", "jurisdiction_level", "livemode", "metadata", "percentage",
        "rate_type", "state", "tax_type",
    ]  # fmt: skip
    assert (vat["effective_percentage"], vat["percentage"], vat["rate_type"]) == (20.0, 20.0, "percentage")
    filters = {"inclusive": True, "active": True}
    assert [rate["id"] for rate in catalogue.ask("GET", "tax_rates", **filters)[1]["data"]] == [vat["id"]]
    assert catalogue.post(f"tax_rates/{vat['id']}", active=False)["active"] is False
    assert catalogue.ask("GET", "tax_rates", **filters)[1]["data"] == []


def test_a_deleted_coupon_is_gone(catalogue: Catalogue) -> None:
    made = catalogue.post("coupons", percent_off=22.5, duration="once")
    assert list(made) == [
        "id", "object", "amount_off", "created", "currency", "duration", "duration_in_months", "livemode",
        "max_redemptions", "metadata", "name", "percent_off", "redeem_by", "times_redeemed", "valid",
    ]  # fmt: skip
    assert len(made["id"]) == 8
    assert catalogue.post(f"coupons/{made['id']}", name="renamed")["name"] == "renamed"
    assert catalogue.ask("DELETE", f"coupons/{made['id']}")[1] == {
        "id": made["id"],
        "object": "coupon",
        "deleted": True,
    }
    assert catalogue.refusal("GET", f"coupons/{made['id']}")[:3] == (404, "resource_missing", "coupon")
    assert [coupon["id"] for coupon in catalogue.ask("GET", "coupons", limit=3)[1]["data"]] == [
        catalogue.coupon
    ]
