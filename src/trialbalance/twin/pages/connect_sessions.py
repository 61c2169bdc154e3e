"""Account sessions in the browser: Connect.js trades a client secret, once, for what its frames ask with.

Every request of an embedded component names its account session's token and the component it comes from; what the
session did not enable is refused here, whatever the page shows. The paths under `/v1/embedded` are ours.
Source: https://docs.stripe.com/connect/get-started-connect-embedded-components
"""

from __future__ import annotations

from typing import Any, NamedTuple

from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound, PermissionDenied
from trialbalance.twin.resources import account_state
from trialbalance.twin.resources.account_sessions import KIND
from trialbalance.twin.wire.call import Call, own_endpoint

TOKEN = "_account_session_token"
ASKING: Any = {"component": "str", "expand": {"array": "str"}, "session": "str"}
"""What every request of a component holds."""


class Opened(NamedTuple):
    """A component at work: the call on its connected account, and the features it has."""

    call: Call
    component: str
    features: JsonObject


def asking(**params: Any) -> Any:
    """A parameter tree of a component's request."""
    return {"hash": {**ASKING, **params}, "required": ["component", "session"]}


@own_endpoint(
    "POST /v1/account_sessions/claim",
    {"hash": {"client_secret": "str", "expand": {"array": "str"}}, "required": ["client_secret"]},
    browser=True,
)
def claim(call: Call) -> JsonObject:
    """Trade a client secret for a token. It works once, until the session expires.

    Source: https://docs.stripe.com/api/account_sessions
    """
    secret = call.params["client_secret"]
    session = call.ledger.edit(call.account, KIND, secret)
    if session is None:
        raise NotFound(KIND, _shortened(secret), param="client_secret")
    if call.now >= session["expires_at"]:
        raise _expired()
    if session.get("_claimed"):
        raise InvalidRequest(
            "This account session has been claimed already. Make a new one for every page that shows components.",
            param="client_secret",
            code="account_session_already_claimed",
        )
    session["_claimed"] = True
    token = f"ast_{call.twin.ids.random(40)}"
    call.ledger.insert(
        call.account, TOKEN, {"id": token, "object": TOKEN, "session": secret, "closed": False}
    )
    account = account_state.get(call, session["account"])
    return {
        "object": "account_session.claim",
        "account": session["account"],
        "components": session["components"],
        "country": account["country"],
        "default_currency": account["default_currency"],
        "expires_at": session["expires_at"],
        "now": call.now,
        "token": token,
    }


@own_endpoint(
    "POST /v1/account_sessions/close",
    {"hash": {"expand": {"array": "str"}, "session": "str"}, "required": ["session"]},
    browser=True,
)
def close(call: Call) -> JsonObject:
    """Log out: the token asks for nothing any more."""
    held = call.ledger.edit(call.account, TOKEN, call.params["session"])
    if held is not None:
        held["closed"] = True
    return {"object": "account_session.claim", "closed": True}


def opened(call: Call, *components: str, feature: str | None = None) -> Opened:
    """The call on the session's account, if the session lets the asking component do this.

    Args:
        components: those that may ask for it.
        feature: what must be switched on for it.

    Raises:
        InvalidRequest: the token is unknown, closed or expired.
        PermissionDenied: the component or the feature is not enabled.
    """
    held = call.ledger.find(call.account, TOKEN, call.params["session"])
    if held is None or held["closed"]:
        raise InvalidRequest(
            "This account session is closed.", param="session", code="account_session_closed"
        )
    session = call.ledger.find(call.account, KIND, held["session"])
    assert session is not None
    if call.now >= session["expires_at"]:
        raise _expired()
    component = call.params["component"]
    if component not in components:
        raise PermissionDenied(f"The component '{component}' does not do this.")
    shown = session["components"].get(component) or {"enabled": False, "features": {}}
    if not shown["enabled"]:
        raise PermissionDenied(
            f"The component '{component}' is not enabled in this account session. Enable it in `components` when you "
            "create the session.",
            code="component_not_enabled",
        )
    if feature is not None and not shown["features"].get(feature):
        raise PermissionDenied(
            f"The feature '{feature}' of the component '{component}' is not enabled in this account session.",
            code="feature_not_enabled",
        )
    return Opened(call.on(session["account"]), component, shown["features"])


def _expired() -> InvalidRequest:
    return InvalidRequest(
        "This account session has expired.", param="session", code="account_session_expired"
    )


def _shortened(secret: str) -> str:
    return secret if len(secret) < 16 else f"{secret[:13]}…{secret[-4:]}"
