"""The sources era: cards and bank accounts saved directly on customers.

Tokens on customers and charges are refused for a current account, as recorded; requests of versions before
2024-09-30.acacia may still use them, as integrations of that time do.
Source: https://docs.stripe.com/api/cards and https://docs.stripe.com/sources
"""

from __future__ import annotations

from trialbalance.contract import load
from trialbalance.twin.cards import network
from trialbalance.twin.cards.table import CARDS
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources import payment_methods, tokens
from trialbalance.twin.resources.tokens import ADDRESS
from trialbalance.twin.wire.call import Call, endpoint, included, own_endpoint
from trialbalance.twin.wire.lists import embedded

ENDED = (
    "Card Token usage on the Customers API and Charges API has reached end of life. In order to continue processing "
    "your payments, you will need to use the Payment Intents and Payment Methods API. Read more about what you should "
    "do here: https://docs.stripe.com/payments/payment-methods/integration-options. If you need to continue to use Card "
    "Tokens on the Customers and Charges API, enable this functionality in your API policies settings: "
    "https://dashboard.stripe.com/settings/developers/api-policies"
)
SINCE = "2024-09-30.acacia"
_LIST = load().endpoints["GET /v1/customers/{customer}/sources"].params
_NONE = {"hash": {"expand": {"array": "str"}}}


@own_endpoint(
    "POST /v1/customers/{customer}/cards",
    {"hash": load().endpoints["POST /v1/customers/{customer}/sources"].params["hash"] | {"card": "str"}},
    {"ref": "card"},
)
@endpoint("POST /v1/customers/{customer}/sources")
def create(call: Call) -> JsonObject:
    """Save a card or bank account token on a customer."""
    customer = call.edit("customer", call.path["customer"])
    params = call.params
    if not params.get("card"):
        call.require("source")
    params.ignore("validate")  # test mode always validates
    card = give(call, customer, params.get("source") or params["card"], param="source")
    call.merge_metadata(card)
    return card


@endpoint("GET /v1/customers/{customer}/sources")
def list_(call: Call) -> JsonObject:
    """What is saved on a customer."""
    call.get("customer", call.path["customer"])
    kind = call.params.get("object") or None
    return call.page_of(
        [c for c in of_customer(call, call.path["customer"]) if kind in (None, c["object"])],
        url=call.path_name,
    )


@own_endpoint("GET /v1/customers/{customer}/cards", _LIST, {"list": {"ref": "card"}})
def list_cards(call: Call) -> JsonObject:
    """The cards saved on a customer."""
    call.get("customer", call.path["customer"])
    call.params.ignore("object")
    return call.page_of(
        [c for c in of_customer(call, call.path["customer"]) if c["object"] == "card"], url=call.path_name
    )


@own_endpoint("GET /v1/customers/{customer}/cards/{id}", _NONE, {"ref": "card"})
@endpoint("GET /v1/customers/{customer}/sources/{id}")
def retrieve(call: Call) -> JsonObject:
    """One of them."""
    return _of(call)


@own_endpoint(
    "POST /v1/customers/{customer}/cards/{id}",
    load().endpoints["POST /v1/customers/{customer}/sources/{id}"].params,
    {"ref": "card"},
)
@endpoint("POST /v1/customers/{customer}/sources/{id}")
def update(call: Call) -> JsonObject:
    """Change a card's expiry, name, address."""
    found = _of(call)
    card = call.edit(found["object"], found["id"])
    params = call.params
    if found["object"] == "card":
        month = int(params.get("exp_month") or card["exp_month"])
        year = int(params.get("exp_year") or card["exp_year"])
        card["exp_year"] = network.check_expiry(month, year, call.now)
        card["exp_month"] = month
        call.assign(card, "name", *ADDRESS)
    elif found["object"] == "bank_account":
        call.assign(card, "account_holder_name", "account_holder_type")
    call.merge_metadata(card)
    call.emit("customer.source.updated", card)
    return card


