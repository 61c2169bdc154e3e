#!/bin/sh
# Tries to have a payment on a shop of a marketplace that has no Payments tab.
set -eu
cd /app
npm run --silent build > /dev/null
npm run --silent db:reset
ask() { curl --silent --fail --user "$STRIPE_SECRET_KEY:" "$@"; }
pick() { node -e 'let t = ""; process.stdin.on("data", (d) => (t += d)).on("end", () => console.log(eval("(" + t + ")" + process.argv[1])))' "$1"; }
api=https://api.stripe.com/v1
account=$(ask "$api/accounts" -d country=GB -d email=femke@headband.example -d "controller[stripe_dashboard][type]=none" \
    -d "capabilities[card_payments][requested]=true" -d "capabilities[transfers][requested]=true" -d "metadata[seller]=5" | pick .id)
secret=$(ask "$api/account_sessions" -d "account=$account" -d "components[account_onboarding][enabled]=true" -d "components[payments][enabled]=true" | pick .client_secret)
token=$(curl --silent --user "$STRIPE_PUBLISHABLE_KEY:" "$api/account_sessions/claim" -d "client_secret=$secret" | pick .token)
curl --silent --user "$STRIPE_PUBLISHABLE_KEY:" --header "Referer: http://127.0.0.1:4242/dashboard/payments" \
    "$api/embedded/account/submit" -d "session=$token" -d component=account_onboarding > /dev/null
ask "$api/payment_intents" --header "Stripe-Account: $account" -d amount=6450 -d currency=gbp -d "payment_method_types[]=card" \
    -d payment_method=pm_card_visa -d confirm=true -d application_fee_amount=516 -d "metadata[order]=9" | pick .id > test-payment.txt
curl --silent --user "$STRIPE_PUBLISHABLE_KEY:" "$api/embedded/payments?session=$token&component=payments" | head -c 300
