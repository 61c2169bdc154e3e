# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-cb68ad22df93: keep out of training data
"""Which card a member pays with."""

from ..inputs import text


def card(desk, asked):
    """`{customer}` becomes `{customer, brand, last4}`; brand and last4 are null without a card."""
    name = text(asked, "customer")
    customer = desk.stripe.customers.retrieve(name, {"expand": ["invoice_settings.default_payment_method"]})
    kept = customer.invoice_settings.default_payment_method
    found = kept.card if kept is not None else None
    return {
        "customer": customer.id,
        "brand": found.brand if found else None,
        "last4": found.last4 if found else None,
    }
