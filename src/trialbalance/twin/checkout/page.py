"""A session as its page needs it: with products, prices, shipping rates, the account and saved methods."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import quote

from trialbalance.twin.billing import collection
from trialbalance.twin.billing.pricing import CurrencyMissing, amount_of, terms
from trialbalance.twin.checkout import lines, link, offers, totals
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.resources import files
from trialbalance.twin.wire.call import Call

SESSION = (
    "after_expiration", "allow_promotion_codes", "amount_subtotal", "amount_total", "automatic_tax",
    "billing_address_collection", "branding_settings", "cancel_url", "client_reference_id",
    "collected_information", "consent", "consent_collection", "currency", "custom_fields", "custom_text",
    "customer_details", "customer_email", "expires_at", "locale", "mode", "name_collection",
    "payment_method_collection", "payment_method_options", "payment_method_types", "payment_status",
    "permissions", "phone_number_collection", "redirect_on_completion", "return_url", "saved_payment_method_options",
    "shipping_address_collection", "shipping_cost", "status", "submit_type", "tax_id_collection",
    "total_details", "ui_mode", "wallet_options",
)  # fmt: skip
"""What of the session a browser may see."""


def page(call: Call, session: JsonObject) -> JsonObject:
    """Everything the page shows and needs, for whoever may open it."""
    shown = {name: session.get(name) for name in SESSION}
    return {
        "id": session["id"],
        "object": "payment_page",
        **shown,
        "branding_settings": branding(call, session),
        "account": account(call, session),
        "can_change_email": not (session["customer_email"] or _customer_email(call, session)),
        "cross_sells": [cross_sell(call, session, *offer) for offer in offers.cross_sells(call, session)],
        "discount": discount(call, session),
        "confirmation": (session.get("_link") or {}).get("custom_message"),
        "line_items": [line(call, session, item) for item in lines.of_session(call, session)],
        "link": link.settings(call, session),
        "livemode": False,
        "now": call.now,
        "optional_items": [optional(call, session, row) for row in session.get("optional_items") or ()],
        "payment_intent": intent(call, "payment_intent", payment_of(call, session)),
        "payment_methods": saved(call, session),
        "redirect": redirect(session),
        "reuse": bool((session.get("_payment_intent_data") or {}).get("setup_future_usage")),
        "setup_intent": intent(call, "setup_intent", setup_of(call, session)),
        "shipping_options": [
            rate(call, option["shipping_rate"], session) for option in session["shipping_options"]
        ],
        "subscription": recurrence(call, session),
        "taxes": taxes(call, session),
        "upsell": upsell(call, session),
    }


def account(call: Call, session: JsonObject) -> JsonObject:
    """The merchant as the page shows it."""
    found = call.find("account", call.account) or {}
    settings = found.get("settings") or {}
    profile = found.get("business_profile") or {}
    branding = session.get("branding_settings") or {}
    name = branding.get("display_name") or (settings.get("dashboard") or {}).get("display_name")
    return {
        "country": found.get("country") or call.twin.config.country,
        "display_name": name or call.twin.config.display_name,
        "id": call.account,
        "privacy_url": profile.get("privacy_policy_url"),
        "support_email": profile.get("support_email"),
        "terms_url": profile.get("terms_of_service_url"),
        "url": profile.get("url"),
    }


def branding(call: Call, session: JsonObject) -> JsonObject | None:
    """The branding settings; pictures that were uploaded as files come with an address that shows them."""
    settings: JsonObject | None = session.get("branding_settings")
    if not settings:
        return settings
    return {**settings, **{name: _picture(call, settings[name]) for name in ("icon", "logo")}}


def _picture(call: Call, image: JsonObject | None) -> JsonObject | None:
    if image is None or image["type"] != "file":
        return image
    found = files.content(call.twin, call.account, image["file"])
    if found is None:
        return image
    content, kind, _ = found
    kinds = {"jpg": "image/jpeg", "svg": "image/svg+xml"}
    data = base64.b64encode(content).decode()
    return {**image, "url": f"data:{kinds.get(kind, f'image/{kind}')};base64,{data}"}


def line(call: Call, session: JsonObject, item: JsonObject) -> JsonObject:
    """A line with its product's picture and words."""
    product = lines.product_of(call, item["price"])
    keep = (
        "adjustable_quantity", "amount_discount", "amount_subtotal", "amount_tax", "amount_total", "currency",
        "description", "id", "quantity",
    )  # fmt: skip
    return {
        **{name: item[name] for name in keep},
        "metered": lines.metered(item["price"]),
        "optional": item["_optional"],
        "price": price(call.find("price", item["price"]["id"]) or item["price"], session["currency"]),
        "product": {
            "description": product.get("description"),
            "images": list(product.get("images") or ()),
            "name": product["name"],
            "unit_label": product.get("unit_label"),
        },
        "tax_inclusive": sum(
            amount for rate, amount, *_ in item.get("_taxes", ()) if call.get("tax_rate", rate)["inclusive"]
        ),
    }


