"""Payment methods: cards and everything else a customer can pay with.

A payment method that is used without a customer, or detached from one, can never be used again. Magic names
(`pm_card_visa`, `pm_usBankAccount_success`) stand for a fresh payment method each time they are named.
Hidden state: `_number` (the test number), `_cvc` (whether a security code was given), `_used`, `_detached`,
`_set_up` (authenticated for off-session use).
Source: https://docs.stripe.com/api/payment_methods
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin import addresses
from trialbalance.twin.cards import network
from trialbalance.twin.cards.details import card_hash, checks_of
from trialbalance.twin.cards.table import CARDS, TestCard, by_payment_method
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.ledger.store import copy_json
from trialbalance.twin.rails import details as rails
from trialbalance.twin.rails.table import RAILS
from trialbalance.twin.resources import tokens
from trialbalance.twin.wire.call import Call, endpoint

KIND = "payment_method"
SPENT = (
    "The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, shared with a "
    "connected account without Customer attachment, or was detached from a Customer. It may not be used again. To use "
    "a PaymentMethod multiple times, you must attach it to a Customer first."
)
SPENT_ATTACH = (
    "This PaymentMethod was previously used without being attached to a Customer or was detached from a Customer, "
    "and may not be used again."
)
RAW_CARDS = (
    "Sending credit card numbers directly to the Stripe API is generally unsafe. We suggest you use test tokens that "
    "map to the test card you are using, see https://stripe.com/docs/testing. To enable testing raw card data APIs, "
    "see https://support.stripe.com/questions/enabling-access-to-raw-card-data-apis."
)


@endpoint("POST /v1/payment_methods", browser=True)
def create(call: Call) -> JsonObject:
    """A new payment method, or (Connect) a clone of the platform's."""
    if call.params.get("payment_method"):
        return _clone(call)
    call.require("type")
    return build(call, call.params)


@endpoint("GET /v1/payment_methods/{payment_method}")
def retrieve(call: Call) -> JsonObject:
    """One payment method."""
    return call.get(KIND, call.path["payment_method"], param="payment_method")


@endpoint("POST /v1/payment_methods/{payment_method}")
def update(call: Call) -> JsonObject:
    """Change billing details, expiry and the like of an attached payment method."""
    method = call.edit(KIND, call.path["payment_method"], param="payment_method")
    params = call.params
    if method["customer"] is None:
        raise InvalidRequest(
            "You must save this PaymentMethod to a customer before you can update it.",
            param="payment_method",
        )
    _describe(call, method, params)
    card = params.get("card")
    if card is not None:
        if method["type"] != "card":
            raise InvalidRequest(
                f"You cannot update `card` on a {method['type']} PaymentMethod.", param="card"
            )
        month = card.get("exp_month", method["card"]["exp_month"])
        year = card.get("exp_year", method["card"]["exp_year"])
        method["card"]["exp_year"] = network.check_expiry(int(month), int(year), call.now)
        method["card"]["exp_month"] = int(month)
        preferred = (card.plain("networks") or {}).get("preferred")
        if preferred:
            method["card"]["networks"]["preferred"] = preferred
    bank = params.plain("us_bank_account")
    if bank:
        if method["type"] != "us_bank_account":
            raise InvalidRequest(
                f"You cannot update `us_bank_account` on a {method['type']} PaymentMethod.",
                param="us_bank_account",
            )
        method["us_bank_account"].update(bank)
    call.emit("payment_method.updated", method)
    return method


@endpoint("GET /v1/payment_methods")
def list_(call: Call) -> JsonObject:
    """A customer's payment methods; without a customer there are none to list."""
    customer = call.params.get("customer") or None
    call.unsupported("customer_account")
    if customer:
        call.get("customer", customer, param="customer")
    return call.list(
        KIND,
        where={
            "customer": customer or "",
            "type": call.params.get("type"),
            "allow_redisplay": call.params.get("allow_redisplay"),
        },
        keep=None if customer else lambda _: False,
    )


@endpoint("GET /v1/customers/{customer}/payment_methods")
def list_of_customer(call: Call) -> JsonObject:
    """A customer's payment methods."""
    call.get("customer", call.path["customer"])
    return call.list(
        KIND,
        where={
            "customer": call.path["customer"],
            "type": call.params.get("type"),
            "allow_redisplay": call.params.get("allow_redisplay"),
        },
    )


