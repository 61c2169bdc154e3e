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
OFF = frozenset({"disable_stripe_user_authentication", "destination_on_behalf_of_charge_management"})
"""Features that are off unless asked for."""
COMPONENTS: dict[str, Any] = load().objects[KIND]["components"]["object"]


@endpoint("POST /v1/account_sessions")
def create(call: Call) -> JsonObject:
    """A session with the components that were enabled; everything else is off."""
    account = account_state.edit(call, call.params["account"])
    given = call.params.plain("components") or {}
    shown = {name: _component(name, given.get(name)) for name in sorted(COMPONENTS)}
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


def _component(name: str, given: Any) -> JsonObject:
    node = COMPONENTS[name]["object"]
    enabled = bool(given and given.get("enabled"))
    features: JsonObject = {}
    known = (node.get("features") or {}).get("object") or {}
    asked = (given or {}).get("features") or {}
    for feature in sorted(known):
        features[feature] = bool(asked.get(feature, enabled and feature not in OFF))
    return {"enabled": enabled, "features": features}
