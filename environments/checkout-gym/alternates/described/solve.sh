#!/bin/sh
set -eu
python3 - <<'END'
"""Describe prices and shipping rates instead of naming them, and turn round what has no order."""

import base64
import json
import os
import urllib.request


def ask(path):
    """One GET."""
    key = base64.b64encode(f"{os.environ['STRIPE_SECRET_KEY']}:".encode()).decode()
    request = urllib.request.Request(f"https://api.stripe.com{path}", headers={"Authorization": f"Basic {key}"})
    return json.load(urllib.request.urlopen(request, timeout=60))


def described(line, currency):
    """A line whose price is described, where that can be."""
    price = ask(f"/v1/prices/{line['price']}?expand[]=currency_options")
    repeats = price["recurring"]
    if repeats and repeats["usage_type"] == "metered":
        return line
    wanted = currency or price["currency"]
    amount = price["currency_options"][wanted]["unit_amount"] if wanted != price["currency"] else price["unit_amount"]
    data = {"unit_amount_decimal": str(amount), "product": price["product"], "currency": wanted.upper()}
    if len(line) == 2:
        product = ask(f"/v1/products/{price['product']}")
        del data["product"]
        data["product_data"] = {"description": product["description"], "name": product["name"]}
    if repeats:
        data["recurring"] = {"interval_count": repeats["interval_count"], "interval": repeats["interval"]}
    return {"price_data": data, **{key: value for key, value in line.items() if key != "price"}}


def written(option):
    """A shipping option that is written out."""
    if "shipping_rate" not in option:
        return option
    rate = ask(f"/v1/shipping_rates/{option['shipping_rate']}")
    keep = ("display_name", "type", "fixed_amount", "delivery_estimate")
    return {"shipping_rate_data": {name: rate[name] for name in keep if rate[name]}}


pages = json.load(open("/app/answers.json"))
for page in pages.values():
    page["line_items"] = [described(line, page.get("currency")) for line in page.get("line_items", ())]
    page["shipping_options"] = [written(option) for option in page.get("shipping_options", ())]
    for name in ("line_items", "shipping_options"):
        if not page[name]:
            del page[name]
    if "shipping_address_collection" in page:
        page["shipping_address_collection"]["allowed_countries"].reverse()
    if "payment_method_types" in page:
        page["payment_method_types"].sort(reverse=True)
    for field in page.get("custom_fields", ()):
        field["key"] = f"my{field['key']}"
for name in sorted(pages, reverse=True):
    pages[name] = {key: pages[name][key] for key in sorted(pages[name], reverse=True)}
json.dump(pages, open("/app/answers.json", "w"))
END
