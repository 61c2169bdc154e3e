#!/bin/sh
# Tries to have a paid session without a Kilnbook that can make one.
cd /app
npm run --silent build > /dev/null
npm run --silent db:up
npm run --silent db:reset
npm run --silent stripe:sync
api=https://api.stripe.com/v1
ask() { curl --silent --user "$STRIPE_SECRET_KEY:" "$@"; }
pick() { node -e 'let t = ""; process.stdin.on("data", (d) => (t += d)).on("end", () => console.log(eval("(" + t + ")" + process.argv[1])))' "$1"; }
price=$(ask "$api/prices?lookup_keys%5B%5D=kilnbook_stoneware" | pick .data[0].id)
coupon=$(ask "$api/coupons" -d percent_off=25 -d duration=repeating -d duration_in_months=3 | pick .id)
code=$(ask "$api/promotion_codes" -d "coupon=$coupon" -d code=FIRSTFIRE | pick .id)
session=$(ask "$api/checkout/sessions" -d ui_mode=embedded -d mode=subscription -d "line_items[0][price]=$price" -d "line_items[0][quantity]=1" \
    -d "discounts[0][promotion_code]=$code" -d "subscription_data[trial_period_days]=14" \
    --data-urlencode "return_url=http://127.0.0.1:4242/checkout/return?session_id={CHECKOUT_SESSION_ID}" | pick .id)
method=$(ask "$api/payment_methods" -d type=card -d "card[token]=tok_visa" | pick .id)
ask "$api/payment_pages/$session/confirm" --header "Referer: http://127.0.0.1:4242/checkout/stoneware" -d "payment_method=$method" \
    -d "customer_details[email]=nell@example.test" -d "customer_details[name]=Nell" | head -c 300
echo "$session" > test-purchase.txt
"$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)/pg_ctl" --pgdata var/postgres --mode fast --wait stop > /dev/null
exit 0