@endpoint("GET /v1/customers/{customer}/payment_methods/{payment_method}")
def retrieve_of_customer(call: Call) -> JsonObject:
    """One payment method of a customer."""
    call.get("customer", call.path["customer"])
    method = call.get(KIND, call.path["payment_method"], param="payment_method")
    if method["customer"] != call.path["customer"]:
        error = InvalidRequest("Invalid request", param="customer")
        error.status = 404
        raise error
    return method


@endpoint("POST /v1/payment_methods/{payment_method}/attach")
def attach(call: Call) -> JsonObject:
    """Save a payment method to a customer; cards that decline at attach answer 402."""
    call.unsupported("customer_account")
    call.require("customer")
    call.require("customer")
    call.get("customer", call.params["customer"], param="customer")
    return attach_to(call, call.path["payment_method"], call.params["customer"])


@endpoint("POST /v1/payment_methods/{payment_method}/detach")
def detach(call: Call) -> JsonObject:
    """Take a payment method from its customer; it can never be used again."""
    method = call.edit(KIND, call.path["payment_method"], param="payment_method")
    if method["customer"] is None:
        raise InvalidRequest(
            "The payment method you provided is not attached to a customer so detachment is impossible."
        )
    customer = call.edit("customer", method["customer"])
    method["customer"], method["_detached"] = None, True
    call.ledger.reindex(call.account, KIND, method)
    if customer["invoice_settings"]["default_payment_method"] == method["id"]:
        customer["invoice_settings"]["default_payment_method"] = None
        call.emit("customer.updated", customer)
    call.emit("payment_method.detached", method, previous={"customer": customer["id"]})
    return method


# Used by other resources, inside their transactions


def find(call: Call, identifier: str) -> JsonObject | None:
    """The stored payment method, if there is one."""
    return call.find(KIND, identifier)


def resolve(call: Call, identifier: str, *, param: str | None = "payment_method") -> JsonObject:
    """The payment method of an id (an editable copy); magic names make a fresh one, legacy ids are wrapped.

    Raises:
        NotFound: there is none.
    """
    card = by_payment_method(identifier)
    if card is not None:
        return from_card(call, card)
    magic = rails.magic(identifier)
    if magic is not None:
        return insert(
            call,
            magic[0],
            rails.hash_of(call, magic[0], magic[1]),
            hidden={"_test": magic[2], "_verified": magic[2] != "microdeposits_fail"},
        )
    stored = call.ledger.edit(call.account, KIND, identifier)
    if stored is not None:
        return stored
    if identifier.startswith(("card_", "src_", "ba_")):
        from trialbalance.twin.resources import sources

        wrapped = sources.as_payment_method(call, identifier)
        if wrapped is not None:
            return wrapped
    raise NotFound(KIND, identifier, param=param)


def from_card(
    call: Call,
    card: TestCard,
    *,
    exp_month: int | None = None,
    exp_year: int | None = None,
    cvc_given: bool = True,
    billing: Any = None,
    fields: JsonObject | None = None,
) -> JsonObject:
    """A new, stored card payment method. Unless told, it expires a year from now, as test tokens do."""
    month, year = tokens.default_expiry(call.now)
    shown = card_hash(
        call, card, exp_month=exp_month or month, exp_year=exp_year or year, cvc_given=cvc_given
    )
    return insert(
        call,
        "card",
        shown,
        billing=billing,
        fields=fields,
        hidden={"_number": card.number, "_cvc": cvc_given},
    )


def insert(
    call: Call,
    type: str,
    details: JsonObject,
    *,
    billing: Any = None,
    fields: JsonObject | None = None,
    hidden: JsonObject | None = None,
) -> JsonObject:
    """Store a new payment method of any type."""
    method = call.new(
        KIND,
        "pm",
        **{
            "allow_redisplay": "unspecified",
            "billing_details": addresses.billing_details(billing),
            "type": type,
            type: details,
            **(fields or {}),
        },
    )
    return call.insert({**method, **(hidden or {})})


