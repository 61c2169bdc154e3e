#!/bin/sh
# Tries to have memberships without a program that can make them.
cd /app
.venv/bin/python - <<'PYTHON'
import os

from stripe import StripeClient

stripe = StripeClient(os.environ["STRIPE_SECRET_KEY"]).v1
start = 1830000000
clock = stripe.test_helpers.test_clocks.create({"frozen_time": start})
customer = stripe.customers.create(
    {
        "test_clock": clock.id, "payment_method": "pm_card_visa",
        "invoice_settings": {"default_payment_method": "pm_card_visa"},
    }
)
product = stripe.products.create({"name": "Bench"})
price = stripe.prices.create(
    {"product": product.id, "unit_amount": 4200, "currency": "gbp", "recurring": {"interval": "month"}}
)
made = stripe.subscriptions.create({"customer": customer.id, "items": [{"price": price.id}]})
stripe.subscription_schedules.create({"from_subscription": made.id})
stripe.test_helpers.test_clocks.advance(clock.id, {"frozen_time": start + 32 * 86400})
print(made.id)
PYTHON
exit 0
