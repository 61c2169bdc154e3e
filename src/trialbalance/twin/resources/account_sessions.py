"""Account sessions: what embedded components of a connected account may show.

Source: https://docs.stripe.com/api/account_sessions
"""

from __future__ import annotations

from typing import Any

from trialbalance.contract import load
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import account_state
from trialbalance.twin.wire.call import Call, endpoint

KIND = "account_session"
LIFETIME = 3600
OFF = frozenset({"destination_on_behalf_of_charge_management"})
"""Features that are off unless asked for."""
LIABLE = frozenset({"edit_payout_schedule", "instant_payouts", "standard_payouts"})
"""Features that are on unless asked otherwise only where Stripe bears an account's negative balances."""
COMPONENTS: dict[str, Any] = load().objects[KIND]["components"]["object"]


@endpoint("POST /v1/account_sessions")
def create(call: Call) -> JsonObject:
    """A session with the components that were enabled; everything else is off."""
    account = account_state.edit(call, call.params["account"])
    given = call.params.plain("components") or {}
    shown = {name: _component(account, name, given.get(name)) for name in sorted(COMPONENTS)}
    if not any(component["enabled"] for component in shown.values()):
        raise InvalidRequest("At least one component must be enabled.", param="components")
    if not account.get("_linked"):
        account["_linked"] = True
        account_state.refresh(call, account)
    session = call.new(
        KIND,
        None,
        account=account["id"],
        client_secret=f"accs_secret__{call.twin.ids.random(40)}",
        components=shown,
        expires_at=call.now + LIFETIME,
    )
    kept = {**session, "id": session["client_secret"]}
    account_state.platform(call).insert(kept, kind=KIND)
    return session


def _component(account: JsonObject, name: str, given: Any) -> JsonObject:
    """One component with every feature it has, as asked or by default.

    Raises:
        InvalidRequest: a feature that accounts whose details Stripe collects cannot have.
    """
    node = COMPONENTS[name]["object"]
    enabled = bool(given and given.get("enabled"))
    known = (node.get("features") or {}).get("object") or {}
    asked = (given or {}).get("features") or {}
    collecting = account["controller"]["requirement_collection"] == "application"
    for feature, value in (
        ("disable_stripe_user_authentication", True),
        ("external_account_collection", False),
    ):
        if asked.get(feature) is value and not collecting:
            raise InvalidRequest(
                f"`{feature}` can only be {str(value).lower()} for accounts where you are responsible for collecting "
                "requirements: those whose `controller.requirement_collection` is `application`.",
                param=f"components[{name}][features][{feature}]",
            )
    features: JsonObject = {}
    for feature in sorted(known):
        default = enabled and _default(account, feature, asked)
        features[feature] = bool(asked.get(feature, default))
    return {"enabled": enabled, "features": features}


def _default(account: JsonObject, feature: str, asked: Any) -> bool:
    """What a feature of an enabled component is when nothing was said about it."""
    if feature == "disable_stripe_user_authentication":
        return not asked.get("external_account_collection", True)
    if feature == "smart_disputes_management":
        return bool(asked.get("dispute_management", True))
    if feature in LIABLE:
        return bool(account["controller"]["losses"]["payments"] == "stripe")
    return feature not in OFF
