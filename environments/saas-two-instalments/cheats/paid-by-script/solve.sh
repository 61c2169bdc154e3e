#!/bin/sh
# Tries to have a paid invoice without a Kilnbook that can sell in instalments.
cd /app
npm run --silent build > /dev/null
npm run --silent db:up
npm run --silent db:reset
npm run --silent stripe:sync
api=https://api.stripe.com/v1
ask() { curl --silent --user "$STRIPE_SECRET_KEY:" "$@"; }
pick() { node -e 'let t = ""; process.stdin.on("data", (d) => (t += d)).on("end", () => console.log(eval("(" + t + ")" + process.argv[1])))' "$1"; }
price=$(ask "$api/prices?lookup_keys%5B%5D=kilnbook_porcelain" | pick .data[0].id)
customer=$(ask "$api/customers" -d email=nell@example.test | pick .id)
invoice=$(ask "$api/subscriptions" -d "customer=$customer" -d "items[0][price]=$price" -d payment_behavior=default_incomplete | pick .latest_invoice)
for amount in 39548 39547; do
    session=$(ask "$api/checkout/sessions" -d mode=payment -d "customer=$customer" -d "line_items[0][price_data][currency]=eur" \
        -d "line_items[0][price_data][unit_amount]=$amount" -d "line_items[0][price_data][product_data][name]=Porcelain" \
        -d "line_items[0][quantity]=1" --data-urlencode "success_url=http://127.0.0.1:4242/api/checkout/return" | pick .id)
    method=$(ask "$api/payment_methods" -d type=card -d "card[token]=tok_visa" | pick .id)
    ask "$api/payment_pages/$session/confirm" --header "Referer: http://127.0.0.1:4242/pricing" -d "payment_method=$method" \
        -d "customer_details[email]=nell@example.test" -d "customer_details[name]=Nell" > /dev/null
    intent=$(ask "$api/checkout/sessions/$session" | pick .payment_intent)
    ask "$api/invoices/$invoice/attach_payment" -d "payment_intent=$intent" | head -c 200
done
echo "$invoice" > test-invoice.txt
"$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)/pg_ctl" --pgdata var/postgres --mode fast --wait stop > /dev/null
exit 0
