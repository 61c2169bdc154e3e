"""Sources (`src_…`): what came between tokens and payment methods.

Cards and SEPA debits can be made, saved on customers and charged; the redirect types that payment methods replaced
are refused by name.
Source: https://docs.stripe.com/api/sources and https://docs.stripe.com/sources
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin import addresses
from trialbalance.twin.cards.details import checks_of
from trialbalance.twin.cards.table import CARDS
from trialbalance.twin.connect import fields
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotBuilt, NotFound
from trialbalance.twin.rails.details import read
from trialbalance.twin.resources import payment_methods, tokens
from trialbalance.twin.wire.call import Call, endpoint, own_parameters

KIND = "source"
OWNER = ("address", "email", "name", "phone")
own_parameters("POST /v1/sources", card={"hash": dict.fromkeys(("number", "exp_month", "exp_year", "cvc"), "str")},
               sepa_debit={"hash": {"iban": "str"}})  # fmt: skip


@endpoint("POST /v1/sources", browser=True)
def create(call: Call) -> JsonObject:
    """A source of type `card` (from a token or a number) or `sepa_debit` (from an IBAN)."""
    params = call.params
    call.unsupported(
        "customer", "original_source", "source_order", "receiver", "redirect", "statement_descriptor"
    )
    if params.get("flow") not in (None, "none"):
        call.unsupported("flow")
    kind = params.get("type") or ("card" if params.get("token") else None)
    if kind is None:
        raise InvalidRequest("Missing required param: type.", param="type", code="parameter_missing")
    if kind not in ("card", "sepa_debit"):
        raise NotBuilt(f"sources of the type '{kind}': use payment methods", param="type")
    if params.get("amount") is not None:
        call.require("currency")
    source = call.new(
        KIND,
        "src",
        amount=params.get("amount"),
        client_secret=f"src_client_secret_{call.twin.ids.random(24)}",
        currency=params.get("currency") or None,
        flow="none",
        owner=_owner(call, {}),
        status="chargeable",
        type=kind,
        usage=params.get("usage") or "reusable",
    )
    params.plain("mandate")  # a SEPA mandate is accepted as it is given
    call.merge_metadata(source)
    if kind == "card":
        _card(call, source)
    else:
        _sepa(call, source)
    call.insert(fields.arrange(source))
    call.emit("source.chargeable", source)
    return source


@endpoint("GET /v1/sources/{source}", browser=True)
def retrieve(call: Call) -> JsonObject:
    """One source; a publishable key needs its client secret."""
    source = call.get(KIND, call.path["source"], param="source")
    secret = call.params.get("client_secret")
    browser = call.api_key is not None and call.api_key.kind == "publishable"
    if (browser or secret) and secret != source["client_secret"]:
        raise InvalidRequest("The client_secret provided does not match the source's.", param="client_secret")
    return source


@endpoint("POST /v1/sources/{source}")
def update(call: Call) -> JsonObject:
    """Change owner and metadata."""
    source = call.edit(KIND, call.path["source"], param="source")
    call.unsupported("amount", "mandate", "source_order")
    if "owner" in call.params:
        source["owner"] = _owner(call, source["owner"])
    call.merge_metadata(source)
    return source


@endpoint("GET /v1/sources/{source}/source_transactions")
def transactions(call: Call) -> JsonObject:
    """What was received on a source: nothing, for the types that exist here."""
    call.get(KIND, call.path["source"], param="source")
    return call.page_of([], url=call.path_name)


@endpoint("POST /v1/sources/{source}/verify")
def verify(call: Call) -> JsonObject:
    """Sources of the types that exist here need no verification."""
    source = call.get(KIND, call.path["source"], param="source")
    call.params.plain("values")
    raise InvalidRequest(f"Sources of the type {source['type']} do not need to be verified.")


def attach(call: Call, customer: JsonObject, identifier: str, *, param: str) -> JsonObject:
    """Save a source on an edited customer."""
    source = call.ledger.edit(call.account, KIND, identifier)
    if source is None:
        raise NotFound(KIND, identifier, param=param)
    if source.get("customer") or source["status"] != "chargeable" or source["usage"] == "single_use":
        raise InvalidRequest(
            f"The source {identifier} cannot be attached: it is attached, consumed or for a single use.",
            param=param,
        )
    source["customer"] = customer["id"]
    fields.arrange(source)
    call.ledger.reindex(call.account, KIND, source)
    return source


def as_payment_method(call: Call, identifier: str) -> JsonObject | None:
    """A source as the payment method it also is (same id)."""
    source = call.find(KIND, identifier)
    if source is None:
        return None
    shared = {"id": identifier, "customer": source.get("customer")}
    if source["type"] == "card":
        return payment_methods.from_card(
            call,
            CARDS[source["_number"]],
            exp_month=source["card"]["exp_month"],
            exp_year=source["card"]["exp_year"],
            cvc_given=source["_cvc"],
            billing=source["owner"],
            fields=shared,
        )
    return payment_methods.insert(
        call,
        "sepa_debit",
        source["_hash"],
        billing=source["owner"],
        fields=shared,
        hidden={"_test": source["_test"]},
    )


def _owner(call: Call, before: JsonObject) -> JsonObject:
    given = call.params.plain("owner") or {}
    owner = {name: before.get(name) for name in OWNER}
    for name in OWNER:
        if name in given:
            owner[name] = addresses.address(given[name]) if name == "address" else given[name] or None
    return {**owner, **{f"verified_{name}": None for name in OWNER}}


def _card(call: Call, source: JsonObject) -> None:
    given: Any = call.params.get("card")
    if call.params.get("token"):
        data = tokens.consume(call, call.params["token"], param="token")
        number, month, year, cvc = data["number"], data["exp_month"], data["exp_year"], data["cvc"]
    elif given:
        payment_methods.raw_numbers_allowed(call)
        card, month, year, code = payment_methods.read_card(call, given, "card")
        number, cvc = card.number, bool(code)
    else:
        raise InvalidRequest("Missing required param: token.", param="token", code="parameter_missing")
    card = CARDS[number]
    checks = checks_of(card, source["owner"], cvc_given=cvc)
    shown = tokens.card_object(call, card, month, year, cvc_given=cvc)
    source["card"] = {
        "address_line1_check": checks["address_line1_check"],
        "address_zip_check": checks["address_postal_code_check"],
        "brand": shown["brand"],
        "country": card.country,
        "cvc_check": "unchecked" if cvc else None,
        "dynamic_last4": None,
        "exp_month": month,
        "exp_year": year,
        "fingerprint": shown["fingerprint"],
        "funding": card.funding,
        "last4": card.last4,
        "name": source["owner"]["name"],
        "three_d_secure": "not_supported" if card.authentication == "unsupported" else "optional",
        "tokenization_method": None,
    }
    source |= {"_number": number, "_cvc": cvc}


def _sepa(call: Call, source: JsonObject) -> None:
    given: Any = call.params.get("sepa_debit") or {}
    iban = given.get("iban")
    if not iban:
        raise InvalidRequest(
            "Missing required param: sepa_debit[iban].", param="sepa_debit[iban]", code="parameter_missing"
        )
    shown, outcome = read(call, "sepa_debit", {"iban": iban}, source["owner"], "")
    source["sepa_debit"] = {
        "bank_code": shown["bank_code"],
        "branch_code": shown["branch_code"],
        "country": shown["country"],
        "fingerprint": shown["fingerprint"],
        "last4": shown["last4"],
        "mandate_reference": call.twin.ids.random(16, "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789"),
        "mandate_url": f"https://hooks.stripe.com/adapter/sepa_debit/file/{source['id']}",
    }
    source |= {"_hash": shown, "_test": outcome}
