"""Early fraud warnings: a card network reports a payment before anybody disputes it.

Source: https://docs.stripe.com/api/radar/early_fraud_warnings
"""

from __future__ import annotations

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import Call, endpoint

KIND = "radar.early_fraud_warning"


@endpoint("GET /v1/radar/early_fraud_warnings/{early_fraud_warning}")
def retrieve(call: Call) -> JsonObject:
    """One warning."""
    return _shown(call, call.get(KIND, call.path["early_fraud_warning"], param="early_fraud_warning"))


@endpoint("GET /v1/radar/early_fraud_warnings")
def list_(call: Call) -> JsonObject:
    """Warnings, newest first."""
    params = call.params
    return call.list(
        KIND,
        where={"charge": params.get("charge"), "payment_intent": params.get("payment_intent")},
        show=lambda warning: _shown(call, warning),
    )


def open_for(call: Call, charge: JsonObject) -> JsonObject:
    """A warning about a charge that its test card asks for."""
    warning = call.new(
        KIND,
        "issfr",
        actionable=True,
        charge=charge["id"],
        fraud_type="unauthorized_use_of_card",
        payment_intent=charge["payment_intent"],
    )
    call.insert(warning)
    call.emit("radar.early_fraud_warning.created", warning)
    return warning


def _shown(call: Call, warning: JsonObject) -> JsonObject:
    """Actionable until the charge is refunded or disputed."""
    charge = call.get("charge", warning["charge"])
    return {**warning, "actionable": not (charge["refunded"] or charge["disputed"])}
