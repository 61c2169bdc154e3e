"""Link: customers who saved a card once, known by their e-mail address and a one-time code.

A wallet belongs to no merchant; in a twin it lives beside the accounts. The code is always 000000.
Source: https://docs.stripe.com/payments/link/test
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.cards.table import CARDS
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.ledger.store import copy_json
from trialbalance.twin.wire.call import Call, own_endpoint

WALLETS = "_link"
"""The place of all wallets in the ledger, instead of an account."""
CONSUMER, SESSION = "_link_consumer", "_link_session"
CODE = "000000"


def settings(call: Call, types: list[str]) -> JsonObject:
    """Whether Link is offered beside these payment method types."""
    return {"enabled": "link" in types or "card" in types, "own_type": "link" in types}


def consumer(call: Call, email: str) -> JsonObject | None:
    """The wallet of an e-mail address. A test address `…+link@…` always has one, with a card."""
    key = email.strip().lower()
    found = call.ledger.find(WALLETS, CONSUMER, key)
    if found is None and key.partition("@")[0].endswith("+link"):
        found = save(call, key, "+12015550123", "Test Wallet", _test_card(call))
    return found


def save(call: Call, email: str, phone: str, name: str | None, card: JsonObject | None) -> JsonObject:
    """Make a wallet, or add a card to one."""
    key = email.strip().lower()
    found = call.ledger.edit(WALLETS, CONSUMER, key)
    if found is None:
        found = {"id": key, "object": CONSUMER, "cards": [], "name": name, "phone": phone}
        call.ledger.insert(WALLETS, CONSUMER, found)
    if card is not None and all(held["number"] != card["number"] for held in found["cards"]):
        found["cards"].insert(0, {"id": f"csmrpd_{call.twin.ids.random(24)}", **card})
    return found


def _test_card(call: Call) -> JsonObject:
    return {"number": "4242424242424242", "exp_month": 12, "exp_year": 2034, "brand": "visa", "last4": "4242"}


@own_endpoint(
    "POST /v1/consumers/sessions/lookup",
    {"hash": {"email_address": "str", "expand": {"array": "str"}}, "required": ["email_address"]},
    browser=True,
)
def lookup(call: Call) -> JsonObject:
    """Whether an e-mail address has a wallet."""
    found = consumer(call, call.params["email_address"])
    return {
        "object": "consumer_lookup",
        "exists": found is not None,
        "redacted_phone": f"***-***-{found['phone'][-4:]}" if found else None,
    }


@own_endpoint(
    "POST /v1/consumers/sessions/start_verification",
    {"hash": {"email_address": "str", "expand": {"array": "str"}}, "required": ["email_address"]},
    browser=True,
)
def start_verification(call: Call) -> JsonObject:
    """Send the code (in tests it is always the same, and nothing is sent)."""
    found = consumer(call, call.params["email_address"])
    if found is None:
        raise InvalidRequest("There is no wallet for this email address.", param="email_address")
    secret = call.twin.ids.random(32)
    call.ledger.insert(
        WALLETS,
        SESSION,
        {"id": secret, "object": SESSION, "consumer": found["id"], "state": "started", "tries": 0},
    )
    return {"object": "consumer_session", "client_secret": secret, "state": "started"}


@own_endpoint(
    "POST /v1/consumers/sessions/confirm_verification",
    {
        "hash": {"client_secret": "str", "code": "str", "expand": {"array": "str"}},
        "required": ["client_secret", "code"],
    },
    browser=True,
)
def confirm_verification(call: Call) -> JsonObject:
    """Check the code; three wrong ones end the session."""
    session = call.ledger.edit(WALLETS, SESSION, call.params["client_secret"])
    if session is None or session["tries"] >= 3:
        raise InvalidRequest("Ask for a new code.", param="client_secret", code="consumer_session_expired")
    if call.params["code"] != CODE:
        session["tries"] += 1
        error = InvalidRequest(
            "This code is not right.", param="code", code="consumer_verification_code_invalid"
        )
        error.commit = True
        raise error
    session["state"] = "verified"
    return _verified(call, session)


@own_endpoint(
    "POST /v1/consumers/payment_details/list",
    {"hash": {"client_secret": "str", "expand": {"array": "str"}}, "required": ["client_secret"]},
    browser=True,
)
def details(call: Call) -> JsonObject:
    """The cards of a verified wallet."""
    return _verified(call, _session(call, call.params["client_secret"]))


@own_endpoint(
    "POST /v1/consumers/accounts/sign_up",
    {
        "hash": {
            "email_address": "str",
            "expand": {"array": "str"},
            "name": "str",
            "payment_method": "str",
            "phone_number": "str",
        },
        "required": ["email_address", "phone_number"],
    },
    browser=True,
)
def sign_up(call: Call) -> JsonObject:
    """Save a customer's card into a wallet of their own. The phone number proves who it is, later."""
    params = call.params
    phone = params["phone_number"]
    if sum(character.isdigit() for character in phone) < 8:
        raise InvalidRequest("This phone number is not valid.", param="phone_number")
    method = call.find("payment_method", params.get("payment_method"))
    card = None
    if method is not None and method["type"] == "card":
        shown = method["card"]
        card = {
            "brand": shown["brand"],
            "exp_month": shown["exp_month"],
            "exp_year": shown["exp_year"],
            "last4": shown["last4"],
            "number": method["_number"],
        }
    found = save(call, params["email_address"], phone, params.get("name"), card)
    return {"object": "consumer_account", "email": found["id"], "cards": len(found["cards"])}


