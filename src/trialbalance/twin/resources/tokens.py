"""Tokens: card, bank account and other data exchanged for a single-use id.

Source: https://docs.stripe.com/api/tokens
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from trialbalance.twin import addresses
from trialbalance.twin.cards.network import fingerprint
from trialbalance.twin.cards.table import CARDS, TestCard, by_token
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.wire.call import Call, endpoint

BRANDS = {
    "visa": "Visa",
    "mastercard": "MasterCard",
    "amex": "American Express",
    "discover": "Discover",
    "diners": "Diners Club",
    "jcb": "JCB",
    "unionpay": "UnionPay",
    "unknown": "Unknown",
}
"""How cards (not payment methods) name their brand."""
ADDRESS = {
    "address_city": "city",
    "address_country": "country",
    "address_line1": "line1",
    "address_line2": "line2",
    "address_state": "state",
    "address_zip": "postal_code",
}


@endpoint("POST /v1/tokens", browser=True)
def create(call: Call) -> JsonObject:
    """A token for a card, a bank account, an account, a person, personal data or a new security code."""
    call.exclusive("card", "bank_account", "account", "person", "pii", "cvc_update")
    params = call.params
    if dict.get(params, "card"):
        return _card(call)
    if dict.get(params, "bank_account"):
        from trialbalance.twin.resources import bank_accounts

        return bank_accounts.token(call, params["bank_account"])
    for kind, prefix in (("account", "ct"), ("person", "cpt"), ("pii", "pii"), ("cvc_update", "cvctok")):
        if dict.get(params, kind) is not None:
            token = _new(call, kind, prefix)
            token["_data"] = params.plain(kind)
            return call.insert(token)
    raise InvalidRequest(
        "You must supply either a card, customer, PII data, bank account, account, person, or cvc_update to create a "
        "token."
    )


@endpoint("GET /v1/tokens/{token}")
def retrieve(call: Call) -> JsonObject:
    """One token; test tokens by their published name too."""
    name = call.path["token"]
    card = by_token(name)
    if card is not None:
        month, year = default_expiry(call.now)
        token = _new(call, "card", "tok")
        token["id"] = name
        token["card"] = card_object(call, card, month, year, cvc_given=True)
        return token
    return call.get("token", name, param="token")


def consume(call: Call, name: str, *, param: str) -> JsonObject:
    """The card behind a token, which is used up; published test tokens never are.

    Returns `number`, `exp_month`, `exp_year`, `cvc` (whether given), `billing`.

    Raises:
        NotFound: no such token.
        InvalidRequest: it was used before, or is not a card's.
    """
    card = by_token(name)
    if card is not None:
        month, year = default_expiry(call.now)
        return {"number": card.number, "exp_month": month, "exp_year": year, "cvc": True, "billing": None}
    token = call.edit("token", name, param=param)
    if token["used"]:
        raise InvalidRequest(
            f"You cannot use a Stripe token more than once: {name}.", param=param, code="token_already_used"
        )
    if token["type"] != "card":
        raise InvalidRequest(f"The token {name} is not a card token.", param=param)
    token["used"] = True
    return {**token["_data"]}


def data_of(call: Call, name: str, kind: str, *, param: str) -> JsonObject:
    """What an account or person token stands for; the token is used up.

    Raises:
        NotFound: no such token of that kind.
    """
    token = call.edit("token", name, param=param)
    if token["type"] != kind:
        raise NotFound("token", name, param=param)
    token["used"] = True
    data: JsonObject = token["_data"]
    return data


def default_expiry(now: int) -> tuple[int, int]:
    """Month and year a test token's card expires: this month of next year."""
    today = datetime.fromtimestamp(now, UTC)
    return today.month, today.year + 1


def card_object(
    call: Call,
    card: TestCard,
    exp_month: int,
    exp_year: int,
    *,
    cvc_given: bool,
    name: str | None = None,
    address: JsonObject | None = None,
    customer: str | None = None,
) -> JsonObject:
    """A legacy `card` object.

    Source: https://docs.stripe.com/api/cards/object
    """
    where = address or {}
    obj = call.new(
        "card",
        "card",
        **{field: where.get(part) for field, part in ADDRESS.items()},
        brand=BRANDS[card.brand],
        country=card.country,
        customer=customer,
        cvc_check="unchecked" if cvc_given else None,
        address_line1_check="unchecked" if where.get("line1") else None,
        address_zip_check="unchecked" if where.get("postal_code") else None,
        exp_month=exp_month,
        exp_year=exp_year,
        fingerprint=fingerprint(card.number, call.twin.account),
        funding=card.funding,
        last4=card.last4,
        name=name,
    )
    if customer is None:
        obj.pop("customer", None)
    return obj


def _card(call: Call) -> JsonObject:
    from trialbalance.twin.resources import payment_methods

    given: Any = call.params["card"]
    call.unsupported("customer")
    if isinstance(given, str):
        raise InvalidRequest(
            "Tokens of a connected account's saved card need the `customer` on the platform.", param="card"
        )
    if not given.get("number"):
        raise InvalidRequest(
            "Missing required param: card[number].", param="card[number]", code="parameter_missing"
        )
    payment_methods.raw_numbers_allowed(call)
    card, month, year, cvc = payment_methods.read_card(call, given, "card")
    where = {part: given.get(field) or None for field, part in ADDRESS.items()}
    where = addresses.address(where) or {}
    name = given.get("name") or None
    given.plain("networks")
    token = _new(call, "card", "tok")
    token["card"] = card_object(call, card, month, year, cvc_given=bool(cvc), name=name, address=where)
    token["_data"] = {
        "number": card.number,
        "exp_month": month,
        "exp_year": year,
        "cvc": bool(cvc),
        "billing": {"name": name, "address": where},
        "currency": given.get("currency") or None,
    }
    return call.insert(token)


def _new(call: Call, type: str, prefix: str) -> JsonObject:
    token = call.new("token", prefix, client_ip=None, type=type, used=False)
    token["client_ip"] = "192.0.2.1"
    return token


__all__ = ["CARDS", "card_object", "consume", "create", "data_of", "default_expiry", "retrieve"]