def price(found: JsonObject, currency: str | None = None) -> JsonObject:
    """A price as a page shows it: in the page's currency, where the price has several, else in its own."""
    currency = currency or found["currency"]
    try:
        amounts = terms(found, currency)
    except CurrencyMissing:
        currency, amounts = found["currency"], terms(found)
    decimal = amounts["unit_amount_decimal"]
    return {
        "billing_scheme": found.get("billing_scheme"),
        "currency": currency,
        "custom_unit_amount": amounts["custom_unit_amount"],
        "id": found["id"],
        "recurring": found.get("recurring"),
        "tax_behavior": amounts["tax_behavior"],
        "unit_amount": int(decimal) if decimal is not None and "." not in str(decimal) else None,
        "unit_amount_decimal": decimal,
    }


def optional(call: Call, session: JsonObject, row: JsonObject) -> JsonObject:
    """An item the customer may add, and how many they did."""
    found = call.get("price", row["price"])
    product = lines.product_of(call, found)
    held = [
        item
        for item in lines.of_session(call, session)
        if item["_optional"] and item["price"]["id"] == row["price"]
    ]
    return {
        "adjustable_quantity": row["adjustable_quantity"],
        "chosen": held[0]["quantity"] if held else 0,
        "price": price(found, session["currency"]),
        "product": {
            "description": product.get("description"),
            "images": list(product.get("images") or ()),
            "name": product["name"],
        },
        "quantity": row["quantity"],
    }


def cross_sell(call: Call, session: JsonObject, found: JsonObject, added: bool) -> JsonObject:
    """One of a product that the merchant offers beside the order."""
    product = lines.product_of(call, found)
    return {
        "amount": amount_of(found, 1, currency=session["currency"]),
        "chosen": added,
        "currency": session["currency"],
        "price": price(found, session["currency"]),
        "product": {
            "description": product.get("description"),
            "id": product["id"],
            "images": list(product.get("images") or ()),
            "name": product["name"],
        },
    }


def upsell(call: Call, session: JsonObject) -> JsonObject | None:
    """The offer to pay for longer: what that costs in a cycle, and what it saves."""
    offer = offers.upsell(call, session)
    if offer is None:
        return None
    saved = offers.savings(offer, session["currency"])
    return {
        "amount": amount_of(offer.target, offer.item["quantity"], currency=session["currency"]),
        "chosen": offer.chosen,
        "line": offer.item["id"],
        "price": price(offer.target, session["currency"]),
        "saved": saved[0] if saved else None,
        "saved_percent": saved[1] if saved else None,
    }


def discount(call: Call, session: JsonObject) -> JsonObject | None:
    """The discount in force: its name, its code, what it takes off."""
    for entry in session.get("_discounts") or ():
        coupon = call.find("coupon", entry["coupon"]) or {}
        code = call.find("promotion_code", entry["promotion_code"])
        return {
            "amount": (session["total_details"] or {}).get("amount_discount", 0),
            "amount_off": coupon.get("amount_off"),
            "code": code["code"] if code else None,
            "currency": coupon.get("currency"),
            "duration": coupon.get("duration"),
            "duration_in_months": coupon.get("duration_in_months"),
            "name": coupon.get("name") or (code["code"] if code else coupon.get("id")),
            "percent_off": coupon.get("percent_off"),
        }
    return None


