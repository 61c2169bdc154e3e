"""What PaymentIntents and SetupIntents have in common: reading their parameters, browser access, error bodies.

Source: https://docs.stripe.com/api/payment_intents/create
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from trialbalance.contract import load
from trialbalance.twin import addresses
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.rails.table import REDIRECTS
from trialbalance.twin.resources import payment_methods, payment_options
from trialbalance.twin.wire.call import Call

NAMES = {"payment_intent": "PaymentIntent", "setup_intent": "SetupIntent"}
PUBLIC = frozenset(
    [
        "id",
        "object",
        "amount",
        "amount_details",
        "automatic_payment_methods",
        "canceled_at",
        "cancellation_reason",
        "capture_method",
        "client_secret",
        "confirmation_method",
        "created",
        "currency",
        "description",
        "excluded_payment_method_types",
        "last_payment_error",
        "last_setup_error",
        "livemode",
        "next_action",
        "payment_method",
        "payment_method_configuration_details",
        "payment_method_types",
        "processing",
        "receipt_email",
        "setup_future_usage",
        "shipping",
        "source",
        "status",
        "usage",
    ]
)
"""Fields that a publishable key may see.

Source: https://docs.stripe.com/api/payment_intents/object ("retrievable with publishable key")
"""
WITH_CONFIRM = ("error_on_requires_action", "mandate", "mandate_data", "off_session", "return_url")
MUST_RETURN = (
    "This {name} is configured to accept payment methods enabled in your Dashboard. Because some of these payment "
    "methods might redirect your customer off of your page, you must provide a `return_url`. If you don't want to "
    "accept redirect-based payment methods, set `automatic_payment_methods[enabled]` to `true` and "
    "`automatic_payment_methods[allow_redirects]` to `never` when creating Setup Intents and Payment Intents."
)


def take_cards(*names: str) -> None:
    """Let `payment_method_data` carry card data, as browsers send it."""
    card = load().endpoints["POST /v1/payment_methods"].params["hash"]["card"]
    for name in names:
        node = load().endpoints[name].params["hash"]["payment_method_data"]
        while "hash" not in node:
            node = node["empty"]
        node["hash"]["card"] = card
        kinds = node["hash"]["type"]
        if isinstance(kinds, dict) and "enum" in kinds and "card" not in kinds["enum"]:
            kinds["enum"].append("card")


# Parameters


def types(call: Call, currency: str | None, *, setup: bool, intent: JsonObject | None = None) -> Any:
    """The types chosen by the request; None when an update says nothing about them."""
    params = call.params
    explicit = params.plain("payment_method_types") or None
    allowed = params.plain("allowed_payment_method_types") or None
    excluded = params.plain("excluded_payment_method_types") or None
    automatic = params.plain("automatic_payment_methods") or None
    configuration = params.get("payment_method_configuration") or None
    sent = (explicit, allowed, excluded, automatic, configuration)
    if intent is not None and not any(sent):
        return None
    if allowed and (explicit or excluded or automatic or configuration):
        raise InvalidRequest(
            "You may only specify one of these parameters: allowed_payment_method_types, payment_method_types, "
            "excluded_payment_method_types, automatic_payment_methods, payment_method_configuration.",
            param="allowed_payment_method_types",
        )
    manual = (params.get("capture_method") or (intent or {}).get("capture_method")) == "manual"
    return payment_options.choose(
        call,
        explicit=explicit,
        allowed=allowed,
        excluded=excluded,
        automatic=automatic or ((intent or {}).get("automatic_payment_methods") if not explicit else None),
        configuration=configuration,
        currency=currency,
        setup=setup,
        manual=manual,
    )


def put_types(intent: JsonObject, chosen: Any) -> None:
    """Write chosen types into an existing intent."""
    offered, automatic, configuration = chosen
    intent["payment_method_types"] = offered
    intent["automatic_payment_methods"] = automatic
    intent["payment_method_configuration_details"] = configuration
    intent["payment_method_options"] = payment_options.defaults(
        offered,
        {type: own for type, own in intent["payment_method_options"].items() if type in offered},
        setup=intent["object"] == "setup_intent",
    )


def describe(call: Call, intent: JsonObject) -> None:
    """Copy the descriptive parameters of a PaymentIntent, checking each."""
    params = call.params
    call.assign(intent, "description")
    for name in ("allowed_payment_method_types", "excluded_payment_method_types"):
        if name in params:
            intent[name] = params.plain(name) or None
    if params.get("receipt_email"):
        addresses.email(params["receipt_email"], param="receipt_email")
    call.assign(intent, "receipt_email")
    if "shipping" in params:
        intent["shipping"] = addresses.parcel(params.plain("shipping"))
    if "setup_future_usage" in params:
        intent["setup_future_usage"] = params["setup_future_usage"] or None
    _descriptors(call, intent)
    if params.get("payment_details"):
        details = params.plain("payment_details")
        intent["payment_details"] = {
            "customer_reference": details.get("customer_reference") or None,
            "order_reference": details.get("order_reference") or None,
        }
    if params.get("amount_details"):
        _amounts(call, intent, params.plain("amount_details"))
    call.merge_metadata(intent)


def _descriptors(call: Call, intent: JsonObject) -> None:
    """Statement descriptors: for cards only the suffix may be set.

    Source: https://docs.stripe.com/get-started/account/statement-descriptors
    """
    params = call.params
    for name in ("statement_descriptor", "statement_descriptor_suffix"):
        if name not in params:
            continue
        text = params[name] or None
        if text is not None:
            if len(text) > 22:
                raise InvalidRequest(
                    f"The statement descriptor must be at most 22 characters; you passed {len(text)}.",
                    param=name,
                )
            if any(character in text for character in "<>\\'\"*") or not any(c.isalpha() for c in text):
                raise InvalidRequest(
                    "The statement descriptor must contain at least one letter, and none of the characters "
                    "<, >, \\, ', \", *.",
                    param=name,
                    code="invalid_characters" if any(c.isalpha() for c in text) else None,
                )
            if name == "statement_descriptor" and "card" in intent["payment_method_types"]:
                raise InvalidRequest(
                    "You can't set `statement_descriptor` on a PaymentIntent that accepts cards. Use "
                    "`statement_descriptor_suffix` instead: https://docs.stripe.com/get-started/account/"
                    "statement-descriptors#dynamic",
                    param=name,
                )
        intent[name] = text


def _amounts(call: Call, intent: JsonObject, sent: JsonObject) -> None:
    """Industry data about the amount: discount, shipping, tax, line items.

    Source: https://docs.stripe.com/payments/payment-line-items
    """
    shown = {"tip": {}, **intent["amount_details"]}
    for name in ("discount_amount", "shipping", "tax"):
        if name in sent:
            shown[name] = sent[name] or None
    rows = sent.get("line_items")
    if rows is not None:
        intent["_line_items"] = [
            {
                "id": call.new_id("uli"),
                "object": "payment_intent_amount_details_line_item",
                "discount_amount": row.get("discount_amount"),
                "payment_method_options": row.get("payment_method_options"),
                "product_code": row.get("product_code"),
                "product_name": row["product_name"],
                "quantity": row["quantity"],
                "tax": row.get("tax"),
                "unit_cost": row["unit_cost"],
                "unit_of_measure": row.get("unit_of_measure"),
            }
            for row in rows or []
        ]
    if sent.get("enforce_arithmetic_validation", True) and intent.get("_line_items"):
        total = sum(
            row["quantity"] * row["unit_cost"]
            - (row["discount_amount"] or 0)
            + ((row["tax"] or {}).get("total_tax_amount") or 0)
            for row in intent["_line_items"]
        )
        total += (shown.get("tax") or {}).get("total_tax_amount") or 0
        total += (shown.get("shipping") or {}).get("amount") or 0
        total -= shown.get("discount_amount") or 0
        if total != intent["amount"]:
            raise InvalidRequest(
                f"The amount ({intent['amount']}) does not equal the sum of its amount details ({total}).",
                param="amount_details",
                code="amount_details_arithmetic_mismatch",
            )
    intent["amount_details"] = shown


def connect(call: Call, intent: JsonObject, *, capture: bool = False) -> None:
    """Copy the Connect parameters, checking each."""
    from trialbalance.twin.resources import connect_payments

    connect_payments.describe(call, intent, capture=capture)


def chosen_method(call: Call, intent: JsonObject) -> JsonObject | None:
    """The payment method that the request names, brings, or has in a confirmation token."""
    params = call.params
    call.exclusive("payment_method", "payment_method_data", "confirmation_token")
    if params.get("payment_method"):
        return payment_methods.resolve(call, params["payment_method"])
    if dict.get(params, "payment_method_data"):
        return payment_methods.build(call, params["payment_method_data"], prefix="payment_method_data")
    if params.get("confirmation_token"):
        from trialbalance.twin.resources import confirmation_tokens

        return confirmation_tokens.use(call, intent, params["confirmation_token"])
    return None


def check_type(intent: JsonObject, method: JsonObject) -> None:
    """Refuse a payment method of a type that the intent does not offer."""
    if method["type"] not in intent["payment_method_types"]:
        name = NAMES[intent["object"]]
        raise InvalidRequest(
            f"The PaymentMethod provided ({method['type']}) is not allowed for this {name}. Please attach a PaymentMethod"
            f" of one of the following types: {', '.join(intent['payment_method_types'])}. You can change the allowed"
            f" types by updating the {name}.",
            param="payment_method",
        )


def only_with_confirm(call: Call) -> None:
    """Refuse, on creation without confirmation, what only a confirmation uses."""
    for name in WITH_CONFIRM:
        if dict.get(call.params, name) not in (None, "", False):
            raise InvalidRequest(
                f"The parameter `{name}` can only be used when `confirm` is `true`.", param=name
            )
        call.params.ignore(name)
    call.params.ignore("use_stripe_sdk")


def off_session(call: Call, intent: JsonObject) -> bool:
    """Whether the customer is away.

    Raises:
        InvalidRequest: together with `setup_future_usage`, or from a browser.
    """
    value = call.params.get("off_session")
    away = value not in (None, False, "", "false")
    if away and dict.get(call.params, "setup_future_usage"):
        raise InvalidRequest(
            "You cannot set `setup_future_usage` together with `off_session=true`.",
            param="setup_future_usage",
        )
    return away


def remember_return(call: Call, intent: JsonObject, *, off_session: bool = False) -> None:
    """Keep `return_url` and `use_stripe_sdk` of a confirmation, requiring the first where redirects may come.

    Source: https://docs.stripe.com/changelog/2023-08-16/automatic-payment-methods-enabled-default
    """
    params = call.params
    url = params.get("return_url") or None
    intent["_use_stripe_sdk"] = bool(params.get("use_stripe_sdk"))
    if url and "://" not in url:
        raise InvalidRequest(f"Invalid URL: {url}", param="return_url", code="url_invalid")
    automatic = intent["automatic_payment_methods"]
    browser = call.api_key is not None and call.api_key.kind == "publishable"
    if (
        url is None
        and not off_session
        and not browser
        and automatic is not None
        and automatic["allow_redirects"] == "always"
        and not intent.get("_legacy_types")
    ):
        raise InvalidRequest(MUST_RETURN.format(name=NAMES[intent["object"]]), param="return_url")
    method = call.find("payment_method", intent["payment_method"])
    if url is None and method is not None and method["type"] in REDIRECTS:
        raise InvalidRequest(
            f"Missing required param: return_url. A `return_url` is required to confirm a {NAMES[intent['object']]} "
            f"with a {method['type']} PaymentMethod.",
            param="return_url",
            code="parameter_missing",
        )
    intent["_return_url"] = url


# Browser access


def check_secret(call: Call, intent: JsonObject) -> None:
    """A publishable key must show the intent's client secret; a wrong one is refused from anybody."""
    sent = call.params.get("client_secret")
    public = call.api_key is not None and call.api_key.kind == "publishable"
    if sent is None:
        if public:
            raise InvalidRequest(
                "Missing required param: client_secret.", param="client_secret", code="parameter_missing"
            )
        return
    if sent != intent["client_secret"]:
        raise InvalidRequest(
            f"The client_secret provided does not match any associated {NAMES[intent['object']]} on this account. Ensure "
            "the publishable key used belongs to the same account that created the "
            f"{NAMES[intent['object']]}.",
            param="client_secret",
            code="resource_missing",
        )


def for_browser(call: Call, intent: JsonObject) -> JsonObject:
    """The intent, or for a publishable key its public fields."""
    if call.api_key is None or call.api_key.kind != "publishable":
        return intent
    return {name: value for name, value in intent.items() if name in PUBLIC}


@contextmanager
def carrying(call: Call, intent: JsonObject) -> Iterator[None]:
    """Refusals inside carry the stored intent as it was before the request; a new intent has none to show."""
    try:
        yield
    except InvalidRequest as error:
        before = call.ledger.before(call.account, intent["object"], intent["id"])
        if before is not None and error.status == 400:
            error.extra.setdefault(intent["object"], before)
        raise