@own_endpoint("DELETE /v1/customers/{customer}/cards/{id}", _NONE, {"ref": "card"})
@endpoint("DELETE /v1/customers/{customer}/sources/{id}")
def delete(call: Call) -> JsonObject:
    """Remove one; another becomes the default."""
    found = _of(call)
    customer = call.edit("customer", call.path["customer"])
    if found["object"] == "source":
        found = call.edit("source", found["id"])
        found.pop("customer")
        found["status"] = "consumed"
        call.ledger.reindex(call.account, "source", found)
    else:
        call.delete(found["object"], found["id"])
    if customer["default_source"] == found["id"]:
        left = of_customer(call, customer["id"])
        customer["default_source"] = left[0]["id"] if left else None
    call.emit("customer.source.deleted", found)
    return found if found["object"] == "source" else call.deleted_stub(found)


def give(call: Call, customer: JsonObject, token: str, *, param: str, default: bool = False) -> JsonObject:
    """Save what a token stands for on an edited customer.

    Raises:
        InvalidRequest: the account may not use card tokens here.
        CardError: the card declines.
    """
    if token.startswith("btok_"):
        from trialbalance.twin.resources import bank_accounts

        saved = bank_accounts.give(call, customer, token)
    elif token.startswith("src_"):
        from trialbalance.twin.resources import source_objects

        saved = source_objects.attach(call, customer, token, param=param)
    else:
        allowed(call)
        data = tokens.consume(call, token, param=param)
        test = CARDS[data["number"]]
        verdict = network.verify(
            test,
            network.Circumstances(call.now, cvc_given=data["cvc"]),
            exp_month=data["exp_month"],
            exp_year=data["exp_year"],
        )
        if verdict.decline is not None:
            raise network.refusal(verdict.decline.decline_code or verdict.decline.code, param="")
        billing = data["billing"] or {}
        saved = tokens.card_object(
            call,
            test,
            data["exp_month"],
            data["exp_year"],
            cvc_given=data["cvc"],
            name=billing.get("name"),
            address=billing.get("address"),
            customer=customer["id"],
        )
        saved["cvc_check"] = ("fail" if test.cvc_fails else "pass") if data["cvc"] else None
        for field, answer in (("address_line1", test.line1), ("address_zip", test.postal)):
            if saved[field]:
                saved[f"{field}_check"] = answer
        saved |= {"_number": test.number, "_cvc": data["cvc"]}
        call.insert(saved)
    if default or customer["default_source"] is None:
        customer["default_source"] = saved["id"]
    call.emit("customer.source.created", saved)
    return saved


def make_default(call: Call, customer: JsonObject, identifier: str) -> None:
    """Make a saved source the default of an edited customer."""
    if all(found["id"] != identifier for found in of_customer(call, customer["id"])):
        raise NotFound("source", identifier, param="default_source")
    customer["default_source"] = identifier


def allowed(call: Call) -> None:
    """Refuse card tokens on customers and charges, except to older API versions.

    Raises:
        InvalidRequest: their end of life.
    """
    if call.version >= SINCE:
        raise InvalidRequest(ENDED)


def of_customer(call: Call, customer: str) -> list[JsonObject]:
    """Everything saved on a customer, newest first."""
    found = [
        *call.ledger.all(call.account, "card", customer=customer),
        *call.ledger.all(call.account, "bank_account", customer=customer),
        *call.ledger.all(call.account, "source", customer=customer),
    ]
    found.reverse()
    return found


def as_payment_method(call: Call, identifier: str) -> JsonObject | None:
    """A saved card as the payment method it also is (same id).

    Source: https://docs.stripe.com/payments/payment-methods/transitioning
    """
    card = call.find("card", identifier)
    if card is None:
        from trialbalance.twin.resources import source_objects

        return source_objects.as_payment_method(call, identifier)
    billing = {
        "name": card["name"],
        "address": {part: card[field] for field, part in ADDRESS.items()},
    }
    return payment_methods.from_card(
        call,
        CARDS[card["_number"]],
        exp_month=card["exp_month"],
        exp_year=card["exp_year"],
        cvc_given=card["_cvc"],
        billing=billing,
        fields={"id": identifier, "customer": card["customer"]},
    )


def _of(call: Call) -> JsonObject:
    call.get("customer", call.path["customer"])
    for found in of_customer(call, call.path["customer"]):
        if found["id"] == call.path["id"]:
            return found
    raise NotFound("source", call.path["id"])


@included("customer", "sources")
def _sources(call: Call, customer: JsonObject) -> JsonObject:
    found = of_customer(call, customer["id"])
    return embedded(found, f"/v1/customers/{customer['id']}/sources", total=True)
