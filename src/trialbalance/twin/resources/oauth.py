"""OAuth: how a platform connects to standard accounts that exist already, and lets go of them.

The authorize page of the twin skips the form: it makes a ready account and comes back with a code.
Source: https://docs.stripe.com/connect/oauth-reference
"""

from __future__ import annotations

from trialbalance.twin.connect import applications, fields
from trialbalance.twin.errors import ApiError, JsonObject
from trialbalance.twin.resources import account_state, accounts, capabilities, onboarding
from trialbalance.twin.wire.call import Call, own_endpoint
from trialbalance.twin.wire.keys import ApiKey

CODE = "_oauth_code"
LIFETIME = 300


class OAuthError(ApiError):
    """An error in OAuth's own shape: `{"error": "invalid_grant", "error_description": "…"}`."""

    def __init__(self, error: str, description: str) -> None:
        super().__init__(description, code=error)
        self.body: JsonObject = {"error": error, "error_description": description}


_TOKEN = ("grant_type", "code", "refresh_token", "client_secret", "scope", "assert_capabilities")


@own_endpoint("POST /oauth/token", {"hash": dict.fromkeys(_TOKEN, "str")})
def token(call: Call) -> JsonObject:
    """Exchange an authorization code (once, within five minutes) or a refresh token for the account's keys."""
    params = call.params
    params.ignore("client_secret", "assert_capabilities")
    grant = params.get("grant_type")
    if grant == "authorization_code":
        code = call.ledger.edit(call.account, CODE, params.get("code") or "")
        if code is None or code["used"] or call.now >= code["expires_at"]:
            raise OAuthError("invalid_grant", f"Authorization code does not exist: {params.get('code')}")
        code["used"] = True
        account, scope = code["account"], code["scope"]
    elif grant == "refresh_token":
        found = call.find(CODE, params.get("refresh_token"))
        if found is None:
            raise OAuthError("invalid_grant", f"Refresh token does not exist: {params.get('refresh_token')}")
        account, scope = found["account"], params.get("scope") or found["scope"]
    else:
        raise OAuthError("unsupported_grant_type", f"Unsupported grant type: {grant}")
    params.get("scope")
    if call.ledger.find(call.account, accounts.KIND, account) is None:
        raise OAuthError("invalid_grant", f"The account {account} is not connected any more.")
    secret, publishable = (f"{kind}_test_{call.twin.ids.random(40)}" for kind in ("sk", "pk"))
    call.twin.keys.add(ApiKey(secret, "secret", account))
    call.twin.keys.add(ApiKey(publishable, "publishable", account))
    refresh = f"rt_{call.twin.ids.random(40)}"
    call.insert({"id": refresh, "object": CODE, "account": account, "scope": scope}, kind=CODE)
    return {
        "access_token": secret,
        "livemode": False,
        "refresh_token": refresh,
        "scope": scope,
        "stripe_publishable_key": publishable,
        "stripe_user_id": account,
        "token_type": "bearer",
    }


@own_endpoint("POST /oauth/deauthorize", {"hash": {"client_id": "str", "stripe_user_id": "str"}})
def deauthorize(call: Call) -> JsonObject:
    """End the platform's access to an account.

    Source: https://docs.stripe.com/api/events/types#event_types-account.application.deauthorized
    """
    client, account = call.params.get("client_id"), call.params.get("stripe_user_id") or ""
    _check_client(call, client)
    found = call.ledger.edit(call.account, accounts.KIND, account)
    if found is None:
        raise OAuthError(
            "invalid_client",
            f"This application is not connected to stripe account {account}, or that account does not exist.",
        )
    account_state.on(call, account).emit("account.application.deauthorized", _application(call))
    accounts.disconnect(call, found)
    return {"stripe_user_id": account}


@own_endpoint(
    "POST /oauth/connect",
    {
        "hash": {
            "client_id": "str",
            "scope": "str",
            "stripe_user": {"map": "str"},
            "stripe_account": "str",
        }
    },
    browser=True,
)
def connect(call: Call) -> JsonObject:
    """What the authorize page does: make a standard account that is ready, and a code for it.

    A page of ours calls this; it is no endpoint of Stripe's.
    """
    params = call.params
    _check_client(call, params.get("client_id"))
    user = params.plain("stripe_user") or {}
    country = str(user.get("country") or call.twin.config.country).upper()
    account = accounts.blank(call, country, fields.TYPES["standard"], "standard")
    account["email"] = user.get("email") or None
    capabilities.request(call, account, {"card_payments": True, "transfers": True})
    account["_linked"] = True
    onboarding.complete(
        call,
        account,
        {
            name: user[name]
            for name in ("email", "first_name", "last_name", "business_name", "url")
            if user.get(name)
        },
    )
    scope = params.get("scope") or "read_only"
    code = f"ac_{call.twin.ids.random(32)}"
    call.insert(
        {
            "id": code,
            "object": CODE,
            "account": account["id"],
            "scope": scope,
            "used": False,
            "expires_at": call.now + LIFETIME,
        },
        kind=CODE,
    )
    account_state.on(call, account["id"]).emit("account.application.authorized", _application(call))
    return {"object": "oauth.code", "account": account["id"], "code": code, "scope": scope}


def _application(call: Call) -> JsonObject:
    return {
        "id": applications.identifier(call.twin),
        "object": "application",
        "name": call.twin.config.display_name,
    }


def _check_client(call: Call, client: str | None) -> None:
    own = applications.identifier(call.twin)
    if client != own:
        raise OAuthError(
            "invalid_client",
            f"No such application: '{client}'. The twin's platform is the application {own}.",
        )