def build(call: Call, params: Any, *, prefix: str = "") -> JsonObject:
    """A payment method from `type`, `billing_details` and the type's own hash (`payment_method_data` has the same).

    Raises:
        InvalidRequest: the type's hash is missing or wrong.
        CardError: the card data is wrong.
    """
    type = params["type"]
    billing = params.plain("billing_details")
    fields: JsonObject = {}
    if "allow_redisplay" in params:
        fields["allow_redisplay"] = params["allow_redisplay"]
    if type == "card":
        method = _build_card(call, params, billing, fields, prefix)
    else:
        rail = RAILS.get(type)
        if rail is None or not rail.creatable:
            raise InvalidRequest(
                f'The payment method type "{type}" is invalid. Please ensure the provided type is activated in your '
                "dashboard (https://dashboard.stripe.com/account/payments/settings) and your account is enabled for "
                "any preview features that you are trying to use. See https://stripe.com/docs/payments/payment-methods"
                "/integration-options for supported payment method, currency, and country combinations.",
                param=f"{prefix}[type]" if prefix else "type",
            )
        given = params.plain(type) if dict.__contains__(params, type) else {}
        details, test = rails.read(call, type, given or {}, billing or {}, prefix)
        method = insert(call, type, details, billing=billing, fields=fields, hidden={"_test": test})
    params.plain("radar_options")  # a Radar session changes nothing that can be seen
    call.merge_metadata(method, params)
    return method


def attach_to(call: Call, identifier: str, customer: str, *, param: str = "payment_method") -> JsonObject:
    """Attach a payment method (also by its magic name) to a customer.

    Raises:
        NotFound: no such payment method.
        InvalidRequest: it is spent, or somebody else's.
        CardError: 402, the card declines at attach.
    """
    stored = call.find(KIND, identifier)
    if stored is None and by_payment_method(identifier) is None and rails.magic(identifier) is None:
        error = NotFound(KIND, identifier, param=param)
        error.status = 404 if param == "payment_method" else 400
        raise error
    method = resolve(call, identifier, param=param)
    if method["customer"] == customer:
        return method
    if method["customer"] is not None:
        raise InvalidRequest("The payment method you provided has already been attached to a customer.")
    if method.get("_used") or method.get("_detached"):
        raise InvalidRequest(SPENT_ATTACH)
    if method["type"] == "card":
        _verify(call, method)
    elif not RAILS[method["type"]].reusable:
        raise InvalidRequest(
            f"Payment methods of type '{method['type']}' cannot be saved to customers."
            if not RAILS[method["type"]].saved_by_setup
            else f"PaymentMethods of type {method['type']} must be saved with a SetupIntent or a PaymentIntent.",
            param="payment_method",
        )
    keep(call, method, customer)
    return method


def keep(call: Call, method: JsonObject, customer: str) -> None:
    """Attach without asking the issuer (after a successful setup or payment)."""
    method["customer"] = customer
    call.ledger.reindex(call.account, KIND, method)
    call.emit("payment_method.attached", method)


def detach_all(call: Call, customer: str) -> None:
    """Detach every payment method of a deleted customer."""
    for method in list(call.ledger.all(call.account, KIND, customer=customer)):
        stored = call.edit(KIND, method["id"])
        stored["customer"], stored["_detached"] = None, True
        call.ledger.reindex(call.account, KIND, stored)


def snapshot(method: JsonObject) -> JsonObject:
    """A copy for embedding in errors."""
    copied: JsonObject = copy_json(method)
    return copied


def check_owner(
    method: JsonObject, customer: str | None, *, intent: str, param: str = "payment_method"
) -> None:
    """Refuse a payment method of another customer, or of one that was not named.

    Raises:
        InvalidRequest: with the API's words for PaymentIntents and SetupIntents.
    """
    owner = method["customer"]
    if owner is None:
        if method.get("_used") or method.get("_detached"):
            raise InvalidRequest(SPENT)
        return
    if owner == customer:
        return
    if customer is not None:
        raise InvalidRequest(
            f"The PaymentMethod {method['id']} does not belong to the Customer you supplied {customer}. Please use "
            "this PaymentMethod with the Customer that it belongs to instead.",
            param=param,
        )
    if intent == "SetupIntent":
        raise InvalidRequest(
            f"The payment method supplied ({method['id']}) belongs to the Customer {owner}. Please include the "
            "Customer in the `customer` parameter on the SetupIntent.",
            param=param,
        )
    raise InvalidRequest(
        f"The `payment_method` parameter supplied {method['id']} belongs to the Customer {owner}. Please include the "
        "Customer in the `customer` parameter on the PaymentIntent.",
        param="source",
        code="parameter_missing",
    )


def card_of(method: JsonObject) -> TestCard:
    """The test card behind a card payment method."""
    return CARDS[method["_number"]]


def mark_checked(method: JsonObject) -> None:
    """Write the issuer's checks into a card payment method, as every use does."""
    method["card"]["checks"] = checks_of(card_of(method), method["billing_details"], cvc_given=method["_cvc"])


