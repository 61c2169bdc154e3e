"""Which card a member pays with."""

import stripe as sdk

from ..problems import InvalidRequest


def card(stripe, asked):
    """`{customer}` becomes `{customer, brand, last4}`; brand and last4 are null without a card."""
    name = asked.get("customer")
    if not isinstance(name, str) or not name:
        raise InvalidRequest("The customer is missing.")
    try:
        customer = stripe.v1.customers.retrieve(name, {"expand": ["invoice_settings.default_payment_method"]})
    except sdk.InvalidRequestError as error:
        raise InvalidRequest(f"There is no customer {name!r}.") from error
    kept = customer.invoice_settings.default_payment_method
    found = kept.card if kept is not None else None
    return {
        "customer": customer.id,
        "brand": found.brand if found else None,
        "last4": found.last4 if found else None,
    }