def intent(call: Call, kind: str, identifier: str | None) -> JsonObject | None:
    """What the page needs of the intent to go on with it."""
    found = call.find(kind, identifier)
    if found is None:
        return None
    error = found.get("last_payment_error") or found.get("last_setup_error")
    return {
        "client_secret": found["client_secret"],
        "id": found["id"],
        "last_error": {name: error.get(name) for name in ("code", "decline_code", "message")}
        if error
        else None,
        "next_action": found["next_action"],
        "object": kind,
        "status": found["status"],
    }


def payment_of(call: Call, session: JsonObject) -> str | None:
    """The payment intent the customer may have to act on: the session's, or that of the first invoice."""
    subscription = call.find("subscription", session.get("_subscription"))
    if subscription is None:
        found: str | None = session["payment_intent"]
        return found
    invoice = call.find("invoice", subscription["latest_invoice"])
    if invoice is None or invoice["status"] != "open":
        return None
    return collection.intent_of(call, invoice)


def setup_of(call: Call, session: JsonObject) -> str | None:
    """The setup intent the customer may have to act on."""
    subscription = call.find("subscription", session.get("_subscription"))
    found: str | None = (subscription or {}).get("pending_setup_intent") or session["setup_intent"]
    return found


def saved(call: Call, session: JsonObject) -> list[JsonObject]:
    """The cards of a known customer that may be shown again.

    Source: https://docs.stripe.com/payments/existing-customers?platform=web&ui=stripe-hosted#prefill-payment-fields
    """
    options = session["saved_payment_method_options"]
    if not session["customer"] or not options or session["mode"] == "setup":
        return []
    filters = options["allow_redisplay_filters"] or ["always"]
    methods = [
        found
        for found in call.ledger.all(call.account, "payment_method", customer=session["customer"])
        if found["type"] == "card" and (found.get("allow_redisplay") or "unspecified") in filters
    ]
    return [
        {
            "billing_details": found["billing_details"],
            "card": {name: found["card"][name] for name in ("brand", "exp_month", "exp_year", "last4")},
            "id": found["id"],
            "type": "card",
        }
        for found in reversed(methods)
    ]


def rate(call: Call, identifier: str, session: JsonObject) -> JsonObject:
    """A shipping rate with its amount and estimate."""
    found = call.get("shipping_rate", identifier)
    return {
        "amount": totals.amount_of_rate(found, session["currency"]),
        "delivery_estimate": found["delivery_estimate"],
        "display_name": found["display_name"],
        "id": identifier,
        "selected": session.get("_shipping_rate") == identifier,
    }


def taxes(call: Call, session: JsonObject) -> list[JsonObject]:
    """Each tax by name."""
    found = []
    for identifier, amount, *_ in (session.get("_breakdown") or {}).get("taxes", ()):
        tax = call.find("tax_rate", identifier) or {}
        keep = ("display_name", "inclusive", "percentage")
        found.append({"amount": amount, **{name: tax.get(name) for name in keep}})
    return found


def recurrence(call: Call, session: JsonObject) -> JsonObject | None:
    """How the subscription will go on: interval, amount, trial."""
    if session["mode"] != "subscription":
        return None
    repeating = [item for item in lines.of_session(call, session) if lines.recurring(item["price"])]
    if not repeating:
        return None
    first = repeating[0]["price"]["recurring"]
    data: dict[str, Any] = session["_subscription_data"]
    return {
        "billing_cycle_anchor": data.get("billing_cycle_anchor"),
        "interval": first["interval"],
        "interval_count": first["interval_count"],
        "metered": any(lines.metered(item["price"]) for item in repeating),
        "next": totals.next_period(call, session),
        "renews": totals.renewal(call, session, repeating[0]["price"]),
        "trial_days": totals.trial_days(session),
        "trial_end": data.get("trial_end"),
    }


def redirect(session: JsonObject) -> str | None:
    """Where the browser goes once the session is complete.

    Source: https://docs.stripe.com/payments/checkout/custom-success-page
    """
    url = session["success_url"] or session.get("return_url")
    if session["status"] != "complete" or not url or (session.get("_link") or {}).get("stays"):
        return None
    return str(url).replace("{CHECKOUT_SESSION_ID}", quote(session["id"], safe=""))


def _customer_email(call: Call, session: JsonObject) -> str | None:
    found = call.find("customer", session["customer"])
    return found["email"] if found else None