def _verify(call: Call, method: JsonObject) -> None:
    shown = method["card"]
    verdict = network.verify(
        card_of(method),
        network.Circumstances(call.now, cvc_given=method["_cvc"]),
        exp_month=shown["exp_month"],
        exp_year=shown["exp_year"],
    )
    if verdict.decline is not None:
        raise network.refusal(verdict.decline.decline_code or verdict.decline.code, param="")
    mark_checked(method)


def _build_card(call: Call, params: Any, billing: Any, fields: JsonObject, prefix: str) -> JsonObject:
    where = f"{prefix}[card]" if prefix else "card"
    given = params.get("card") if dict.__contains__(params, "card") else None
    if not given:
        raise InvalidRequest(f"Missing required param: {where}.", param=where, code="parameter_missing")
    if given.get("token"):
        token = tokens.consume(call, given["token"], param=f"{where}[token]")
        return from_card(
            call,
            CARDS[token["number"]],
            exp_month=token["exp_month"],
            exp_year=token["exp_year"],
            cvc_given=token["cvc"],
            billing=billing if billing else token["billing"],
            fields=fields,
        )
    if not given.get("number"):
        raise InvalidRequest(
            f"Missing required param: {where}[number].", param=f"{where}[number]", code="parameter_missing"
        )
    raw_numbers_allowed(call)
    card, month, year, cvc = read_card(call, given, where)
    method = from_card(
        call, card, exp_month=month, exp_year=year, cvc_given=bool(cvc), billing=billing, fields=fields
    )
    preferred = (given.plain("networks") or {}).get("preferred")
    if preferred:
        if preferred not in method["card"]["networks"]["available"]:
            raise InvalidRequest(
                f"The network {preferred} is not available for this card.",
                param=f"{where}[networks][preferred]",
            )
        method["card"]["networks"]["preferred"] = preferred
        method["card"]["display_brand"] = preferred
    return method


def read_card(call: Call, given: Any, where: str) -> tuple[TestCard, int, int, str | None]:
    """Number, expiry and security code as sent, checked."""
    for name in ("exp_month", "exp_year"):
        if given.get(name) is None:
            raise InvalidRequest(
                f"Missing required param: {where}[{name}].",
                param=f"{where}[{name}]",
                code="parameter_missing",
            )
    try:
        month, year_sent = int(given["exp_month"]), int(given["exp_year"])
    except ValueError:
        raise InvalidRequest(
            f"Invalid integer: {given['exp_month']}",
            param=f"{where}[exp_month]",
            code="parameter_invalid_integer",
        ) from None
    card = network.identify(given["number"])
    year = network.check_expiry(month, year_sent, call.now)
    cvc = given.get("cvc") or None
    if cvc:
        network.check_cvc(cvc, card.brand)
    return card, month, year, cvc


def raw_numbers_allowed(call: Call) -> None:
    """Refuse card numbers on a secret key, where the account may not send them.

    Source: https://support.stripe.com/questions/enabling-access-to-raw-card-data-apis
    """
    browser = call.api_key is not None and call.api_key.kind == "publishable"
    if not browser and not call.twin.config.raw_card_numbers:
        error = InvalidRequest(RAW_CARDS)
        error.status = 402
        raise error


def _describe(call: Call, method: JsonObject, params: Any) -> None:
    if "billing_details" in params:
        method["billing_details"] = addresses.billing_details(
            params.plain("billing_details"), method["billing_details"]
        )
    if "allow_redisplay" in params:
        method["allow_redisplay"] = params["allow_redisplay"]
    call.merge_metadata(method, params)


def _clone(call: Call) -> JsonObject:
    """A copy of a platform's payment method on a connected account.

    Source: https://docs.stripe.com/payments/payment-methods/connect#cloning-payment-methods
    """
    identifier = call.params["payment_method"]
    customer = call.params.get("customer")
    platform = call.twin.account
    if call.account == platform:
        raise InvalidRequest(
            "You can only clone a PaymentMethod onto a connected account, by setting the Stripe-Account header.",
            param="payment_method",
        )
    home = call.on(platform)
    if customer:
        home.get("customer", customer, param="customer")
    original = home.get(KIND, identifier, param="payment_method")
    check_owner(original, customer, intent="PaymentMethod")
    return insert(
        call,
        original["type"],
        copy_json(original[original["type"]]),
        billing=original["billing_details"],
        hidden={
            name: value for name, value in original.items() if name in ("_number", "_cvc", "_test", "_set_up")
        },
    )
