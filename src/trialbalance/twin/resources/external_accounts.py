"""External accounts: the bank accounts and debit cards that an account's payouts go to.

Source: https://docs.stripe.com/api/external_accounts
"""

from __future__ import annotations

from typing import Any

from trialbalance.contract import load
from trialbalance.twin.cards import payouts
from trialbalance.twin.cards.table import CARDS
from trialbalance.twin.connect import fields
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound, PermissionDenied
from trialbalance.twin.resources import account_state, bank_accounts, payment_methods, tokens
from trialbalance.twin.wire.call import Call, endpoint, own_endpoint

_NOTHING_DUE = ("currently_due", "errors", "past_due", "pending_verification")
KINDS = ("bank_account", "card")


@endpoint("POST /v1/accounts/{account}/external_accounts")
def create(call: Call) -> JsonObject:
    """Add an external account; the first of a currency, or one sent with `default_for_currency`, is its default."""
    account = account_state.edit(call, call.path["account"])
    _may_change(account)
    made = give(
        call,
        account,
        call.params["external_account"],
        param="external_account",
        default=bool(call.params.get("default_for_currency")),
    )
    call.merge_metadata(made)
    account_state.changed(call, account)
    return made


@endpoint("GET /v1/accounts/{account}/external_accounts")
def list_(call: Call) -> JsonObject:
    """An account's external accounts."""
    account = account_state.get(call, call.path["account"])
    kind = call.params.get("object") or None
    found = [e for e in account_state.externals_of(call, account["id"]) if kind in (None, e["object"])]
    return call.page_of(found, url=call.path_name)


@endpoint("GET /v1/accounts/{account}/external_accounts/{id}")
def retrieve(call: Call) -> JsonObject:
    """One of them."""
    account = account_state.get(call, call.path["account"])
    return _find(call, account["id"], call.path["id"])


@endpoint("POST /v1/accounts/{account}/external_accounts/{id}")
def update(call: Call) -> JsonObject:
    """Change its holder, expiry, metadata, or make it the default of its currency."""
    account = account_state.edit(call, call.path["account"])
    there = account_state.on(call, account["id"])
    found = _find(call, account["id"], call.path["id"])
    item = there.edit(found["object"], found["id"])
    params = call.params
    if item["object"] == "card":
        call.assign(item, "name", *tokens.ADDRESS)
        for name in ("exp_month", "exp_year"):
            if params.get(name):
                item[name] = int(params[name])
    else:
        call.assign(item, "account_holder_name", "account_holder_type", "account_type")
    params.plain("documents")  # proof of ownership is always accepted in test mode
    if params.get("default_for_currency"):
        _make_default(there, account["id"], item)
    elif "default_for_currency" in params and item["default_for_currency"]:
        raise InvalidRequest(
            "You cannot unset the default of a currency. Make another external account the default instead.",
            param="default_for_currency",
        )
    call.merge_metadata(item)
    there.emit("account.external_account.updated", item)
    account_state.changed(call, account)
    return item


@endpoint("DELETE /v1/accounts/{account}/external_accounts/{id}")
def delete(call: Call) -> JsonObject:
    """Remove one; a currency's default only when it is the last of its currency.

    Source: https://docs.stripe.com/api/external_account_bank_accounts/delete
    """
    account = account_state.edit(call, call.path["account"])
    there = account_state.on(call, account["id"])
    found = _find(call, account["id"], call.path["id"])
    others = [
        e
        for e in account_state.externals_of(call, account["id"])
        if e["currency"] == found["currency"] and e["id"] != found["id"]
    ]
    if found["default_for_currency"] and others:
        raise InvalidRequest(
            "You cannot delete the default external account for your default currency. Please make another external "
            "account the default using the `default_for_currency` param, and then delete this one."
        )
    there.ledger.delete(there.account, found["object"], found["id"])
    there.emit("account.external_account.deleted", found)
    account_state.changed(call, account)
    return {**call.deleted_stub(found), "currency": found["currency"]}


for _verb, _handler in (("GET", list_), ("POST", create)):
    own_endpoint(
        f"{_verb} /v1/accounts/{{account}}/bank_accounts",
        load().endpoints[f"{_verb} /v1/accounts/{{account}}/external_accounts"].params,
    )(_handler)


