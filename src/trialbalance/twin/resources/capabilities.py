"""Capabilities of an account: requested by the platform, active once their requirements are met.

Source: https://docs.stripe.com/api/capabilities
"""

from __future__ import annotations

from trialbalance.twin.connect import capabilities, requirements, standing
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources import account_state
from trialbalance.twin.wire.call import Call, endpoint

KIND = "capability"


@endpoint("GET /v1/accounts/{account}/capabilities")
def list_(call: Call) -> JsonObject:
    """The capabilities that were ever requested."""
    account = account_state.get(call, call.path["account"])
    return {
        "object": "list",
        "data": [render(account, name) for name in sorted(account["_requested"])],
        "has_more": False,
        "url": call.path_name,
    }


@endpoint("GET /v1/accounts/{account}/capabilities/{capability}")
def retrieve(call: Call) -> JsonObject:
    """One capability, requested or not."""
    return render(account_state.get(call, call.path["account"]), _name(call))


@endpoint("POST /v1/accounts/{account}/capabilities/{capability}")
def update(call: Call) -> JsonObject:
    """Request a capability, or take the request back."""
    account = account_state.edit(call, call.path["account"])
    name = _name(call)
    if "requested" in call.params:
        request(call, account, {name: call.params["requested"]})
        account_state.changed(call, account)
    return render(account, name)


def request(call: Call, account: JsonObject, wanted: dict[str, bool]) -> None:
    """Request capabilities of an edited account, or take requests back."""
    for name, requested in wanted.items():
        if name == "transfers" and not requested and account["_requested"].get("card_payments"):
            raise InvalidRequest(
                "The transfers capability cannot be unrequested while card_payments is requested.",
                param="capabilities[transfers][requested]",
            )
        if requested and account["_requested"].get(name) is None:
            account["_requested"][name] = call.now
        elif not requested and name in account["_requested"]:
            account["_requested"][name] = None


def render(account: JsonObject, name: str) -> JsonObject:
    """The capability object of an account as it stands."""
    at = account["_requested"].get(name)
    whole = account["requirements"]
    shown = standing.blank()
    if at is not None:
        for which in ("currently_due", "eventually_due", "past_due", "pending_verification"):
            shown[which] = capabilities.due(name, account, which)
        shown["alternatives"] = requirements.alternatives(tuple(shown["currently_due"]))
        shown["current_deadline"] = whole["current_deadline"]
        shown["errors"] = [e for e in whole["errors"] if e["requirement"] in shown["currently_due"]]
        shown["disabled_reason"] = _disabled(account, shown)
    return {
        "id": name,
        "object": KIND,
        "account": account["id"],
        "future_requirements": standing.blank(),
        "requested": at is not None,
        "requested_at": at,
        "requirements": shown,
        "status": capabilities.status(name, account),
    }


def _disabled(account: JsonObject, shown: JsonObject) -> str | None:
    if account.get("_rejected"):
        return "rejected.other"
    if account.get("_paused"):
        return "paused.inactivity" if account["_paused"] == "inactivity" else "platform_paused"
    return "requirements.fields_needed" if shown["past_due"] else None


def _name(call: Call) -> str:
    name = call.path["capability"]
    if name not in capabilities.NAMES:
        raise NotFound(KIND, name, param="capability")
    return name
