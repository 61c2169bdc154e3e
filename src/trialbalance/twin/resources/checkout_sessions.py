"""Checkout Sessions.

Source: https://docs.stripe.com/api/checkout/sessions
"""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import quote

from trialbalance.twin.checkout import autotax, lines, offers, parameters, promotion, shipping, totals
from trialbalance.twin.checkout.completion import early_intent, setup_intent
from trialbalance.twin.currencies import minimum, shown
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.sites import page
from trialbalance.twin.wire.call import Call, due, endpoint, included
from trialbalance.twin.wire.lists import embedded
from trialbalance.twin.wire.validate import plain

KIND = "checkout.session"
EXPIRE = "checkout.session.expire"


@endpoint("POST /v1/checkout/sessions")
def create(call: Call) -> JsonObject:
    """A new session: its lines, amounts, what the page collects, and where the customer goes afterwards.

    `managed_payments`, `adaptive_pricing` and `wallet_options` are kept and shown; the twin converts no currency.
    """
    params = call.params
    mode = params.get("mode")
    if mode is None:
        raise InvalidRequest("Missing required param: mode.", param="mode", code="parameter_missing")
    ui_mode = params.get("ui_mode") or parameters.HOSTED
    identifier = f"cs_test_{'c1' if mode == 'setup' else 'a1'}{call.twin.ids.random(56)}"
    session = call.new(
        KIND,
        None,
        id=identifier,
        mode=mode,
        ui_mode=ui_mode,
        status="open",
        payment_status="no_payment_required" if mode == "setup" else "unpaid",
        expires_at=parameters.expiry(call),
        currency=(params.get("currency") or "").lower() or None,
        adaptive_pricing=params.plain("adaptive_pricing")
        or {"enabled": mode == "payment" and ui_mode != parameters.ELEMENTS},
        collected_information={"business_name": None, "individual_name": None, "shipping_details": None},
        permissions=params.plain("permissions"),
        shipping_options=[],
    )
    if "managed_payments" in params:
        session["managed_payments"] = params.plain("managed_payments")
    session["_lines"], session["_discounts"], session["_shipping_rate"] = [], [], None
    session["_key"] = call.api_key.value if call.api_key else None
    session["_params"] = as_sent(params)
    parameters.copy_plain(call, session)
    parameters.urls(call, session, ui_mode)
    parameters.customer(call, session, mode)
    parameters.collections(call, session, mode)
    autotax.check(call, session)
    parameters.branding(call, session, ui_mode)
    call.merge_metadata(session)
    if ui_mode != parameters.HOSTED:
        session["client_secret"] = f"{identifier}_secret_{fragment(call)}"
    call.insert(session)
    data(call, session, mode)
    if mode == "setup":
        refuse_in_setup(call)
        parameters.payment_methods(call, session, mode)
        session["setup_intent"] = setup_intent(call, session)["id"]
    else:
        contents(call, session, mode)
        parameters.payment_methods(call, session, mode)
    if ui_mode == parameters.HOSTED:
        session["url"] = f"{page(call.twin, 'checkout', f'c/pay/{identifier}')}#{fragment(call)}"
    early_intent(call, session)
    call.schedule(session["expires_at"], EXPIRE, identifier)
    return session


def as_sent(value: Any) -> Any:
    """Parameters as plain data, not counted as read: a recovered session is made with the same ones again."""
    if isinstance(value, dict):
        return {name: as_sent(item) for name, item in dict.items(value)}
    return [as_sent(item) for item in value] if isinstance(value, list) else value


def contents(call: Call, session: JsonObject, mode: str) -> None:
    """Lines, discounts, shipping and the amounts they make."""
    params = call.params
    given = params.get("line_items") or []
    optional = params.get("optional_items") or []
    if not given:
        raise InvalidRequest(
            "Missing required param: line_items.", param="line_items", code="parameter_missing"
        )
    if len(given) > lines.MOST_LINES:
        raise InvalidRequest(
            f"You can specify a maximum of {lines.MOST_LINES} line items.", param="line_items"
        )
    for position, entry in enumerate(given):
        lines.add(call, session, plain(entry), f"line_items[{position}]")
    check_recurring(call, session, mode)
    session["currency"] = lines.in_currency(call, session)
    check_currency_of_customer(call, session)
    if optional:
        session["optional_items"] = [optional_item(call, plain(entry)) for entry in optional]
    offers.note(call, session)
    call.exclusive("allow_promotion_codes", "discounts")
    promotion.give(call, session, params.get("discounts") or [])
    session["discounts"] = session["discounts"] or []
    shipping.offer(call, session, params.get("shipping_options") or [])
    totals.refresh(call, session)
    check_least(session)


