"""Domains registered for wallets and other payment methods in the browser.

Source: https://docs.stripe.com/api/payment_method_domains and https://docs.stripe.com/api/apple_pay_domains
"""

from __future__ import annotations

import re

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, endpoint

KIND = "payment_method_domain"
APPLE = "apple_pay_domain"
METHODS = ("amazon_pay", "apple_pay", "google_pay", "klarna", "link", "paypal")
_HOST = re.compile(r"^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$", re.IGNORECASE)


@endpoint("POST /v1/payment_method_domains")
def create(call: Call) -> JsonObject:
    """Register a domain; every method is active on it."""
    name = _name(call)
    if _existing(call, KIND, name) is not None:
        raise InvalidRequest(
            f"The domain {name} is already registered.", param="domain_name", code="resource_already_exists"
        )
    domain = call.new(
        KIND,
        "pmd",
        domain_name=name,
        enabled=call.params.get("enabled") is not False,
        **{method: {"status": "active"} for method in METHODS},
    )
    return call.insert(domain)


@endpoint("GET /v1/payment_method_domains/{payment_method_domain}")
def retrieve(call: Call) -> JsonObject:
    """One domain."""
    return call.get(KIND, call.path["payment_method_domain"])


@endpoint("GET /v1/payment_method_domains")
def list_(call: Call) -> JsonObject:
    """Domains, newest first."""
    params = call.params
    return call.list(KIND, where={"domain_name": params.get("domain_name"), "enabled": params.get("enabled")})


@endpoint("POST /v1/payment_method_domains/{payment_method_domain}")
def update(call: Call) -> JsonObject:
    """Enable or disable a domain."""
    domain = call.edit(KIND, call.path["payment_method_domain"])
    call.assign(domain, "enabled")
    return domain


@endpoint("POST /v1/payment_method_domains/{payment_method_domain}/validate")
def validate(call: Call) -> JsonObject:
    """Validate again: in test mode every domain is valid."""
    return call.get(KIND, call.path["payment_method_domain"])


@endpoint("POST /v1/apple_pay/domains")
def create_apple(call: Call) -> JsonObject:
    """Register a domain for Apple Pay; one that is registered is answered again."""
    name = _name(call)
    found = _existing(call, APPLE, name)
    return found if found is not None else call.insert(call.new(APPLE, "apwc", domain_name=name))


@endpoint("GET /v1/apple_pay/domains/{domain}")
def retrieve_apple(call: Call) -> JsonObject:
    """One domain of Apple Pay."""
    return call.get(APPLE, call.path["domain"])


@endpoint("GET /v1/apple_pay/domains")
def list_apple(call: Call) -> JsonObject:
    """Domains of Apple Pay, newest first."""
    return call.list(APPLE, where={"domain_name": call.params.get("domain_name")})


@endpoint("DELETE /v1/apple_pay/domains/{domain}")
def delete_apple(call: Call) -> JsonObject:
    """Forget a domain of Apple Pay."""
    return call.deleted_stub(call.delete(APPLE, call.path["domain"]))


def _name(call: Call) -> str:
    name = str(call.params["domain_name"])
    if not _HOST.match(name):
        raise InvalidRequest(f"Invalid domain name: {name}", param="domain_name")
    return name.lower()


def _existing(call: Call, kind: str, name: str) -> JsonObject | None:
    return next((d for d in call.ledger.all(call.account, kind) if d["domain_name"] == name), None)
