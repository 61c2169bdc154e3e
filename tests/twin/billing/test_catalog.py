"""Products, prices, plans, coupons, promotion codes, tax rates: what the recorded API answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import stripe

from trialbalance.twin import Twin


def refused(act: Callable[[], Any]) -> stripe.InvalidRequestError:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        act()
    return caught.value


def types(twin: Twin) -> list[str]:
    events = twin.request("GET", "/v1/events", {"limit": 100}).json()["data"]
    return [event["type"] for event in reversed(events)]


def last(twin: Twin, type: str) -> dict[str, Any]:
    found: dict[str, Any] = twin.request("GET", "/v1/events", {"type": type, "limit": 1}).json()["data"][0]
    return found


class TestProducts:
    def test_the_plain_product_has_exactly_the_recorded_fields(self, twin: Twin) -> None:
        product = twin.request("POST", "/v1/products", {"name": "Seed tray"}).json()
        assert product == {
            "id": product["id"], "object": "product", "active": True, "attributes": [],
            "created": 1767225600, "default_price": None, "description": None, "images": [],
            "livemode": False, "marketing_features": [], "metadata": {}, "name": "Seed tray",
            "package_dimensions": None, "shippable": None, "statement_descriptor": None, "tax_code": None,
            "tax_details": None, "type": "service", "unit_label": None, "updated": 1767225600, "url": None,
        }  # fmt: skip
        assert list(product) == ["id", "object", *sorted(set(product) - {"id", "object"})]

    def test_every_parameter_is_kept(self, client: Any) -> None:
        product = client.v1.products.create(
            {
                "name": "Full", "id": "own-id", "active": False, "description": "d", "images": ["https://a.test/i"],
                "marketing_features": [{"name": "one"}], "metadata": {"a": "1"},
                "package_dimensions": {"height": 1, "length": 2, "weight": 3, "width": 4},
                "shippable": True, "statement_descriptor": "SEEDS", "tax_code": "txcd_10103000",
                "unit_label": "tray", "url": "https://a.test/full",
            }
        )  # fmt: skip
        assert (product.id, product.active, product.shippable, product.unit_label) == (
            "own-id",
            False,
            True,
            "tray",
        )
        assert product.package_dimensions is not None
        assert isinstance(product.package_dimensions.height, float)
        assert product.tax_details is not None
        assert product.tax_details.to_dict() == {"performance_location": None, "tax_code": "txcd_10103000"}
        assert product.marketing_features[0].name == "one"
        again = refused(lambda: client.v1.products.create({"name": "x", "id": "own-id"}))
        assert again.code == "resource_already_exists"

    def test_a_first_price_comes_with_it_and_events_in_order(self, twin: Twin, client: Any) -> None:
        product = client.v1.products.create(
            {
                "name": "Box",
                "default_price_data": {
                    "currency": "usd", "unit_amount": 1500, "recurring": {"interval": "month"},
                    "currency_options": {"eur": {"unit_amount": 1400}}, "tax_behavior": "exclusive",
                },
                "expand": ["default_price.currency_options"],
            }
        )  # fmt: skip
        price = product.default_price
        assert isinstance(price, stripe.Price)
        assert (price.unit_amount, price.tax_behavior, price.product) == (1500, "exclusive", product.id)
        assert price.currency_options is not None
        options = price.currency_options.to_dict()
        assert {code: option["unit_amount"] for code, option in options.items()} == {"usd": 1500, "eur": 1400}
        assert types(twin) == ["product.created", "plan.created", "price.created"]
        assert last(twin, "product.created")["data"]["object"]["default_price"] == price.id

    def test_update_tells_what_changed(self, twin: Twin, client: Any) -> None:
        product = client.v1.products.create({"name": "Tray", "metadata": {"seed": "1"}})
        client.v1.products.update(product.id, {"description": "d", "metadata": {"a": "1"}})
        event = last(twin, "product.updated")
        assert event["data"]["previous_attributes"] == {"description": None, "metadata": {"a": None}}
        assert event["data"]["object"]["metadata"] == {"seed": "1", "a": "1"}
        client.v1.products.update(product.id, {"description": "d"})
        assert types(twin).count("product.updated") == 1

    def test_deletion_is_for_products_without_prices(self, twin: Twin, client: Any) -> None:
        product = client.v1.products.create({"name": "Tray"})
        client.v1.prices.create({"product": product.id, "currency": "usd", "unit_amount": 100})
        error = refused(lambda: client.v1.products.delete(product.id))
        assert (error.http_status, error.code, error.param) == (400, None, None)
        assert error.user_message == (
            "This product cannot be deleted because it has one or more user-created prices."
        )
        bare = client.v1.products.create({"name": "Bare"})
        assert client.v1.products.delete(bare.id).to_dict() == {
            "id": bare.id, "object": "product", "deleted": True,
        }  # fmt: skip
        assert last(twin, "product.deleted")["data"]["object"]["active"] is False
        gone = refused(lambda: client.v1.products.retrieve(bare.id))
        assert (gone.http_status, gone.param, gone.code) == (404, "id", "resource_missing")
        assert client.v1.products.list({"ids": [bare.id, "prod_nope"]}).data == []

    def test_refusals(self, client: Any) -> None:
        product = client.v1.products.create({"name": "Tray"})
        missing = refused(lambda: client.v1.products.create({}))
        assert (missing.param, missing.code) == ("name", "parameter_missing")
        nope = refused(lambda: client.v1.products.update(product.id, {"default_price": "price_nope"}))
        assert (nope.http_status, nope.param) == (400, "default_price")
        assert nope.user_message == "No such price: 'price_nope'"
        other = client.v1.prices.create(
            {"product_data": {"name": "Other"}, "currency": "usd", "unit_amount": 1}
        )
        wrong = refused(lambda: client.v1.products.update(product.id, {"default_price": other.id}))
        assert wrong.param == "default_price"

    def test_lists_filter_and_search_finds(self, client: Any) -> None:
        tray = client.v1.products.create({"name": "Seed tray", "shippable": True, "metadata": {"shelf": "3"}})
        soil = client.v1.products.create({"name": "Soil", "active": False, "url": "https://a.test/soil"})
        list_ = client.v1.products.list
        assert [p.id for p in list_({"active": True}).data] == [tray.id]
        assert [p.id for p in list_({"shippable": True}).data] == [tray.id]
        assert [p.id for p in list_({"url": "https://a.test/soil"}).data] == [soil.id]
        assert [p.id for p in list_({"ids": [soil.id]}).data] == [soil.id]
        search = client.v1.products.search
        assert [p.id for p in search({"query": "name~'tray'"}).data] == [tray.id]
        assert [p.id for p in search({"query": "metadata['shelf']:'3' AND active:'true'"}).data] == [tray.id]
        assert [p.id for p in search({"query": "-active:'true'"}).data] == [soil.id]
        assert search({"query": "active:'true' OR active:'false'", "limit": 1}).has_more is True


class TestPrices:
    @pytest.fixture
    def product(self, client: Any) -> str:
        return client.v1.products.create({"name": "Tray"}).id

    def test_the_plain_price_has_exactly_the_recorded_fields(self, twin: Twin, product: str) -> None:
        sent = {"currency": "USD", "unit_amount": 2000, "product": product, "nickname": "once"}
        price = twin.request("POST", "/v1/prices", {**sent, "currency_options[eur][unit_amount]": 90}).json()
        assert price == {
            "id": price["id"], "object": "price", "active": True, "billing_scheme": "per_unit",
            "created": 1767225600, "currency": "usd", "custom_unit_amount": None, "livemode": False,
            "lookup_key": None, "metadata": {}, "nickname": "once", "product": product, "recurring": None,
            "tax_behavior": "unspecified", "tiers_mode": None, "transform_quantity": None,
            "type": "one_time", "unit_amount": 2000, "unit_amount_decimal": "2000",
        }  # fmt: skip

    def test_a_recurring_price_is_also_a_plan(self, client: Any, product: str) -> None:
        price = client.v1.prices.create(
            {"currency": "usd", "unit_amount": 999, "product": product, "recurring": {"interval": "month"}}
        )
        assert price.recurring is not None
        assert price.recurring.to_dict() == {
            "interval": "month", "interval_count": 1, "meter": None, "trial_period_days": None,
            "usage_type": "licensed",
        }  # fmt: skip
        plan = client.v1.plans.retrieve(price.id)
        assert (plan.amount, plan.interval, plan.product, str(plan.amount_decimal)) == (
            999,
            "month",
            product,
            "999",
        )

    def test_decimals_tiers_packages_and_chosen_amounts(self, client: Any, product: str) -> None:
        create = client.v1.prices.create
        decimal = create({"currency": "usd", "product": product, "unit_amount_decimal": "123.450"})
        assert (decimal.unit_amount, str(decimal.unit_amount_decimal)) == (None, "123.45")
        whole = create({"currency": "usd", "product": product, "unit_amount_decimal": "700.0"})
        assert (whole.unit_amount, str(whole.unit_amount_decimal)) == (700, "700")
        tiered = create(
            {
                "currency": "usd", "product": product, "billing_scheme": "tiered", "tiers_mode": "graduated",
                "recurring": {"interval": "month"},
                "tiers": [{"up_to": 5, "unit_amount": 500}, {"up_to": "inf", "flat_amount_decimal": "0.5"}],
                "expand": ["tiers"],
            }
        )  # fmt: skip
        assert tiered.tiers is not None
        assert [(t.up_to, t.unit_amount, str(t.flat_amount_decimal)) for t in tiered.tiers] == [
            (5, 500, "None"),
            (None, None, "0.5"),
        ]
        assert "tiers" not in client.v1.prices.retrieve(tiered.id).to_dict()
        assert tiered.unit_amount_decimal is None
        custom = create(
            {
                "currency": "usd",
                "product": product,
                "custom_unit_amount": {"enabled": True, "minimum": 100, "maximum": 10000, "preset": 500},
            }
        )
        assert custom.custom_unit_amount is not None
        assert custom.custom_unit_amount.to_dict() == {"maximum": 10000, "minimum": 100, "preset": 500}
        package = create(
            {
                "currency": "usd", "product": product, "unit_amount": 10,
                "transform_quantity": {"divide_by": 5, "round": "up"},
            }
        )  # fmt: skip
        assert package.transform_quantity is not None
        assert package.transform_quantity.to_dict() == {"divide_by": 5, "round": "up"}

    def test_lookup_keys_are_held_until_transferred(self, twin: Twin, client: Any, product: str) -> None:
        base: Any = {"currency": "usd", "unit_amount": 999, "product": product}
        holder = client.v1.prices.create({**base, "lookup_key": "std"})
        taken = refused(lambda: client.v1.prices.create({**base, "lookup_key": "std"}))
        assert (taken.param, taken.code) == ("lookup_key", None)
        assert taken.user_message == f"A price (`{holder.id}`) already uses that lookup key."
        heir = client.v1.prices.create({**base, "lookup_key": "std", "transfer_lookup_key": True})
        assert client.v1.prices.retrieve(holder.id).lookup_key is None
        assert last(twin, "price.updated")["data"]["previous_attributes"] == {"lookup_key": "std"}
        assert types(twin)[-2:] == ["price.updated", "price.created"]
        assert [p.id for p in client.v1.prices.list({"lookup_keys": ["std"]}).data] == [heir.id]
        client.v1.prices.update(heir.id, {"active": False})
        assert "already uses" in str(refused(lambda: client.v1.prices.create({**base, "lookup_key": "std"})))
        assert client.v1.prices.update(heir.id, {"lookup_key": ""}).lookup_key is None
        assert client.v1.prices.create({**base, "lookup_key": "std"}).lookup_key == "std"

    @pytest.mark.parametrize(
        ("sent", "message", "param"),
        [
            (
                {"unit_amount": 1000},
                "You must specify either `product` or `product_data` when creating a price.",
                None,
            ),
            (
                {"product": True},
                "Prices require an `unit_amount` or `unit_amount_decimal` parameter to be set.",
                None,
            ),
            (
                {"product": True, "product_data": {"name": "x"}, "unit_amount": 1},
                "You may only specify one of these parameters: product, product_data.",
                "product",
            ),
            (
                {
                    "product": True, "billing_scheme": "tiered", "tiers_mode": "volume",
                    "tiers": [{"up_to": "inf", "unit_amount": 500}],
                },
                "Prices with `type=one_time` are not supported with tiered billing.",
                "interval",
            ),
            (
                {"product": True, "unit_amount": 5, "recurring": {"interval": "month", "usage_type": "metered"}},
                "Starting with Stripe version `2025-03-31.basil`, metered prices must be backed by meters.",
                None,
            ),
        ],
    )  # fmt: skip
    def test_recorded_refusals(
        self, client: Any, product: str, sent: Any, message: str, param: str | None
    ) -> None:
        if sent.get("product"):
            sent = {**sent, "product": product}
        error = refused(lambda: client.v1.prices.create({"currency": "usd", **sent}))
        assert (error.user_message, error.param, error.code) == (message, param, None)

    def test_missing_objects(self, client: Any) -> None:
        path = refused(lambda: client.v1.prices.retrieve("price_nope"))
        assert (path.http_status, path.param) == (404, "price")
        reference = refused(
            lambda: client.v1.prices.create({"currency": "usd", "product": "prod_nope", "unit_amount": 1})
        )
        assert (reference.http_status, reference.param) == (400, "product")

    def test_the_default_price_cannot_be_archived(self, client: Any) -> None:
        product = client.v1.products.create(
            {"name": "Box", "default_price_data": {"currency": "usd", "unit_amount": 5}}
        )
        assert (
            refused(lambda: client.v1.prices.update(str(product.default_price), {"active": False})).param
            == "active"
        )

    def test_lists_filter(self, client: Any, product: str) -> None:
        create = client.v1.prices.create
        month = create(
            {"currency": "usd", "unit_amount": 1, "product": product, "recurring": {"interval": "month"}}
        )
        once = create({"currency": "eur", "unit_amount": 1, "product": product})
        create({"currency": "usd", "unit_amount": 1, "product_data": {"name": "Other"}})
        list_ = client.v1.prices.list
        assert [p.id for p in list_({"product": product}).data] == [once.id, month.id]
        assert [p.id for p in list_({"product": product, "type": "recurring"}).data] == [month.id]
        assert [p.id for p in list_({"recurring": {"interval": "month"}}).data] == [month.id]
        assert [p.id for p in list_({"currency": "eur"}).data] == [once.id]
        assert [p.id for p in client.v1.prices.search({"query": "currency:'eur'"}).data] == [once.id]

    def test_tax_behaviour_is_set_once(self, client: Any, product: str) -> None:
        price = client.v1.prices.create({"currency": "usd", "unit_amount": 1, "product": product})
        assert client.v1.prices.update(price.id, {"tax_behavior": "inclusive"}).tax_behavior == "inclusive"
        assert (
            refused(lambda: client.v1.prices.update(price.id, {"tax_behavior": "exclusive"})).param
            == "tax_behavior"
        )


class TestPlans:
    def test_a_plan_makes_a_price_of_the_same_id(self, twin: Twin, client: Any) -> None:
        plan = client.v1.plans.create(
            {
                "id": "small",
                "currency": "usd",
                "amount": 1000,
                "interval": "year",
                "product": {"name": "Small"},
            }
        )
        assert types(twin) == ["product.created", "plan.created", "price.created"]
        price = client.v1.prices.retrieve("small")
        assert price.recurring is not None
        assert (price.unit_amount, price.recurring.interval, price.product) == (1000, "year", plan.product)
        assert client.v1.plans.update("small", {"nickname": "S"}).nickname == "S"
        assert [p.id for p in client.v1.plans.list().data] == ["small"]
        assert client.v1.plans.delete("small").deleted is True
        error = refused(lambda: client.v1.plans.retrieve("small"))
        assert (error.http_status, error.param, error.user_message) == (404, "plan", "No such plan: 'small'")


class TestCoupons:
    def test_fields(self, twin: Twin) -> None:
        coupon = twin.request("POST", "/v1/coupons", {"percent_off": 22.5, "duration": "once"}).json()
        assert coupon == {
            "id": coupon["id"], "object": "coupon", "amount_off": None, "created": 1767225600,
            "currency": None, "duration": "once", "duration_in_months": None, "livemode": False,
            "max_redemptions": None, "metadata": {}, "name": None, "percent_off": 22.5, "redeem_by": None,
            "times_redeemed": 0, "valid": True,
        }  # fmt: skip
        assert len(coupon["id"]) == 8

    def test_an_amount_with_products_and_other_currencies(self, client: Any) -> None:
        product = client.v1.products.create({"name": "Tray"})
        coupon = client.v1.coupons.create(
            {
                "id": "FIVE", "amount_off": 500, "currency": "usd", "duration": "repeating",
                "duration_in_months": 3, "max_redemptions": 10, "name": "five off",
                "applies_to": {"products": [product.id]}, "currency_options": {"eur": {"amount_off": 400}},
                "expand": ["applies_to", "currency_options"],
            }
        )  # fmt: skip
        assert coupon.applies_to is not None and coupon.currency_options is not None
        assert coupon.applies_to.products == [product.id]
        assert coupon.currency_options["eur"].amount_off == 400
        assert "applies_to" not in client.v1.coupons.retrieve("FIVE").to_dict()
        again = refused(lambda: client.v1.coupons.create({"id": "FIVE", "percent_off": 5}))
        assert (again.code, again.user_message) == ("resource_already_exists", "Coupon already exists.")

    @pytest.mark.parametrize(
        ("sent", "message", "param", "code"),
        [
            ({"duration": "once"}, "Must provide percent_off or amount_off.", None, "parameter_missing"),
            (
                {"percent_off": 10, "amount_off": 500, "currency": "usd"},
                "Received both percent_off and amount_off parameters. Please pass in only one.", None, None,
            ),
            ({"amount_off": 500}, "You must pass currency when passing amount_off", "currency", None),
            (
                {"percent_off": 10, "duration": "repeating"},
                "The duration_in_months param must be set when creating a coupon with a repeating duration",
                "duration", None,
            ),
            (
                {"percent_off": 0},
                "This value must be greater than or equal to 0.01 (it currently is '0.0').", "percent_off", None,
            ),
            (
                {"percent_off": 10, "redeem_by": 1000},
                "The parameter `redeem_by` expects a unix timestamp representing a date and time in the future. "
                "You specified the value `1000` which is in the past.", "redeem_by", None,
            ),
            (
                {"percent_off": 5, "currency_options": {"eur": {"amount_off": 4}}},
                "You may only specify one of these parameters: currency_options, percent_off.",
                "currency_options", None,
            ),
            (
                {"amount_off": 500, "currency": "usd", "currency_options": {"EUR": {"amount_off": 4}}},
                "Currencies must be lowercase when used as keys in a map. Use `eur` instead of `EUR`.",
                "currency_options", None,
            ),
            (
                {"amount_off": 500, "currency": "usd", "currency_options": 5},
                "Invalid object", "currency_options", None,
            ),
        ],
    )  # fmt: skip
    def test_recorded_refusals(
        self, client: Any, sent: Any, message: str, param: str | None, code: str | None
    ) -> None:
        error = refused(lambda: client.v1.coupons.create(sent))
        assert (error.user_message, error.param, error.code) == (message, param, code)

    def test_rename_and_delete(self, twin: Twin, client: Any) -> None:
        coupon = client.v1.coupons.create({"percent_off": 10})
        client.v1.coupons.update(coupon.id, {"name": "renamed", "metadata": {"k": "v"}})
        assert last(twin, "coupon.updated")["data"]["previous_attributes"] == {
            "metadata": {"k": None},
            "name": None,
        }
        assert client.v1.coupons.delete(coupon.id).deleted is True
        assert last(twin, "coupon.deleted")["data"]["object"]["valid"] is False
        gone = refused(lambda: client.v1.coupons.retrieve(coupon.id))
        assert (gone.http_status, gone.param) == (404, "coupon")

    def test_the_last_day_to_redeem(self, twin: Twin, client: Any) -> None:
        coupon = client.v1.coupons.create({"percent_off": 10, "redeem_by": twin.now() + 100})
        twin.advance(twin.now() + 99)
        assert client.v1.coupons.retrieve(coupon.id).valid is True
        twin.advance(twin.now() + 1)
        assert client.v1.coupons.retrieve(coupon.id).valid is False


class TestPromotionCodes:
    @pytest.fixture
    def coupon(self, client: Any) -> str:
        return client.v1.coupons.create({"percent_off": 10}).id

    def create(self, client: Any, coupon: str, **fields: Any) -> stripe.PromotionCode:
        return client.v1.promotion_codes.create({"promotion": {"type": "coupon", "coupon": coupon}, **fields})

    def test_fields_and_expansion(self, client: Any, coupon: str) -> None:
        minted = self.create(client, coupon)
        assert minted.to_dict() == {
            "id": minted.id, "object": "promotion_code", "active": True, "code": minted.code,
            "created": 1767225600, "customer": None, "customer_account": None, "expires_at": None,
            "livemode": False, "max_redemptions": None, "metadata": {},
            "promotion": {"coupon": coupon, "type": "coupon"},
            "restrictions": {
                "first_time_transaction": False, "minimum_amount": None, "minimum_amount_currency": None,
            },
            "times_redeemed": 0,
        }  # fmt: skip
        assert len(minted.code) == 8 and minted.code == minted.code.upper()
        shown = client.v1.promotion_codes.retrieve(minted.id, {"expand": ["promotion.coupon"]})
        assert isinstance(shown.promotion.coupon, stripe.Coupon)

    def test_older_versions_send_and_see_the_coupon(
        self, client: Any, coupon: str, at_version: Callable[[str], Any]
    ) -> None:
        for version in ("2018-11-08", "2022-08-01", "2025-03-31.basil", "2025-08-27.basil"):
            old = at_version(version)
            made: Any = old.v1.promotion_codes.create({"coupon": coupon})
            assert made["coupon"]["id"] == coupon
            assert "promotion" not in made
            assert client.v1.promotion_codes.retrieve(made.id).promotion.coupon == coupon
        missing = refused(lambda: old.v1.promotion_codes.create({}))
        assert missing.param == "coupon"
        unknown = refused(lambda: old.v1.promotion_codes.create({"coupon": "NOPE"}))
        assert (unknown.param, unknown.code) == ("coupon", "resource_missing")
        new = refused(lambda: client.v1.promotion_codes.create({"coupon": coupon}))
        assert new.code == "parameter_unknown"

    @pytest.mark.parametrize(
        ("sent", "message", "param"),
        [
            (
                {"code": "has spaces!"},
                "This value must match the regex pattern. (/\\A[a-zA-Z0-9\\-_]+\\z/ does not match for the value "
                "has spaces!).",
                "code",
            ),
            ({"customer": "cus_nope"}, "No such customer: 'cus_nope'", "customer"),
            (
                {"expires_at": 2000},
                "The parameter `expires_at` expects a unix timestamp representing a date and time in the future. "
                "You specified the value `2000` which is in the past.",
                "expires_at",
            ),
            (
                {"expires_at": 4102444800},
                "Invalid timestamp: can be no more than five years in the future.",
                "expires_at",
            ),
            (
                {"promotion": {"type": "coupon"}},
                "You must pass promotion.coupon when passing promotion",
                "promotion.coupon",
            ),
            (
                {"promotion": {"type": "coupon", "coupon": "NOPE1234"}},
                "No such coupon: 'NOPE1234'",
                "promotion[coupon]",
            ),
        ],
    )
    def test_recorded_refusals(self, client: Any, coupon: str, sent: Any, message: str, param: str) -> None:
        error = refused(lambda: self.create(client, coupon, **sent))
        assert (error.user_message, error.param, error.http_status) == (message, param, 400)

    def test_an_active_code_is_unique(self, client: Any, coupon: str) -> None:
        first = self.create(client, coupon, code="spring")
        error = refused(lambda: self.create(client, coupon, code="spring"))
        assert (error.user_message, error.param) == (
            "An active promotion code with `code: spring` already exists.",
            None,
        )
        client.v1.promotion_codes.update(first.id, {"active": False})
        assert self.create(client, coupon, code="SPRING").active is True

    def test_lists_and_update(self, twin: Twin, client: Any, coupon: str) -> None:
        minted = self.create(client, coupon)
        coded = self.create(
            client, coupon, code="s07-promo",
            restrictions={"first_time_transaction": True, "minimum_amount": 1000, "minimum_amount_currency": "usd"},
        )  # fmt: skip
        list_ = client.v1.promotion_codes.list
        assert [c.id for c in list_({"coupon": coupon}).data] == [coded.id, minted.id]
        client.v1.promotion_codes.update(minted.id, {"active": False})
        assert last(twin, "promotion_code.updated")["data"]["previous_attributes"] == {"active": True}
        assert [c.id for c in list_({"coupon": coupon, "active": True}).data] == [coded.id]
        assert [c.id for c in list_({"code": "S07-promo"}).data] == [coded.id]
        unknown = refused(
            lambda: client.v1.promotion_codes.update(
                minted.id,
                {"restrictions": {"first_time_transaction": True}},
            )
        )
        assert unknown.param == "restrictions[first_time_transaction]"
        gone = refused(lambda: client.v1.promotion_codes.retrieve("promo_nope"))
        assert (gone.http_status, gone.param, gone.user_message) == (
            404,
            "promotion_code",
            "No such promotion code: 'promo_nope'",
        )

    def test_expiry(self, twin: Twin, client: Any, coupon: str) -> None:
        code = self.create(client, coupon, expires_at=twin.now() + 60)
        twin.advance(twin.now() + 60)
        assert client.v1.promotion_codes.retrieve(code.id).active is False


class TestTaxRates:
    def test_fields_update_and_lists(self, twin: Twin, client: Any) -> None:
        rate = client.v1.tax_rates.create(
            {
                "display_name": "CA sales tax", "jurisdiction": "US-CA", "percentage": 8.875, "inclusive": False,
                "country": "US", "state": "CA",
            }
        )  # fmt: skip
        assert rate.to_dict() == {
            "id": rate.id, "object": "tax_rate", "active": True, "country": "US", "created": 1767225600,
            "description": None, "display_name": "CA sales tax", "effective_percentage": 8.875,
            "flat_amount": None, "inclusive": False, "jurisdiction": "US-CA", "jurisdiction_level": None,
            "livemode": False, "metadata": {}, "percentage": 8.875, "rate_type": "percentage", "state": "CA",
            "tax_type": None,
        }  # fmt: skip
        vat = client.v1.tax_rates.create(
            {"display_name": "VAT", "percentage": 20, "inclusive": True, "tax_type": "vat"}
        )
        client.v1.tax_rates.update(rate.id, {"active": False, "description": "archived"})
        assert last(twin, "tax_rate.updated")["data"]["previous_attributes"] == {
            "active": True,
            "description": None,
        }
        assert [r.id for r in client.v1.tax_rates.list({"active": True}).data] == [vat.id]
        assert [r.id for r in client.v1.tax_rates.list({"inclusive": False}).data] == [rate.id]
        gone = refused(lambda: client.v1.tax_rates.retrieve("txr_nope"))
        assert (gone.http_status, gone.param, gone.user_message) == (
            404,
            "tax_rate",
            "No such tax rate: 'txr_nope'",
        )
        assert (
            refused(
                lambda: client.v1.tax_rates.create(
                    {"display_name": "x", "percentage": 101, "inclusive": True}
                )
            ).param
            == "percentage"
        )