def check_recurring(call: Call, session: JsonObject, mode: str) -> None:
    """Recurring prices belong into subscription mode, and it needs at least one."""
    items = lines.all_of_session(call, session)
    repeating = [lines.recurring(item["price"]) for item in items]
    if mode == "payment" and any(repeating):
        raise InvalidRequest(
            "You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use "
            "only one-time prices.",
            param=f"line_items[{repeating.index(True)}]",
        )
    if mode == "subscription" and not any(repeating):
        raise InvalidRequest(
            "You must provide at least one recurring price in `subscription` mode when using prices.",
            param="line_items",
        )


def check_currency_of_customer(call: Call, session: JsonObject) -> None:
    """A customer is billed in one currency.

    Source: https://docs.stripe.com/billing/customer#currency
    """
    customer = call.find("customer", session["customer"])
    held = (customer or {}).get("currency")
    if session["mode"] == "subscription" and held and held != session["currency"]:
        raise InvalidRequest(
            f"The selected prices' currency (`{session['currency']}`) does not match the customer's currency "
            f"(`{held}`). You cannot combine currencies on a single customer.",
            param="line_items",
        )


def check_least(session: JsonObject) -> None:
    """A payment of more than nothing must reach the currency's smallest charge."""
    currency = session["currency"]
    if session["mode"] == "payment" and 0 < session["amount_total"] < minimum(currency):
        raise InvalidRequest(
            "The Checkout Session's total amount due must add up to at least "
            f"{shown(minimum(currency), currency, code=True)}",
            param="line_items",
            code="amount_too_small",
        )


def optional_item(call: Call, entry: dict[str, Any]) -> JsonObject:
    """One item that the customer may add.

    Source: https://docs.stripe.com/payments/checkout/optional-items
    """
    price = lines.price_of(call, entry, "optional_items[0]")
    given = entry.get("adjustable_quantity")
    adjustable = (
        {"enabled": given["enabled"], "maximum": given.get("maximum"), "minimum": given.get("minimum")}
        if given
        else None
    )
    return {"adjustable_quantity": adjustable, "price": price["id"], "quantity": entry["quantity"]}


def data(call: Call, session: JsonObject, mode: str) -> None:
    """`payment_intent_data`, `subscription_data`, `setup_intent_data` and `invoice_creation`: each in its own mode."""
    for name, own in (
        ("payment_intent_data", "payment"),
        ("subscription_data", "subscription"),
        ("setup_intent_data", "setup"),
    ):
        if name in call.params and mode != own:
            raise InvalidRequest(f"You can not pass `{name}` in `{mode}` mode.", param=name)
        session[f"_{name}"] = call.params.plain(name) or {}
    invoice = call.params.plain("invoice_creation")
    if invoice and mode != "payment":
        raise InvalidRequest(
            f"You can not pass `invoice_creation` in `{mode}` mode.", param="invoice_creation"
        )
    if mode == "payment":
        invoice = invoice or {"enabled": False}
        blank: JsonObject = {
            "account_tax_ids": None,
            "custom_fields": None,
            "description": None,
            "footer": None,
            "issuer": None,
            "metadata": {},
            "rendering_options": None,
        }
        session["invoice_creation"] = {
            "enabled": invoice["enabled"],
            "invoice_data": {**blank, **(invoice.get("invoice_data") or {})},
        }
    trial = session["_subscription_data"]
    if trial.get("trial_end") and trial.get("trial_period_days"):
        raise InvalidRequest(
            "You may only specify one of these parameters: subscription_data[trial_end], "
            "subscription_data[trial_period_days].",
            param="subscription_data[trial_end]",
            code="parameters_exclusive",
        )
    if trial.get("trial_end") and trial["trial_end"] < call.now + 48 * 3600:
        raise InvalidRequest(
            "The `trial_end` date has to be at least 2 days in the future.",
            param="subscription_data[trial_end]",
        )


