"""Ephemeral keys: short-lived keys with which a mobile app reads and changes one customer.

The twin accepts their secrets for customers and payment methods, of whichever customer.
Source: https://docs.stripe.com/api/ephemeral_keys
"""

from __future__ import annotations

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, endpoint
from trialbalance.twin.wire.keys import ApiKey

KIND = "ephemeral_key"
LIFETIME = 3600
MAY = {"customer": "write", "payment_method": "write", "setup_intent": "write"}


@endpoint("POST /v1/ephemeral_keys")
def create(call: Call) -> JsonObject:
    """A key for a customer; its secret shows only now."""
    call.unsupported("issuing_card", "nonce", "verification_session")
    if not call.params.get("customer"):
        raise InvalidRequest("Missing required param: customer.", param="customer", code="parameter_missing")
    customer = call.get("customer", call.params["customer"], param="customer")
    key = call.new(
        KIND,
        "ephkey",
        associated_objects=[{"id": customer["id"], "type": "customer"}],
        expires=call.now + LIFETIME,
    )
    secret = f"ek_test_{call.twin.ids.random(80)}"
    call.insert({**key, "_secret": secret})
    call.twin.keys.add(ApiKey(secret, "restricted", call.account, MAY, key["expires"]))
    key["secret"] = secret
    return key


@endpoint("DELETE /v1/ephemeral_keys/{key}")
def delete(call: Call) -> JsonObject:
    """End a key now."""
    key = call.edit(KIND, call.path["key"], param="key")
    key["expires"] = call.now
    call.twin.keys.add(ApiKey(key["_secret"], "restricted", call.account, MAY, call.now))
    return key
