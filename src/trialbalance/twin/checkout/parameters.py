"""The parameters of a new session, checked together and brought into the object's shape.

Source: https://docs.stripe.com/api/checkout/sessions/create
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import payment_options
from trialbalance.twin.wire.call import Call
from trialbalance.twin.wire.validate import plain

HOSTED, EMBEDDED, ELEMENTS, FORM = "hosted_page", "embedded_page", "elements", "form"

PLAIN = (
    "allow_promotion_codes",
    "billing_address_collection",
    "client_reference_id",
    "customer_account",
    "integration_identifier",
    "locale",
    "origin_context",
    "submit_type",
)
"""Copied into the object as they are."""

SLOTS = ("after_submit", "shipping_address", "submit", "terms_of_service_acceptance")
SHORTEST, LONGEST = 30 * 60, 24 * 60 * 60


def copy_plain(call: Call, session: JsonObject) -> None:
    """The parameters that the object simply repeats."""
    for name in PLAIN:
        if name in call.params:
            session[name] = call.params.plain(name)


def urls(call: Call, session: JsonObject, ui_mode: str) -> None:
    """Where the customer goes afterwards; hosted pages and embedded ones ask for different ones.

    Source: https://docs.stripe.com/payments/checkout/custom-success-page
    """
    params = call.params
    success, cancel, back = params.get("success_url"), params.get("cancel_url"), params.get("return_url")
    redirect = params.get("redirect_on_completion")
    if ui_mode == HOSTED:
        if back:
            raise _not_with("return_url", ui_mode, "success_url")
        if redirect:
            raise _not_with("redirect_on_completion", ui_mode, None)
        if not success:
            raise InvalidRequest(
                "Missing required param: success_url.", param="success_url", code="parameter_missing"
            )
        session["success_url"], session["cancel_url"] = success, cancel or None
        for name, url in (("success_url", success), ("cancel_url", cancel)):
            _check_url(name, url)
        return
    for name, url in (("success_url", success), ("cancel_url", cancel)):
        if url:
            raise _not_with(name, ui_mode, "return_url")
    session["success_url"] = session["cancel_url"] = None
    session["redirect_on_completion"] = redirect or "always"
    if ui_mode == EMBEDDED and redirect == "never":
        if back:
            raise InvalidRequest(
                "`return_url` cannot be set when `redirect_on_completion` is `never`.", param="return_url"
            )
        return
    if not back and ui_mode == EMBEDDED:
        raise InvalidRequest(
            "Missing required param: return_url.", param="return_url", code="parameter_missing"
        )
    session["return_url"] = back or None
    _check_url("return_url", back)


def _not_with(name: str, ui_mode: str, instead: str | None) -> InvalidRequest:
    hint = f" Use `{instead}` instead." if instead else ""
    return InvalidRequest(f"`{name}` cannot be set when `ui_mode` is `{ui_mode}`.{hint}", param=name)


def _check_url(name: str, url: str | None) -> None:
    if url and not url.startswith(("http://", "https://")) and "://" not in url:
        raise InvalidRequest("Not a valid URL", param=name, code="url_invalid")


def expiry(call: Call) -> int:
    """When the session ends: a day from now, or what was asked within half an hour and a day.

    Source: https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-expires_at
    """
    asked = call.params.get("expires_at")
    if asked is None:
        return call.now + LONGEST
    if asked > call.now + LONGEST:
        raise InvalidRequest(
            "The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.",
            param="expires_at",
        )
    if asked < call.now + SHORTEST:
        raise InvalidRequest(
            "The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.",
            param="expires_at",
        )
    return int(asked)


def collections(call: Call, session: JsonObject, mode: str) -> None:
    """What the page collects besides the payment: address, phone, tax id, consent, custom fields and texts."""
    params = call.params
    session["custom_fields"] = custom_fields(params.get("custom_fields") or [])
    texts = params.plain("custom_text") or {}
    session["custom_text"] = {slot: (texts.get(slot) or None) for slot in SLOTS}
    consent = params.plain("consent_collection")
    session["consent_collection"] = (
        {
            "payment_method_reuse_agreement": consent.get("payment_method_reuse_agreement"),
            "promotions": consent.get("promotions"),
            "terms_of_service": consent.get("terms_of_service"),
        }
        if consent
        else None
    )
    phone = params.plain("phone_number_collection")
    session["phone_number_collection"] = {"enabled": bool(phone and phone["enabled"])}
    tax_id = params.plain("tax_id_collection")
    if tax_id:
        session["tax_id_collection"] = {"required": "never", **tax_id}
    names = params.plain("name_collection")
    if names:
        session["name_collection"] = {
            kind: {"enabled": given["enabled"], "optional": bool(given.get("optional"))}
            for kind, given in sorted(names.items())
        }
    shipping = params.plain("shipping_address_collection")
    if shipping and mode == "setup":
        raise InvalidRequest(
            "You can not collect a shipping address in `setup` mode.", param="shipping_address_collection"
        )
    session["shipping_address_collection"] = shipping
    recovery = (params.plain("after_expiration") or {}).get("recovery")
    session["after_expiration"] = (
        {
            "recovery": {
                "allow_promotion_codes": bool(recovery.get("allow_promotion_codes")),
                "enabled": recovery["enabled"],
                "expires_at": None,
                "url": None,
            }
        }
        if recovery
        else None
    )
    tax = params.plain("automatic_tax") or {}
    enabled = bool(tax.get("enabled"))
    session["automatic_tax"] = {
        "enabled": enabled,
        "liability": (tax.get("liability") or {"type": "self"}) if enabled else None,
        "provider": "stripe" if enabled else None,
        "status": "requires_location_inputs" if enabled else None,
    }


def custom_fields(given: list[Any]) -> list[JsonObject]:
    """Up to three extra fields, each with the defaults of its type.

    Source: https://docs.stripe.com/payments/checkout/custom-components
    """
    if len(given) > 3:
        raise InvalidRequest("You can specify a maximum of 3 custom fields.", param="custom_fields")
    fields: list[JsonObject] = []
    keys: set[str] = set()
    for position, entry in enumerate(given):
        field = plain(entry)
        path = f"custom_fields[{position}]"
        if field["key"] in keys:
            raise InvalidRequest(
                f"Custom field keys must be unique, but `{field['key']}` is used twice.", param=f"{path}[key]"
            )
        keys.add(field["key"])
        kind = field["type"]
        row: JsonObject = {
            "key": field["key"],
            "label": {"custom": field["label"]["custom"], "type": "custom"},
            "optional": bool(field.get("optional")),
            "type": kind,
        }
        if kind == "dropdown":
            if not field.get("dropdown"):
                raise InvalidRequest(
                    f"Missing required param: {path}[dropdown].",
                    param=f"{path}[dropdown]",
                    code="parameter_missing",
                )
            row["dropdown"] = {
                "default_value": field["dropdown"].get("default_value"),
                "options": field["dropdown"]["options"],
                "value": None,
            }
        else:
            limits = field.get(kind) or {}
            row[kind] = {
                "default_value": limits.get("default_value"),
                "maximum_length": limits.get("maximum_length"),
                "minimum_length": limits.get("minimum_length"),
                "value": None,
            }
        fields.append({name: row[name] for name in sorted(row)})
    return fields


def branding(call: Call, session: JsonObject, ui_mode: str) -> None:
    """How the page looks: what was asked, else the account's.

    Source: https://docs.stripe.com/api/checkout/sessions/object#checkout_session_object-branding_settings
    """
    given = call.params.plain("branding_settings") or {}
    if ui_mode not in (HOSTED, EMBEDDED):
        if given:
            raise _not_with("branding_settings", ui_mode, None)
        return
    account = (call.find("account", call.account) or {}).get("settings") or {}
    colors = account.get("branding") or {}
    name = (account.get("dashboard") or {}).get("display_name") or call.twin.config.display_name
    session["branding_settings"] = {
        "background_color": given.get("background_color") or "#ffffff",
        "border_style": given.get("border_style") or "rounded",
        "button_color": given.get("button_color") or colors.get("primary_color") or "#0074d4",
        "display_name": given.get("display_name") or name,
        "font_family": given.get("font_family") or "default",
        "icon": _image(call, given.get("icon"), "icon"),
        "logo": _image(call, given.get("logo"), "logo"),
    }


def _image(call: Call, given: JsonObject | None, name: str) -> JsonObject | None:
    if not given:
        return None
    wanted = given["type"]
    path = f"branding_settings[{name}][{wanted}]"
    if not given.get(wanted):
        raise InvalidRequest(f"Missing required param: {path}.", param=path, code="parameter_missing")
    if wanted == "file":
        call.get("file", given["file"], param=path)
    return {"file": given.get("file"), "type": given["type"], "url": given.get("url")}


def customer(call: Call, session: JsonObject, mode: str) -> None:
    """Who pays: an existing customer, an e-mail address, or nobody known yet."""
    params = call.params
    call.exclusive("customer", "customer_email")
    named, email = params.get("customer") or None, params.get("customer_email") or None
    creation = params.get("customer_creation")
    update = params.plain("customer_update")
    session["customer"], session["customer_email"] = named, email
    session["customer_details"] = None
    if named:
        found = call.get("customer", named, param="customer")
        if creation:
            call.exclusive("customer", "customer_creation")
        session["customer_creation"] = None
        session["customer_details"] = details(
            email=found["email"], tax_exempt=None if mode == "setup" else (found.get("tax_exempt") or "none")
        )
    else:
        if update:
            raise InvalidRequest(
                "`customer_update` can only be used with `customer`.", param="customer_update"
            )
        if creation and mode != "payment":
            raise InvalidRequest(
                f"`customer_creation` can only be used in `payment` mode, not in `{mode}` mode.",
                param="customer_creation",
            )
        session["customer_creation"] = (creation or "if_required") if mode == "payment" else "always"
        if email:
            session["customer_details"] = details(email=email, tax_exempt=None if mode == "setup" else "none")
    session["_customer_update"] = update or {}


def details(**known: Any) -> JsonObject:
    """The `customer_details` hash with what is known."""
    blank: JsonObject = {
        "address": None,
        "business_name": None,
        "email": None,
        "individual_name": None,
        "name": None,
        "phone": None,
        "tax_exempt": None,
        "tax_ids": None,
    }
    return {**blank, **known}


def payment_methods(call: Call, session: JsonObject, mode: str) -> None:
    """Which payment methods the page offers, and their options.

    Source: https://docs.stripe.com/payments/payment-methods/dynamic-payment-methods
    """
    params = call.params
    given = params.plain("payment_method_types") or None
    allowed = params.plain("allowed_payment_method_types") or None
    excluded = params.plain("excluded_payment_method_types") or None
    configuration = params.get("payment_method_configuration")
    if given and (configuration or excluded):
        other = "payment_method_configuration" if configuration else "excluded_payment_method_types"
        raise InvalidRequest(
            f"You may only specify one of these parameters: payment_method_types, {other}.",
            param="payment_method_types",
            code="parameters_exclusive",
        )
    if mode == "setup" and not given and not session["currency"]:
        raise InvalidRequest(
            "Missing required param: currency. It is required in `setup` mode when `payment_method_types` is "
            "not set.",
            param="currency",
            code="parameter_missing",
        )
    if allowed:
        session["allowed_payment_method_types"] = allowed
    if excluded:
        session["excluded_payment_method_types"] = excluded
    types, _, details_of = payment_options.choose(
        call,
        explicit=given,
        allowed=allowed,
        excluded=excluded,
        automatic=None,
        configuration=configuration,
        currency=session["currency"],
        setup=mode == "setup",
        manual=(session["_payment_intent_data"].get("capture_method") == "manual"),
    )
    session["payment_method_configuration_details"] = details_of
    session["payment_method_types"] = types
    options = params.plain("payment_method_options") or {}
    if "card" in types:
        options["card"] = {"request_three_d_secure": "automatic", **(options.get("card") or {})}
    session["payment_method_options"] = {name: options[name] for name in sorted(options)}
    session["payment_method_collection"] = params.get("payment_method_collection") or (
        "if_required" if mode == "payment" else "always"
    )
    if params.get("payment_method_collection") and mode != "subscription":
        raise InvalidRequest(
            "`payment_method_collection` can only be set in `subscription` mode.",
            param="payment_method_collection",
        )
    data = params.plain("payment_method_data") or {}
    session["_allow_redisplay"] = data.get("allow_redisplay")
    saved = params.plain("saved_payment_method_options") or {}
    session["saved_payment_method_options"] = (
        {
            "allow_redisplay_filters": saved.get("allow_redisplay_filters") or ["always"],
            "payment_method_remove": saved.get("payment_method_remove") or "disabled",
            "payment_method_save": saved.get("payment_method_save"),
        }
        if saved or (session["customer"] and mode != "setup")
        else None
    )
    wallets = params.plain("wallet_options")
    session["wallet_options"] = wallets or None
