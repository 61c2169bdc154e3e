"""Every version change, both ways: what a caller just before it sends and sees, and what one at it sends and sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from trialbalance.twin import Twin
from trialbalance.twin.wire.versions import KNOWN, VersionChange, all_changes

CHANGES = {type(change).__name__: change for change in all_changes()}
NOTHING = "nothing"
"""Stands for a field that is not there."""


class Caller:
    """One twin seen by a caller of one version."""

    def __init__(self, version: str) -> None:
        self.twin = Twin(seed=3)
        self.version = version

    def ask(self, method: str, path: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The answer, whatever its status."""
        found: dict[str, Any] = self.twin.request(method, path, params, version=self.version).json()
        return found

    def make(self, path: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The answer in the caller's version; it must be a success."""
        found = self.ask("POST", path, params)
        assert "error" not in found, found
        return found

    def get(self, path: str) -> dict[str, Any]:
        found = self.ask("GET", path)
        assert "error" not in found, found
        return found

    def new(self, path: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Made by someone of the newest version, for the caller to look at."""
        found: dict[str, Any] = self.twin.request("POST", path, params, version=KNOWN[-1]).json()
        assert "error" not in found, found
        return found

    def customer(self) -> str:
        made: str = self.new(
            "/v1/customers",
            {
                "payment_method": "pm_card_visa",
                "invoice_settings": {"default_payment_method": "pm_card_visa"},
            },
        )["id"]
        return made

    def price(self, **more: Any) -> str:
        recurring = {"recurring": {"interval": "month"}}
        amount = {} if "tiers" in more else {"unit_amount": 1000}
        form = {"currency": "usd", "product_data": {"name": "Plan"}, **recurring, **amount, **more}
        made: str = self.new("/v1/prices", form)["id"]
        return made

    def subscription(self, **more: Any) -> dict[str, Any]:
        return self.new(
            "/v1/subscriptions", {"customer": self.customer(), "items": [{"price": self.price()}], **more}
        )

    def invoice(self) -> str:
        made: str = self.subscription()["latest_invoice"]
        return made

    def line(self) -> dict[str, Any]:
        found: dict[str, Any] = self.get(f"/v1/invoices/{self.invoice()}")["lines"]["data"][0]
        return found

    def paid(self, **more: Any) -> dict[str, Any]:
        pay = {"amount": 700, "currency": "usd", "confirm": True, "return_url": "https://shop.example/"}
        return self.new("/v1/payment_intents", {**pay, "payment_method": "pm_card_visa", **more})

    def session(self, **more: Any) -> dict[str, Any]:
        return self.make("/v1/checkout/sessions", {**self.cart(), **more})

    @staticmethod
    def cart() -> dict[str, Any]:
        row = {
            "quantity": 1,
            "price_data": {"currency": "usd", "unit_amount": 700, "product_data": {"name": "Mug"}},
        }
        return {"mode": "payment", "success_url": "https://shop.example/ok", "line_items": [row]}


def has(obj: dict[str, Any], *names: str) -> list[bool]:
    return [name in obj for name in names]


def refused(answer: dict[str, Any]) -> Any:
    """The parameter an error names, or its code; None for a success."""
    error = answer.get("error")
    return None if error is None else error.get("param") or error.get("code") or error["type"]


def coupon(caller: Caller) -> str:
    made: str = caller.new("/v1/coupons", {"percent_off": 10, "duration": "forever"})["id"]
    return made


def klarna(c: Caller) -> Any:
    """What a payment by Klarna failed with that the customer did not approve."""
    made = c.new(
        "/v1/payment_intents",
        {
            "amount": 700,
            "currency": "usd",
            "payment_method_data": {"type": "klarna"},
            "allowed_payment_method_types": ["klarna"],
            "confirm": True,
            "return_url": "https://shop.example/",
        },
    )
    page = urlsplit(made["next_action"]["redirect_to_url"]["url"]).path
    done = {"source": page.rsplit("/", 1)[-1], "client_secret": made["client_secret"], "outcome": "failed"}
    c.twin.request("POST", "/v1/3ds2/challenge_complete", done, key=c.twin.publishable_key)
    return c.get(f"/v1/payment_intents/{made['id']}")["last_payment_error"]["code"]


def invoice_payments(c: Caller) -> Any:
    return has(c.get(f"/v1/invoices/{c.invoice()}"), "payment_intent", "charge", "paid", "paid_out_of_band")


def invoice_parent(c: Caller) -> Any:
    return has(c.get(f"/v1/invoices/{c.invoice()}"), "subscription", "subscription_details", "quote")


def invoice_taxes(c: Caller) -> Any:
    return has(c.get(f"/v1/invoices/{c.invoice()}"), "tax", "total_tax_amounts") + has(
        c.line(), "tax_amounts"
    )


def line_parent(c: Caller) -> Any:
    return has(c.line(), "type", "subscription_item", "proration")


def line_pricing(c: Caller) -> Any:
    sent = c.ask(
        "POST",
        "/v1/invoiceitems",
        {"customer": c.customer(), "currency": "usd", "unit_amount": 300, "quantity": 2},
    )
    return [*has(c.line(), "price", "plan"), sent.get("amount", refused(sent))]


def upcoming(c: Caller) -> Any:
    answer = c.ask("GET", "/v1/invoices/upcoming", {"subscription": c.subscription()["id"]})
    return answer.get("amount_due", answer.get("error", {}).get("type"))


def periods(c: Caller) -> Any:
    return has(
        c.get(f"/v1/subscriptions/{c.subscription()['id']}"), "current_period_start", "current_period_end"
    )


def one_discount(c: Caller) -> Any:
    form = {"customer": c.customer(), "items": [{"price": c.price()}], "coupon": coupon(c)}
    made = c.ask("POST", "/v1/subscriptions", form)
    return (made.get("discount") or {}).get("object", refused(made))


def customer_coupon(c: Caller) -> Any:
    made = c.ask("POST", "/v1/customers", {"coupon": coupon(c)})
    return (made.get("discount") or {}).get("object", refused(made))


def counts(c: Caller) -> Any:
    answer = c.ask("GET", "/v1/customers", {"include": ["total_count"]})
    return answer.get("total_count", answer.get("error", {}).get("code"))


def ui_modes(c: Caller) -> Any:
    old = c.ask("POST", "/v1/checkout/sessions", {**c.cart(), "ui_mode": "hosted"})
    new = c.ask("POST", "/v1/checkout/sessions", {**c.cart(), "ui_mode": "hosted_page"})
    return [old.get("ui_mode", refused(old)), new.get("ui_mode", refused(new))]


def session_shipping(c: Caller) -> Any:
    return has(c.session(), "shipping_details")


def session_intent(c: Caller) -> Any:
    made = c.session()
    return [made["payment_intent"] is not None, made["customer_creation"]]


def session_mode(c: Caller) -> Any:
    form = c.cart()
    del form["mode"]
    answer = c.ask("POST", "/v1/checkout/sessions", form)
    return answer.get("mode", refused(answer))


def customer_lists(c: Caller) -> Any:
    return has(c.get(f"/v1/customers/{c.customer()}"), "sources", "subscriptions", "tax_ids")


def customer_tax(c: Caller) -> Any:
    return has(c.get(f"/v1/customers/{c.customer()}"), "tax_info", "tax_info_verification")


def customer_balance(c: Caller) -> Any:
    made = c.ask("POST", "/v1/customers", {"account_balance": 500})
    return made.get("account_balance", refused(made))


def test_a_customers_subscriptions_on_expansion() -> None:
    caller = Caller(KNOWN[-1])
    made = caller.subscription()
    listed = caller.get(f"/v1/customers/{made['customer']}?expand[]=subscriptions")["subscriptions"]
    assert [row["id"] for row in listed["data"]] == [made["id"]]
    caller.twin.request("DELETE", f"/v1/subscriptions/{made['id']}")
    assert (
        caller.get(f"/v1/customers/{made['customer']}?expand[]=subscriptions")["subscriptions"]["data"] == []
    )


def promotion(c: Caller) -> Any:
    made = c.ask("POST", "/v1/promotion_codes", {"coupon": coupon(c)})
    shown = c.get(f"/v1/promotion_codes/{c.new('/v1/promotion_codes', promoted(c))['id']}")
    return [made.get("coupon", {}).get("object", refused(made)), *has(shown, "coupon", "promotion")]


def promoted(c: Caller) -> dict[str, Any]:
    return {"promotion": {"type": "coupon", "coupon": coupon(c)}}


def discount_source(c: Caller) -> Any:
    made = c.subscription(discounts=[{"coupon": coupon(c)}])["id"]
    return has(c.get(f"/v1/subscriptions/{made}?expand[]=discounts")["discounts"][0], "coupon", "source")


def intent_types(c: Caller) -> Any:
    form = {"amount": 700, "currency": "usd", "payment_method_types": ["card"]}
    answer = c.ask("POST", "/v1/payment_intents", form)
    return answer.get("payment_method_types", answer.get("error", {}).get("code"))


def session_types(c: Caller) -> Any:
    answer = c.ask("POST", "/v1/checkout/sessions", {**c.cart(), "payment_method_types": ["card"]})
    return answer.get("payment_method_types", refused(answer))


def payment_invoice(c: Caller) -> Any:
    paid = c.get(f"/v1/payment_intents/{c.paid()['id']}")
    return [*has(paid, "invoice"), *has(c.get(f"/v1/charges/{paid['latest_charge']}"), "invoice")]


def capture(c: Caller) -> Any:
    return c.make("/v1/payment_intents", {"amount": 700, "currency": "usd"})["capture_method"]


def automatic(c: Caller) -> Any:
    made = c.make("/v1/payment_intents", {"amount": 700, "currency": "usd"})
    return (made["automatic_payment_methods"] or {}).get("enabled", made["payment_method_types"])


def charges(c: Caller) -> Any:
    return c.get(f"/v1/payment_intents/{c.paid()['id']}").get("charges", {}).get("total_count", NOTHING)


def refunds(c: Caller) -> Any:
    return has(c.get(f"/v1/charges/{c.paid()['latest_charge']}"), "refunds")


def secure(c: Caller) -> Any:
    made = c.paid(payment_method="pm_card_threeDSecure2Required")
    source = parse_qs(urlsplit(made["next_action"]["redirect_to_url"]["url"]).query)["source"][0]
    form = {"source": source, "client_secret": made["client_secret"], "outcome": "succeeded"}
    done = c.twin.request("POST", "/v1/3ds2/challenge_complete", form, key=c.twin.publishable_key)
    assert done.status == 200, done.body
    found = c.get(f"/v1/charges?payment_intent={made['id']}")["data"][0]
    return has(found["payment_method_details"]["card"]["three_d_secure"], "succeeded", "result")


def source_words(c: Caller) -> Any:
    made = c.ask(
        "POST", "/v1/payment_intents", {"amount": 700, "currency": "usd", "allowed_source_types": ["card"]}
    )
    return made.get("status", refused(made))


def usage(c: Caller) -> Any:
    return has(c.get(f"/v1/prices/{c.price()}")["recurring"], "aggregate_usage")


def tiers(c: Caller) -> Any:
    rows = [{"up_to": "inf", "unit_amount": 50}]
    price = c.price(billing_scheme="tiered", tiers_mode="volume", tiers=rows)
    return has(c.get(f"/v1/plans/{price}"), "tiers")


def features(c: Caller) -> Any:
    made = c.ask("POST", "/v1/products", {"name": "Plan", "features": [{"name": "Fast"}]})
    return [*has(made, "features"), refused(made)]


def percent(c: Caller) -> Any:
    return has(c.get(f"/v1/subscriptions/{c.subscription()['id']}"), "tax_percent")


def invoice_dates(c: Caller) -> Any:
    return has(c.get(f"/v1/invoices/{c.invoice()}"), "date", "finalized_at", "created")


def rendering(c: Caller) -> Any:
    return has(c.get(f"/v1/invoices/{c.invoice()}"), "rendering_options", "rendering")


def invoice_fee(c: Caller) -> Any:
    return has(c.get(f"/v1/invoices/{c.invoice()}"), "application_fee")


def anchors(c: Caller) -> Any:
    made = c.subscription()["id"]
    word = c.ask("POST", f"/v1/subscriptions/{made}", {"billing_cycle_anchor": "now"})
    return refused(word)


def resuming(c: Caller) -> Any:
    made = c.subscription(
        trial_period_days=3, trial_settings={"end_behavior": {"missing_payment_method": "pause"}}
    )
    bare = c.new("/v1/customers")["id"]
    form = {"customer": bare, "items": [{"price": c.price()}], "trial_period_days": 3}
    paused = c.new("/v1/subscriptions", {**form, "trial_settings": made["trial_settings"]})["id"]
    c.twin.advance(c.twin.now() + 4 * 86400)
    return c.make(f"/v1/subscriptions/{paused}/resume", {}).get("status")


def billing_mode(c: Caller) -> Any:
    form = {"customer": c.customer(), "items": [{"price": c.price()}]}
    return c.make("/v1/subscriptions", form)["billing_mode"]["type"]


def iterations(c: Caller) -> Any:
    phase = {"items": [{"price": c.price()}], "iterations": 2}
    form = {"customer": c.customer(), "start_date": "now", "phases": [phase]}
    return refused(c.ask("POST", "/v1/subscription_schedules", form))


def plan_at_top(c: Caller) -> Any:
    answer = c.ask("POST", "/v1/subscriptions", {"customer": c.customer(), "plan": c.price(), "quantity": 2})
    return answer["items"]["data"][0]["quantity"] if "items" in answer else refused(answer)


def pending(c: Caller) -> Any:
    customer = c.customer()
    c.new("/v1/invoiceitems", {"customer": customer, "amount": 300, "currency": "usd"})
    return c.make("/v1/invoices", {"customer": customer})["total"]


def prorate(c: Caller) -> Any:
    made = c.subscription()
    form = {"items": [{"id": made["items"]["data"][0]["id"], "quantity": 3}], "prorate": "false"}
    return refused(c.ask("POST", f"/v1/subscriptions/{made['id']}", form))


def billing(c: Caller) -> Any:
    form = {"customer": c.customer(), "items": [{"price": c.price()}], "billing": "charge_automatically"}
    made = c.ask("POST", "/v1/subscriptions", form)
    return made.get("billing", refused(made))


def first_failure(c: Caller) -> Any:
    customer = c.new("/v1/customers", {"payment_method": "pm_card_chargeCustomerFail"})
    method = c.get(f"/v1/payment_methods?customer={customer['id']}&type=card")["data"][0]["id"]
    form = {"customer": customer["id"], "items": [{"price": c.price()}], "default_payment_method": method}
    answer = c.ask("POST", "/v1/subscriptions", form)
    return answer.get("status", answer.get("error", {}).get("code"))


BOTH: dict[str, tuple[Callable[[Caller], Any], Any, Any]] = {
    "InvoicesNameTheirPayments": (invoice_payments, [True] * 4, [False] * 4),
    "InvoicesHaveAParent": (invoice_parent, [True] * 3, [False] * 3),
    "InvoicesListTheirTaxes": (invoice_taxes, [True] * 3, [False] * 3),
    "LinesHaveAParent": (line_parent, [True] * 3, [False] * 3),
    "LinesHavePricing": (line_pricing, [True, True, 600], [False, False, "unit_amount"]),
    "PreviewsReplaceUpcomingInvoices": (upcoming, 1000, "invalid_request_error"),
    "PeriodsBelongToItems": (periods, [True] * 2, [False] * 2),
    "DiscountsReplaceOneDiscount": (one_discount, "discount", "coupon"),
    "CustomersHaveACoupon": (customer_coupon, "discount", "coupon"),
    "CountsOfLists": (counts, 0, "property_forbidden"),
    "UiModeNames": (ui_modes, ["hosted", "ui_mode"], ["ui_mode", "hosted_page"]),
    "ShippingDetailsOnSession": (session_shipping, [True], [False]),
    "IntentOnCompletion": (session_intent, [True, "always"], [False, "if_required"]),
    "ModeRequired": (session_mode, "payment", "mode"),
    "ListsOfCustomers": (customer_lists, [True] * 3, [False] * 3),
    "TaxInfoOfCustomers": (customer_tax, [True] * 2, [False] * 2),
    "AccountBalanceOfCustomers": (customer_balance, 500, "account_balance"),
    "PromotionCodesNameAPromotion": (promotion, ["coupon", True, False], ["coupon", False, True]),
    "DiscountsNameASource": (discount_source, [True, False], [False, True]),
    "RemovesPaymentMethodTypesFromIntents": (
        intent_types,
        ["card"],
        "payment_method_types_no_longer_supported",
    ),
    "RemovesPaymentMethodTypesFromCheckoutSessions": (session_types, ["card"], "payment_method_types"),
    "InvoiceOfPayments": (payment_invoice, [True] * 2, [False] * 2),
    "AsynchronousCapture": (capture, "automatic", "automatic_async"),
    "DynamicPaymentMethodsByDefault": (automatic, ["card"], True),
    "FailuresOfKlarna": (
        klarna,
        "payment_intent_authentication_failure",
        "payment_method_customer_decline",
    ),
    "ChargesOfIntents": (charges, 1, NOTHING),
    "RefundsOfCharges": (refunds, [True], [False]),
    "ThreeDSecureOfCharges": (secure, [True, False], [False, True]),
    "SourceNamesOfIntents": (source_words, "requires_source", "allowed_source_types"),
    "MetersReplaceUsageRecords": (usage, [True], [False]),
    "PlansHideTiers": (tiers, [True], [False]),
    "ProductFeatures": (features, [True, None], [False, "features"]),
    "InvoiceRendering": (rendering, [True, False], [False, True]),
    "TaxPercent": (percent, [True], [False]),
    "InvoiceDates": (invoice_dates, [True, True, False], [False, False, True]),
    "InvoiceApplicationFee": (invoice_fee, [True], [False]),
    "AnchorsHaveAType": (anchors, None, "billing_cycle_anchor"),
    "ResumingTriesOnce": (resuming, "paused", "active"),
    "FlexibleBillingByDefault": (billing_mode, "classic", "flexible"),
    "PhasesHaveDurations": (iterations, None, "phases[0][iterations]"),
    "PlansAtTheTop": (plan_at_top, 2, "plan"),
    "PendingItemsLeftOut": (pending, 300, 0),
    "ProrationBehaviorReplacesProrate": (prorate, None, "prorate"),
    "CollectionMethodReplacesBilling": (billing, "charge_automatically", "billing"),
    "FailedFirstPayments": (first_failure, "card_declined", "incomplete"),
}


def test_every_change_is_here() -> None:
    assert set(BOTH) == set(CHANGES)


@pytest.mark.parametrize("name", sorted(CHANGES))
def test_before_and_at(name: str) -> None:
    change: VersionChange = CHANGES[name]
    probe, before, at = BOTH[name]
    older = KNOWN[KNOWN.index(change.version) - 1]
    assert {older: probe(Caller(older)), change.version: probe(Caller(change.version))} == {
        older: before,
        change.version: at,
    }