def give(call: Call, account: JsonObject, given: Any, *, param: str, default: bool = False) -> JsonObject:
    """Add what a token or a hash stands for to an edited account.

    Raises:
        InvalidRequest: not a bank account or debit card that payouts can go to.
    """
    item = _build(call, account_state.on(call, account["id"]), given, param)
    return keep(call, account, item, default=default)


def keep(call: Call, account: JsonObject, item: JsonObject, *, default: bool = False) -> JsonObject:
    """Store an external account of an edited account, and tell of it."""
    there = account_state.on(call, account["id"])
    if item["object"] == "bank_account":
        _complete(item)
    item["account"] = account["id"]
    item["default_for_currency"] = False
    item["_order"] = sum(len(there.ledger.table(there.account, kind).order) for kind in KINDS)
    there.insert(fields.arrange(item))
    if default or account_state.default_external(call, account["id"], item["currency"]) is None:
        _make_default(there, account["id"], item)
    there.emit("account.external_account.created", item)
    return item


def replace(call: Call, account: JsonObject, given: Any, *, param: str) -> JsonObject:
    """Put one external account in the place of the default of its currency, as updating an account does."""
    _may_change(account)
    made = give(call, account, given, param=param)
    there = account_state.on(call, account["id"])
    for other in account_state.externals_of(call, account["id"]):
        if other["id"] != made["id"] and other["currency"] == made["currency"]:
            there.ledger.delete(there.account, other["object"], other["id"])
            there.emit("account.external_account.deleted", other)
    _make_default(there, account["id"], made)
    return made


def _build(call: Call, there: Call, given: Any, param: str) -> JsonObject:
    if isinstance(given, dict) and given.get("object") == "card" and given.get("token"):
        given = given["token"]
    if isinstance(given, dict):
        if given.get("object") == "card":
            payment_methods.raw_numbers_allowed(call)
            card, month, year, cvc = payment_methods.read_card(call, given, param)
            return _card(there, card.number, month, year, bool(cvc), given.get("currency") or None, param)
        item = bank_accounts.build(there, given, where=param)
    elif str(given).startswith("btok_"):
        item = bank_accounts.from_token(there, str(given), param=param, holder=call)
    else:
        data = tokens.consume(call, str(given), param=param)
        return _card(
            there,
            data["number"],
            data["exp_month"],
            data["exp_year"],
            data["cvc"],
            data.get("currency"),
            param,
        )
    return item


def _complete(bank: JsonObject) -> None:
    """What a bank account shows as an external account."""
    bank["available_payout_methods"] = ["standard", "instant"] if bank["country"] == "US" else ["standard"]
    for name in ("requirements", "future_requirements"):
        bank[name] = {which: [] for which in _NOTHING_DUE}


def _card(
    there: Call, number: str, month: int, year: int, cvc: bool, currency: str | None, param: str
) -> JsonObject:
    card = CARDS[number]
    if card.funding == "credit":
        raise InvalidRequest(
            "This card doesn't appear to be a debit card. Payouts can only be sent to debit cards.",
            param=param,
            code="invalid_card_type",
        )
    item = tokens.card_object(there, card, month, year, cvc_given=cvc)
    item["currency"] = currency or {"US": "usd", "GB": "gbp", "CA": "cad", "AU": "aud", "SG": "sgd"}.get(
        card.country, "eur"
    )
    item["cvc_check"] = "pass" if cvc else None
    item["available_payout_methods"] = [
        "standard",
        *([] if number in payouts.NOT_INSTANT else ["instant"]),
    ]
    item["_number"] = number
    return item


def _may_change(account: JsonObject) -> None:
    if account_state.hidden(account):
        raise PermissionDenied(
            "This application does not have the required permissions for the parameter 'external_account' on account "
            f"'{account['id']}'.",
            param="external_account",
            code="oauth_not_supported",
        )


def _make_default(there: Call, account: str, item: JsonObject) -> None:
    for other in account_state.externals_of(there, account):
        if other["currency"] == item["currency"] and other["default_for_currency"]:
            there.edit(other["object"], other["id"])["default_for_currency"] = False
    item["default_for_currency"] = True


def _find(call: Call, account: str, identifier: str) -> JsonObject:
    for item in account_state.externals_of(call, account):
        if item["id"] == identifier:
            return item
    raise NotFound("external_account", identifier, param="id", in_path=True)