@own_endpoint(
    "POST /v1/consumers/payment_details/share",
    {
        "hash": {
            "client_secret": "str",
            "expand": {"array": "str"},
            "id": "str",
            "passthrough": "bool",
            "billing_details": {"hash": {"email": "str", "name": "str"}},
        },
        "required": ["client_secret", "id"],
    },
    browser=True,
)
def share(call: Call) -> JsonObject:
    """A payment method of this merchant from a card of the wallet: of type `link`, or the card passed through.

    Source: https://docs.stripe.com/payments/link/payment-element-link
    """
    from trialbalance.twin.resources import payment_methods

    params = call.params
    session = _session(call, params["client_secret"])
    wallet = call.ledger.find(WALLETS, CONSUMER, session["consumer"])
    assert wallet is not None
    card = next((held for held in wallet["cards"] if held["id"] == params["id"]), None)
    if card is None:
        raise InvalidRequest("There is no such card in this wallet.", param="id")
    billing = {"email": wallet["id"], "name": wallet["name"], **(params.plain("billing_details") or {})}
    if params.get("passthrough"):
        made = payment_methods.from_card(
            call,
            CARDS[card["number"]],
            exp_month=card["exp_month"],
            exp_year=card["exp_year"],
            billing=billing,
        )
        made["card"]["wallet"] = {"dynamic_last4": None, "link": {}, "type": "link"}
        return made
    return payment_methods.insert(
        call,
        "link",
        {"email": wallet["id"], "persistent_token": None},
        billing=billing,
        hidden={"_test": "success", "_link_card": card["number"]},
    )


def _session(call: Call, secret: str) -> JsonObject:
    found = call.ledger.find(WALLETS, SESSION, secret)
    if found is None or found["state"] != "verified":
        raise InvalidRequest("This wallet has not been verified.", param="client_secret")
    return found


def _verified(call: Call, session: JsonObject) -> JsonObject:
    wallet = call.ledger.find(WALLETS, CONSUMER, session["consumer"])
    assert wallet is not None
    shown: list[Any] = [
        {name: card[name] for name in ("brand", "exp_month", "exp_year", "id", "last4")}
        for card in wallet["cards"]
    ]
    return {
        "object": "consumer_session",
        "client_secret": session["id"],
        "email": wallet["id"],
        "name": wallet["name"],
        "payment_details": copy_json(shown),
        "redacted_phone": f"***-***-{wallet['phone'][-4:]}",
        "state": session["state"],
    }