def refuse_in_setup(call: Call) -> None:
    """Setup mode buys nothing."""
    for name in ("line_items", "discounts", "shipping_options", "optional_items", "submit_type"):
        if call.params.get(name):
            raise InvalidRequest(f"You can not pass `{name}` in `setup` mode.", param=name)


def fragment(call: Call) -> str:
    """What follows the `#` of a session's URL: the publishable key, scrambled as a page's own note to itself."""
    note = json.dumps({"apiKey": call.twin.publishable_key, "account": call.account}, separators=(",", ":"))
    return "fid" + quote(base64.b64encode(bytes(byte ^ 5 for byte in note.encode())).decode(), safe="")


@endpoint("GET /v1/checkout/sessions/{session}")
def retrieve(call: Call) -> JsonObject:
    """One session."""
    return call.get(KIND, call.path["session"])


@endpoint("GET /v1/checkout/sessions")
def list_(call: Call) -> JsonObject:
    """Sessions, newest first."""
    params = call.params
    details = params.get("customer_details")
    email = details["email"] if details else None
    return call.list(
        KIND,
        where={
            name: params.get(name)
            for name in (
                "customer",
                "customer_account",
                "payment_intent",
                "payment_link",
                "status",
                "subscription",
            )
        },
        keep=(lambda session: (session["customer_details"] or {}).get("email") == email) if email else None,
    )


@endpoint("POST /v1/checkout/sessions/{session}")
def update(call: Call) -> JsonObject:
    """Change an open session: metadata, shipping details and options, lines.

    Source: https://docs.stripe.com/api/checkout/sessions/update
    """
    session = call.edit(KIND, call.path["session"])
    params = call.params
    call.merge_metadata(session)
    collected = params.plain("collected_information")
    changes = collected or any(
        name in params for name in ("shipping_options", "line_items", "payment_intent_data")
    )
    if changes and session["status"] != "open":
        raise InvalidRequest(f"You cannot update this Checkout Session: its status is `{session['status']}`.")
    if collected and collected.get("shipping_details"):
        session["collected_information"] = {
            **session["collected_information"],
            "shipping_details": shipping.address(session, collected["shipping_details"]),
        }
    if "payment_intent_data" in params:
        given = params.plain("payment_intent_data")
        kept = {**session["_payment_intent_data"], **given}
        session["_payment_intent_data"] = {name: value for name, value in kept.items() if value != ""}
    if "line_items" in params:
        replace_lines(call, session, params.get("line_items"))
    if "shipping_options" in params:
        shipping.offer(call, session, params.get("shipping_options") or [])
    if session["mode"] != "setup" and changes:
        totals.refresh(call, session)
        check_least(session)
    return session


def replace_lines(call: Call, session: JsonObject, given: list[Any]) -> None:
    """The new lines of a session: kept ones by `id`, new ones by price; the others go.

    Source: https://docs.stripe.com/payments/checkout/dynamic-updates
    """
    before = set(session["_lines"])
    session["_lines"] = []
    for position, row in enumerate(given):
        entry, path = plain(row), f"line_items[{position}]"
        named = entry.pop("id", None)
        if named is None:
            lines.add(call, session, entry, path)
            continue
        if named not in before:
            raise InvalidRequest(
                f"No such line item: '{named}'", param=f"{path}[id]", code="resource_missing"
            )
        item = call.edit("item", named)
        if entry.get("quantity") is not None:
            item["quantity"] = entry["quantity"]
        if isinstance(entry.get("metadata"), dict):
            item["metadata"] = {**item["metadata"], **entry["metadata"]}
        if entry.get("tax_rates") is not None:
            item["_tax_rates"] = list(entry["tax_rates"] or ())
        session["_lines"].append(named)
    check_recurring(call, session, session["mode"])
    offers.note(call, session)


