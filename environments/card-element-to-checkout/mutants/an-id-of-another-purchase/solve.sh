#!/bin/sh
# Makes a session by script, leaves it unpaid and hands it in.
set -eu
cd /app
.venv/bin/python - <<'PYTHON'
import os
import sqlite3

import stripe

stripe.api_key = os.environ["STRIPE_SECRET_KEY"]
stripe.api_version = "2022-11-15"
shop = sqlite3.connect(os.environ["DATABASE_PATH"])
prices = [row[0] for row in shop.execute("SELECT stripe_price FROM products ORDER BY position")]
session = stripe.checkout.Session.create(
    ui_mode="embedded",
    mode="payment",
    return_url="http://127.0.0.1:4242/checkout/return?session_id={CHECKOUT_SESSION_ID}",
    line_items=[{"price": price, "quantity": 1} for price in prices],
)
with open("test-purchase.txt", "w", encoding="utf-8") as file:
    file.write(session.id + "\n")
PYTHON
