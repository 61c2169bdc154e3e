#!/bin/sh
set -eu
python3 - <<'END' > /app/answers.json
"""Open each page as a browser does, and say with which parameters the own account makes it.

Proof that the pages show enough: nothing is read but what a page is drawn from, the catalogue, and the clock.
"""

import base64
import json
import os
import re
import sys
import urllib.parse
import urllib.request

KEY = os.environ["STRIPE_SECRET_KEY"]
API = "https://api.stripe.com"


def ask(path, form=None, key=KEY, account=None):
    """One request of the API."""
    headers = {"Authorization": "Basic " + base64.b64encode(f"{key}:".encode()).decode()}
    if account:
        headers["Stripe-Account"] = account
    data = urllib.parse.urlencode(form).encode() if form is not None else None
    return json.load(urllib.request.urlopen(urllib.request.Request(API + path, data, headers), timeout=60))


def everything(name):
    """A whole list."""
    found = []
    while True:
        after = f"&starting_after={found[-1]['id']}" if found else ""
        page = ask(f"/v1/{name}{'&' if '?' in name else '?'}limit=100{after}")
        found += page["data"]
        if not page["has_more"]:
            return found


PRODUCTS = {made["id"]: made for made in everything("products")}
PRICES = everything("prices?expand[]=data.currency_options")
COUPONS = everything("coupons")
CODES = everything("promotion_codes")
CUSTOMERS = everything("customers")


def opened(url):
    """What a page is drawn from; and how to ask on."""
    html = urllib.request.urlopen(url, timeout=60).read().decode()
    note = json.loads(re.search(r'id="note">(.*?)</script>', html)[1])
    path = f"/v1/payment_pages/{note['session']}"

    def change(form, suffix=""):
        return ask(path + suffix, form, note["key"], note.get("account"))

    return change({"browser_locale": "en-US"}, "/init"), change


def price_of(shown, product, currency):
    """The id of a price that looks like this."""
    for price in PRICES:
        made = PRODUCTS[price["product"]]
        option = (price["currency_options"] or {}).get(currency)
        repeats, wanted = price["recurring"], shown["recurring"]
        if (
            (made["name"], made["description"]) == (product["name"], product["description"])
            and option
            and option["unit_amount_decimal"] == shown["unit_amount_decimal"]
            and bool(repeats) == bool(wanted)
            and (not wanted or all(repeats[name] == wanted[name] for name in ("interval", "interval_count", "usage_type")))
        ):
            return price["id"]
    raise SystemExit(f"nothing looks like {product} at {shown}")


def lines(page):
    """line_items and optional_items."""
    made = []
    for line in page["line_items"]:
        entry = {"price": price_of(line["price"], line["product"], page["currency"])}
        if not line["metered"]:
            entry["quantity"] = line["quantity"]
        limits = line["adjustable_quantity"]
        if limits and limits["enabled"]:
            entry["adjustable_quantity"] = limits
        made.append(entry)
    yield "line_items", made
    offers = []
    for item in page["optional_items"]:
        entry = {"price": price_of(item["price"], item["product"], page["currency"]), "quantity": item["quantity"]}
        limits = item["adjustable_quantity"]
        if limits and limits["enabled"]:
            entry["adjustable_quantity"] = {key: value for key, value in limits.items() if value is not None}
        offers.append(entry)
    yield "optional_items", offers


def discount(page):
    """discounts."""
    shown = page["discount"]
    if not shown:
        return []
    if shown["code"]:
        return [{"promotion_code": next(code["id"] for code in CODES if code["code"] == shown["code"])}]
    names = ("name", "percent_off", "amount_off", "duration")
    return [{"coupon": next(c["id"] for c in COUPONS if all(c[name] == shown[name] for name in names))}]


def shipping(page):
    """shipping_options, written out."""
    return [
        {
            "shipping_rate_data": {
                "display_name": rate["display_name"],
                "type": "fixed_amount",
                "fixed_amount": {"amount": rate["amount"], "currency": page["currency"]},
                **({"delivery_estimate": rate["delivery_estimate"]} if rate["delivery_estimate"] else {}),
            }
        }
        for rate in page["shipping_options"]
    ]


def who(page):
    """customer or customer_email."""
    email = (page["customer_details"] or {}).get("email")
    if not email:
        return {}
    known = [made["id"] for made in CUSTOMERS if made["email"] == email]
    options = page["saved_payment_method_options"] or {}
    saved = {name: options[name] for name in ("payment_method_save", "payment_method_remove") if options.get(name)}
    return {"customer": known[0], "saved_payment_method_options": saved} if known else {"customer_email": email}


def subscription(page):
    """subscription_data."""
    shown = page["subscription"]
    if not shown:
        return {}
    if shown["trial_days"]:
        return {"trial_period_days": shown["trial_days"]}
    if not shown["renews"]:
        return {}
    first = sum(line["amount_subtotal"] for line in page["line_items"] if line["price"]["recurring"])
    return {"billing_cycle_anchor": shown["renews"], **({} if first else {"proration_behavior": "none"})}


def fields(page):
    """custom_fields, without what is not set."""
    for field in page["custom_fields"]:
        rules = {key: value for key, value in field[field["type"]].items() if value is not None and key != "value"}
        made = {name: field[name] for name in ("key", "type", "optional", "label")}
        yield {**made, **({field["type"]: rules} if rules else {})}


def found_out(url):
    """The parameters of one page."""
    page, change = opened(url)
    mode = page["mode"]
    made = {
        "mode": mode,
        "locale": page["locale"] or "auto",
        "cancel_url": page["cancel_url"],
        "billing_address_collection": page["billing_address_collection"] or "auto",
        "phone_number_collection": page["phone_number_collection"],
        "payment_method_types": page["payment_method_types"],
        "branding_settings": {key: value for key, value in page["branding_settings"].items() if value},
        "custom_text": {slot: text for slot, text in page["custom_text"].items() if text},
        "custom_fields": list(fields(page)),
        "name_collection": page["name_collection"],
        "tax_id_collection": page["tax_id_collection"],
        "shipping_address_collection": page["shipping_address_collection"],
        "automatic_tax": {"enabled": page["automatic_tax"]["enabled"]},
        "allow_promotion_codes": page["allow_promotion_codes"],
        "wallet_options": None if page["link"]["enabled"] else {"link": {"display": "never"}},
        "consent_collection": {key: value for key, value in (page["consent_collection"] or {}).items() if value},
        **who(page),
    }
    if mode != "setup":
        made |= dict(lines(page))
        made |= {"currency": page["currency"], "discounts": discount(page), "shipping_options": shipping(page)}
    if mode == "payment":
        made["submit_type"] = page["submit_type"]
        made["payment_intent_data"] = {"setup_future_usage": "off_session"} if page["reuse"] else None
    if mode == "subscription":
        made["subscription_data"] = subscription(page)
        made["payment_method_collection"] = page["payment_method_collection"]
    return {key: value for key, value in made.items() if value not in (None, [], {})}


answers = {}
for number in range(1, 25):
    answers[f"{number:02}"] = found_out(os.environ[f"PAGE_{number:02}"])
    print(number, "seen", file=sys.stderr)
print(json.dumps(answers, indent=1))
END