@endpoint("POST /v1/checkout/sessions/{session}/expire")
def expire(call: Call) -> JsonObject:
    """End an open session before its time.

    Source: https://docs.stripe.com/api/checkout/sessions/expire
    """
    session = call.edit(KIND, call.path["session"])
    if session["status"] != "open":
        raise InvalidRequest(
            'Only Checkout Sessions with a status in ["open"] can be expired. '
            f"This Checkout Session has a status of `{session['status']}`."
        )
    end(call, session)
    return session


@due(EXPIRE)
def expire_in_time(call: Call, target: str, arguments: JsonObject) -> None:
    """A session reaches `expires_at`."""
    found = call.find(KIND, target)
    if found is not None and found["status"] == "open":
        end(call, call.edit(KIND, target))


def end(call: Call, session: JsonObject) -> None:
    """Expired: no page any more, a recovery page where one was asked for.

    Source: https://docs.stripe.com/payments/checkout/abandoned-carts
    """
    session["status"], session["url"] = "expired", None
    recovery = (session["after_expiration"] or {}).get("recovery")
    if recovery and recovery["enabled"]:
        recovery["expires_at"] = call.now + 30 * 86_400
        recovery["url"] = page(call.twin, "buy", f"r/test_{call.twin.ids.random(40)}")
        session["_token"] = recovery["url"].rsplit("/", 1)[-1]
    call.emit("checkout.session.expired", session)


@endpoint("GET /v1/checkout/sessions/{session}/line_items")
def line_items(call: Call) -> JsonObject:
    """The lines of a session.

    Source: https://docs.stripe.com/api/checkout/sessions/line_items
    """
    session = call.get(KIND, call.path["session"])
    return call.page_of(
        lines.of_session(call, session), url=f"/v1/checkout/sessions/{session['id']}/line_items"
    )


@included(KIND, "line_items")
def included_line_items(call: Call, session: JsonObject) -> JsonObject:
    """`expand[]=line_items`: the first page of lines."""
    stored = call.get(KIND, session["id"])
    return embedded(lines.of_session(call, stored), f"/v1/checkout/sessions/{session['id']}/line_items")


@included(KIND, "total_details.breakdown")
def breakdown(call: Call, session: JsonObject) -> JsonObject:
    """`expand[]=total_details.breakdown`: discounts and taxes by name."""
    stored = call.get(KIND, session["id"])
    found = stored.get("_breakdown") or {"discounts": [], "taxes": []}
    return {
        "discounts": [
            {"amount": amount, "discount": discount(call, stored, name)}
            for name, amount in found["discounts"]
        ],
        "taxes": [tax(call, *entry) for entry in found["taxes"]],
    }


@included("item", "discounts")
def item_discounts(call: Call, item: JsonObject) -> list[JsonObject]:
    """`expand[]=line_items.data.discounts`."""
    stored = call.get("item", item["id"])
    session = call.get(KIND, stored["_session"])
    return [
        {"amount": amount, "discount": discount(call, session, name)}
        for name, amount in stored.get("_discounts", ())
    ]


@included("item", "taxes")
def item_taxes(call: Call, item: JsonObject) -> list[JsonObject]:
    """`expand[]=line_items.data.taxes`."""
    return [tax(call, *entry) for entry in call.get("item", item["id"]).get("_taxes", ())]


def discount(call: Call, session: JsonObject, name: str) -> JsonObject:
    """A session's discount as a discount object."""
    entry = next(found for found in session["_discounts"] if found["id"] == name)
    return call.new(
        "discount",
        None,
        id=name,
        checkout_session=session["id"],
        customer=session["customer"],
        promotion_code=entry["promotion_code"],
        source={"coupon": entry["coupon"], "type": "coupon"},
        start=session["created"],
    )


def tax(call: Call, rate: str, amount: int, taxable: int, reason: str) -> JsonObject:
    """One tax of a line or of the whole."""
    return {
        "amount": amount,
        "rate": call.get("tax_rate", rate),
        "taxability_reason": reason,
        "taxable_amount": taxable,
    }
