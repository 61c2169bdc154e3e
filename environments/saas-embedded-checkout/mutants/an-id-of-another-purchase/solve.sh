#!/bin/sh
# Makes a session by script, leaves it unpaid and hands it in.
set -eu
cd /app
api=https://api.stripe.com/v1
ask() { curl --silent --fail --user "$STRIPE_SECRET_KEY:" "$@"; }
pick() { node -e 'let t = ""; process.stdin.on("data", (d) => (t += d)).on("end", () => console.log(eval("(" + t + ")" + process.argv[1])))' "$1"; }
price=$(ask "$api/prices?lookup_keys%5B%5D=kilnbook_stoneware" | pick .data[0].id)
ask "$api/checkout/sessions" -d ui_mode=embedded -d mode=subscription -d "line_items[0][price]=$price" -d "line_items[0][quantity]=1" \
    --data-urlencode "return_url=http://127.0.0.1:4242/checkout/return" | pick .id > test-purchase.txt
