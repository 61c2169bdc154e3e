"""Account and person tokens of the v2 namespace: what somebody told, under an id that is used once.

A browser or an app sends the details with its publishable key; the server makes or changes an account or a person with
the token and never sees them. How long a token lasts is chosen by us: a day.
Source: https://docs.stripe.com/api/v2/core/account-tokens and https://docs.stripe.com/connect/account-tokens
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import account_state
from trialbalance.twin.webhooks.thin import iso
from trialbalance.twin.wire.call import Call, endpoint
from trialbalance.twin.wire.validate import Params

ACCOUNT = "v2.core.account_token"
PERSON = "v2.core.account_person_token"
LIFE = 24 * 3600


@endpoint("POST /v2/core/account_tokens", browser=True)
def create(call: Call) -> JsonObject:
    """A token for details of an account."""
    return _make(call, ACCOUNT, "accttok")


@endpoint("GET /v2/core/account_tokens/{id}")
def retrieve(call: Call) -> JsonObject:
    """One token: whether it was used, never what it stands for."""
    return call.get(ACCOUNT, call.path["id"])


@endpoint("POST /v2/core/accounts/{account_id}/person_tokens", browser=True)
def create_for_person(call: Call) -> JsonObject:
    """A token for details of a person of an account."""
    account = account_state.get(call, call.path["account_id"])
    return _make(call, PERSON, "perstok", _account=account["id"])


@endpoint("GET /v2/core/accounts/{account_id}/person_tokens/{id}")
def retrieve_for_person(call: Call) -> JsonObject:
    """One token of a person."""
    account_state.get(call, call.path["account_id"])
    return call.get(PERSON, call.path["id"])


def spend(call: Call, kind: str, param: str) -> None:
    """Put what the request's token stands for into the request; the token is used up.

    Raises:
        InvalidRequest: it was used before, is too old, is another account's, or repeats what the request says.
    """
    name = call.params.get(param) or None
    if name is None:
        return
    token = call.edit(kind, name, param=param)
    if token["used"] or call.now >= token["_expires"]:
        raise InvalidRequest(
            f"The token {name} has {'already been used' if token['used'] else 'expired'}.",
            param=param,
            code="token_already_used" if token["used"] else None,
        )
    if token.get("_account") not in (None, call.path.get("account_id")):
        raise InvalidRequest(f"The token {name} belongs to another account.", param=param)
    for key, value in token["_data"].items():
        if dict.__contains__(call.params, key):
            raise InvalidRequest(
                f"You may only specify one of these parameters: {param}, {key}.",
                param=key,
                code="parameters_exclusive",
            )
        dict.__setitem__(call.params, key, _nested(value))
    token["used"] = True


def _make(call: Call, kind: str, prefix: str, **hidden: Any) -> JsonObject:
    data = {name: call.params.plain(name) for name in call.params}
    return call.insert(
        {
            "id": call.new_id(prefix),
            "object": kind,
            "created": iso(call.now),
            "expires_at": iso(call.now + LIFE),
            "livemode": False,
            "used": False,
            "_data": data,
            "_expires": call.now + LIFE,
            **hidden,
        }
    )


def _nested(value: Any) -> Any:
    """Plain data as parameters, so that what nobody reads is refused by its name."""
    if isinstance(value, dict):
        return Params({key: _nested(item) for key, item in value.items()})
    if isinstance(value, list):
        return [_nested(item) for item in value]
    return value
