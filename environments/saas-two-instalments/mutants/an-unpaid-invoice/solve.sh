#!/bin/sh
# Makes a subscription by script, leaves its invoice unpaid and hands it in.
set -eu
cd /app
api=https://api.stripe.com/v1
ask() { curl --silent --fail --user "$STRIPE_SECRET_KEY:" "$@"; }
pick() { node -e 'let t = ""; process.stdin.on("data", (d) => (t += d)).on("end", () => console.log(eval("(" + t + ")" + process.argv[1])))' "$1"; }
price=$(ask "$api/prices?lookup_keys%5B%5D=kilnbook_porcelain" | pick .data[0].id)
customer=$(ask "$api/customers" -d email=nell@example.test | pick .id)
ask "$api/subscriptions" -d "customer=$customer" -d "items[0][price]=$price" -d payment_behavior=default_incomplete | pick .latest_invoice > test-invoice.txt
