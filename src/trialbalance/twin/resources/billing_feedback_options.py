"""Reasons of one's own for canceling a subscription.

Source: https://docs.stripe.com/api/billing/feedback-options
"""

from __future__ import annotations

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, endpoint

KIND = "billing.feedback_option"


@endpoint("POST /v1/billing/feedback_options")
def create(call: Call) -> JsonObject:
    """A new, active reason."""
    option = call.new(
        KIND,
        "bfo_test",
        description=call.params["description"],
        status="active",
        status_transitions={"deactivated_at": None},
    )
    return call.insert(option)


@endpoint("GET /v1/billing/feedback_options/{id}")
def retrieve(call: Call) -> JsonObject:
    """One reason."""
    return call.get(KIND, call.path["id"])


@endpoint("POST /v1/billing/feedback_options/{id}")
def update(call: Call) -> JsonObject:
    """Change the words."""
    option = call.edit(KIND, call.path["id"])
    call.assign(option, "description")
    return option


@endpoint("GET /v1/billing/feedback_options")
def list_(call: Call) -> JsonObject:
    """Reasons, newest first."""
    return call.list(KIND, where={"status": call.params.get("status")})


@endpoint("POST /v1/billing/feedback_options/{id}/deactivate")
def deactivate(call: Call) -> JsonObject:
    """Offer a reason no longer."""
    option = call.edit(KIND, call.path["id"])
    if option["status"] == "inactive":
        raise InvalidRequest("This feedback option is already inactive.")
    option["status"] = "inactive"
    option["status_transitions"]["deactivated_at"] = call.now
    return option
