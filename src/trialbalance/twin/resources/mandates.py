"""Mandates: a customer's permission to debit them again.

Made when a payment method that needs one is set up or saved, from `mandate_data` (or implicitly, offline).
Source: https://docs.stripe.com/api/mandates
"""

from __future__ import annotations

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.rails.table import RAILS
from trialbalance.twin.wire.call import Call, endpoint

KIND = "mandate"


@endpoint("GET /v1/mandates/{mandate}")
def retrieve(call: Call) -> JsonObject:
    """One mandate."""
    return call.get(KIND, call.path["mandate"])


def accept(call: Call, intent: JsonObject, method: JsonObject) -> None:
    """Read `mandate` or `mandate_data` of a confirmation and keep the mandate to use on the intent.

    Raises:
        InvalidRequest: the mandate is another method's, or one is missing.
    """
    params = call.params
    named = params.get("mandate") or None
    data = params.plain("mandate_data") or None
    if named:
        mandate = call.get(KIND, named, param="mandate")
        if mandate["payment_method"] != method["id"]:
            raise InvalidRequest(
                f"The mandate {named} does not belong to the PaymentMethod {method['id']}.", param="mandate"
            )
        if mandate["status"] != "active":
            raise InvalidRequest(
                f"The mandate {named} is {mandate['status']}.", param="mandate", code="mandate_invalid"
            )
        intent["_mandate"] = named
        return
    rail = RAILS.get(method["type"])
    wanted = (
        rail is not None
        and rail.mandate
        and (intent["object"] == "setup_intent" or rail.flow in ("debit", "verify"))
    )
    if data:
        intent["_acceptance"] = data["customer_acceptance"]
    elif wanted and method.get("_mandate"):
        intent["_mandate"] = method["_mandate"]
    elif wanted and _browser(call):
        intent["_acceptance"] = {"type": "online", "online": {}}
    elif wanted and method.get("customer") is None and method["type"] != "link":
        raise InvalidRequest(
            f"This {'SetupIntent' if intent['object'] == 'setup_intent' else 'PaymentIntent'} requires a mandate, but "
            "no existing mandate was found. Collect mandate acceptance from the customer and try again, providing "
            "acceptance data in the mandate_data parameter.",
            param="mandate_data",
            code=f"{intent['object']}_mandate_invalid",
        )


def open_for(call: Call, intent: JsonObject, method: JsonObject, *, multi_use: bool) -> str | None:
    """The mandate of a successful confirmation: the one named, or a new one from what was accepted."""
    if intent.get("_mandate"):
        return str(intent["_mandate"])
    accepted = intent.get("_acceptance")
    if accepted is None:
        return None
    mandate = make(
        call,
        method,
        accepted,
        multi_use=multi_use,
        amount=intent.get("amount"),
        currency=intent.get("currency"),
    )
    intent["_mandate"] = mandate["id"]
    if multi_use:
        method["_mandate"] = mandate["id"]
    return str(mandate["id"])


def make(
    call: Call,
    method: JsonObject,
    accepted: JsonObject,
    *,
    multi_use: bool,
    amount: int | None = None,
    currency: str | None = None,
    status: str = "active",
) -> JsonObject:
    """A new, stored mandate."""
    kind = accepted.get("type") or "offline"
    acceptance: JsonObject = {"accepted_at": accepted.get("accepted_at") or call.now, "type": kind}
    if kind == "online":
        online = accepted.get("online") or {}
        acceptance["online"] = {
            "ip_address": online.get("ip_address") or "192.0.2.1",
            "user_agent": online.get("user_agent") or "",
        }
    else:
        acceptance["offline"] = {}
    fields: JsonObject = {
        "customer_acceptance": acceptance,
        "payment_method": method["id"],
        "payment_method_details": {"type": method["type"], method["type"]: _details(call, method["type"])},
        "status": status,
        "type": "multi_use" if multi_use else "single_use",
    }
    if multi_use:
        fields["multi_use"] = {}
    else:
        fields["single_use"] = {"amount": amount, "currency": currency}
    return call.insert(call.new(KIND, "mandate", **fields))


def _details(call: Call, type: str) -> JsonObject:
    reference = call.twin.ids.random(16, "ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
    if type == "sepa_debit":
        return {
            "reference": reference,
            "url": f"https://hooks.stripe.com/adapter/sepa_debit/file/{reference}",
        }
    if type == "bacs_debit":
        return {
            "display_name": None,
            "network_status": "accepted",
            "reference": reference[:8],
            "revocation_reason": None,
            "service_user_number": None,
            "url": f"https://payments.stripe.com/bacs/{reference}",
        }
    if type == "au_becs_debit":
        return {"url": f"https://payments.stripe.com/au_becs_debit/{reference}"}
    if type == "acss_debit":
        return {
            "default_for": ["invoice", "subscription"],
            "interval_description": None,
            "payment_schedule": "sporadic",
            "transaction_type": "personal",
        }
    return {}


def _browser(call: Call) -> bool:
    return call.api_key is not None and call.api_key.kind == "publishable"
