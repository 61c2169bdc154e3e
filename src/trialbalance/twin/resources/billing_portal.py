"""The customer portal: configurations and sessions.

Source: https://docs.stripe.com/api/customer_portal
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin import sites
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import payment_method_configurations as method_configurations
from trialbalance.twin.wire.call import Call, endpoint
from trialbalance.twin.wire.validate import Params

CONFIGURATION = "billing_portal.configuration"
SESSION = "billing_portal.session"
NO_CONFIGURATION = (
    "No configuration provided and your test mode default configuration has not been created. Provide a configuration "
    "or create your default by saving your customer portal settings in test mode at "
    "https://dashboard.stripe.com/test/settings/billing/portal."
)
NO_RETURN_URL = (
    "Your PortalConfiguration does not have a `default_return_url`, and you did not provide a `return_url`."
)
OFF: JsonObject = {
    "customer_update": {"allowed_updates": [], "enabled": False},
    "invoice_history": {"enabled": False},
    "payment_method_update": {"enabled": False, "payment_method_configuration": None},
    "subscription_cancel": {
        "cancellation_reason": {"enabled": False, "feedback_options": None, "options": []},
        "enabled": False,
        "mode": "at_period_end",
        "proration_behavior": "none",
    },
    "subscription_pause": {
        "duration": {
            "interval_options": [{"interval": "month", "interval_count": 1}],
            "type": "interval_options",
        },
        "enabled": False,
    },
    "subscription_update": {
        "billing_cycle_anchor": None,
        "default_allowed_updates": [],
        "enabled": False,
        "products": None,
        "proration_behavior": "none",
        "schedule_at_period_end": {"conditions": []},
        "trial_update_behavior": "end_trial",
    },
}
"""Every feature, switched off."""
MOST_PRODUCTS = 10
LONGEST_PAUSE = {"day": 3 * 365, "week": 3 * 52, "month": 36, "year": 3}
"""Three years, in each unit."""
FEATURE_OF = {
    "customer_update": ("customer_update", "updated", "customer update"),
    "payment_method_update": ("payment_method_update", "updated", "payment method update"),
    "subscription_cancel": ("subscription_cancel", "canceled", "subscription cancellation"),
    "subscription_pause": ("subscription_pause", "paused", "subscription pause"),
    "subscription_update": ("subscription_update", "updated", "subscription update"),
    "subscription_update_confirm": ("subscription_update", "updated", "subscription update"),
}


def merged(before: JsonObject, given: JsonObject) -> JsonObject:
    """`before` with what was given, hash by hash; an emptied value becomes an empty list or null."""
    result: JsonObject = {}
    for name, old in before.items():
        if name not in given:
            result[name] = old
            continue
        value = given[name]
        if isinstance(old, dict) and isinstance(value, dict):
            result[name] = merged(old, value)
        elif value == "":
            result[name] = [] if isinstance(old, list) else None
        else:
            result[name] = value
    return result


def _features(call: Call, given: Any, before: JsonObject) -> JsonObject:
    features = merged(before, given)
    _check_cancel(call, features["subscription_cancel"])
    _check_pause(features["subscription_pause"], given)
    _check_methods(call, features["payment_method_update"]["payment_method_configuration"])
    update = features["subscription_update"]
    if len(update["products"] or ()) > MOST_PRODUCTS:
        raise InvalidRequest(
            f"You can specify a maximum of {MOST_PRODUCTS} products.",
            param="features[subscription_update][products]",
        )
    for position, row in enumerate(update["products"] or ()):
        where = f"features[subscription_update][products][{position}]"
        call.get("product", row["product"], param=f"{where}[product]")
        for number, name in enumerate(row["prices"]):
            price = call.get("price", name, param=f"{where}[prices][{number}]")
            if price["product"] != row["product"]:
                raise InvalidRequest(
                    f"The price `{name}` does not belong to the product `{row['product']}`.",
                    param=f"{where}[prices][{number}]",
                )
        row.setdefault("adjustable_quantity", {"enabled": False, "maximum": None, "minimum": 1})
    if update["enabled"] and not (update["products"] and update["default_allowed_updates"]):
        raise InvalidRequest(
            "When `features[subscription_update]` is enabled, `products` and `default_allowed_updates` are required.",
            param="features[subscription_update]",
        )
    if features["customer_update"]["enabled"] and not features["customer_update"]["allowed_updates"]:
        raise InvalidRequest(
            "When `features[customer_update]` is enabled, `allowed_updates` is required.",
            param="features[customer_update][allowed_updates]",
        )
    return features


def _check_cancel(call: Call, rules: JsonObject) -> None:
    """Prorations belong to canceling at once; reasons of one's own must exist.

    Source: https://docs.stripe.com/api/customer_portal/configurations/create
    """
    behavior, where = rules["proration_behavior"], "features[subscription_cancel]"
    if behavior == "always_invoice":
        raise InvalidRequest(
            "Canceling in the portal cannot invoice at once: `proration_behavior` is `none` or `create_prorations`.",
            param=f"{where}[proration_behavior]",
        )
    if behavior == "create_prorations" and rules["mode"] != "immediately":
        raise InvalidRequest(
            "`proration_behavior=create_prorations` is only compatible with `mode=immediately`.",
            param=f"{where}[proration_behavior]",
        )
    for position, name in enumerate(rules["cancellation_reason"]["feedback_options"] or ()):
        path = f"{where}[cancellation_reason][feedback_options][{position}]"
        call.get("billing.feedback_option", name, param=path)


def _check_pause(rules: JsonObject, given: JsonObject) -> None:
    """Durations to choose from, of at most three years, or none at all.

    Source: https://docs.stripe.com/api/customer_portal/configurations/create
    """
    duration, where = rules["duration"], "features[subscription_pause][duration][interval_options]"
    sent = ((given.get("subscription_pause") or {}).get("duration") or {}).get("interval_options")
    if duration["type"] == "indefinite":
        if sent:
            raise InvalidRequest("`interval_options` need `type=interval_options`.", param=where)
        duration["interval_options"] = []
        return
    if not duration["interval_options"]:
        raise InvalidRequest(
            "`interval_options` are required when `type` is `interval_options`.", param=where
        )
    for position, option in enumerate(duration["interval_options"]):
        option.setdefault("interval_count", 1)
        if not 1 <= option["interval_count"] <= LONGEST_PAUSE[option["interval"]]:
            raise InvalidRequest("The maximum duration is three years.", param=f"{where}[{position}]")


def _check_methods(call: Call, identifier: str | None) -> None:
    """The portal's page adds cards: a configuration without them is refused by name.

    Source: https://docs.stripe.com/api/customer_portal/configurations/create
    """
    if identifier is not None and "card" not in method_configurations.types(
        method_configurations.of(call, identifier)
    ):
        raise InvalidRequest(
            "The twin's portal adds cards only, and this `payment_method_configuration` has none.",
            param="features[payment_method_update][payment_method_configuration]",
        )


@endpoint("POST /v1/billing_portal/configurations")
def create_configuration(call: Call) -> JsonObject:
    """What a portal offers.

    Source: https://docs.stripe.com/api/customer_portal/configurations/create
    """
    params = call.params
    profile = {"headline": None, "privacy_policy_url": None, "terms_of_service_url": None}
    configuration = call.new(
        CONFIGURATION,
        "bpc",
        active=True,
        business_profile=merged(profile, params.plain("business_profile") or {}),
        default_return_url=params.get("default_return_url") or None,
        features=_features(call, params.plain("features"), OFF),
        is_default=False,
        login_page=_login(call, bool((params.plain("login_page") or {}).get("enabled"))),
        name=params.get("name") or None,
        updated=call.now,
    )
    call.merge_metadata(configuration)
    call.insert(configuration)
    call.emit("billing_portal.configuration.created", configuration)
    return configuration


def _login(call: Call, enabled: bool) -> JsonObject:
    url = sites.page(call.twin, "billing", f"p/login/test_{call.twin.ids.random(18)}") if enabled else None
    return {"enabled": enabled, "url": url}


@endpoint("GET /v1/billing_portal/configurations/{configuration}")
def retrieve_configuration(call: Call) -> JsonObject:
    """One configuration."""
    return call.get(CONFIGURATION, call.path["configuration"])


@endpoint("POST /v1/billing_portal/configurations/{configuration}")
def update_configuration(call: Call) -> JsonObject:
    """Change a configuration."""
    configuration = call.edit(CONFIGURATION, call.path["configuration"])
    params = call.params
    if "active" in params:
        if configuration["is_default"] and not params["active"]:
            raise InvalidRequest("The default configuration cannot be made inactive.", param="active")
        configuration["active"] = params["active"]
    if params.get("business_profile"):
        configuration["business_profile"] = merged(
            configuration["business_profile"], params.plain("business_profile")
        )
    if params.get("features"):
        configuration["features"] = _features(call, params.plain("features"), configuration["features"])
    if params.get("login_page"):
        enabled = bool(params.plain("login_page")["enabled"])
        if enabled != configuration["login_page"]["enabled"]:
            configuration["login_page"] = _login(call, enabled)
    call.assign(configuration, "default_return_url", "name")
    call.merge_metadata(configuration)
    configuration["updated"] = call.now
    call.emit("billing_portal.configuration.updated", configuration)
    return configuration


@endpoint("GET /v1/billing_portal/configurations")
def list_configurations(call: Call) -> JsonObject:
    """Configurations, newest first."""
    params = call.params
    return call.list(
        CONFIGURATION, where={"active": params.get("active"), "is_default": params.get("is_default")}
    )


def default_configuration(call: Call) -> JsonObject | None:
    """The one that the Dashboard manages, if its settings were saved (seeded)."""
    for found in call.ledger.all(call.account, CONFIGURATION):
        if found["is_default"]:
            return found
    return None


@endpoint("POST /v1/billing_portal/sessions")
def create_session(call: Call) -> JsonObject:
    """A link to the portal for one customer.

    Source: https://docs.stripe.com/api/customer_portal/sessions/create
    """
    params = call.params
    given = params.get("customer") or params.get("customer_account")
    if not given:
        raise InvalidRequest("Missing required param: customer.", param="customer", code="parameter_missing")
    customer = call.get("customer", given, param="customer")
    if params.get("configuration"):
        configuration = call.get(CONFIGURATION, params["configuration"], param="configuration")
        if not configuration["active"]:
            raise InvalidRequest("The portal configuration is not active.", param="configuration")
    else:
        found = default_configuration(call)
        if found is None:
            raise InvalidRequest(NO_CONFIGURATION)
        configuration = found
    back = params.get("return_url") or configuration["default_return_url"]
    if not back:
        raise InvalidRequest(NO_RETURN_URL)
    return open_session(
        call,
        after_expiration=_after_expiration(params),
        configuration=configuration["id"],
        customer=customer["id"],
        flow=_flow(call, customer, configuration),
        locale=params.get("locale"),
        on_behalf_of=params.get("on_behalf_of"),
        return_url=back,
    )


def open_session(call: Call, **fields: Any) -> JsonObject:
    """Make a session with these fields, and an address of its own."""
    token = f"test_{call.twin.ids.random(76)}"
    session = call.new(SESSION, "bps", url=sites.page(call.twin, "billing", f"p/session/{token}"), **fields)
    session["_token"] = token
    call.insert(session)
    call.emit("billing_portal.session.created", session)
    return session


def _after_expiration(params: Params) -> JsonObject | None:
    given = params.plain("after_expiration")
    if not given:
        return None
    login = given.get("customer_login")
    return {
        "customer_login": {"expires_at": login.get("expires_at")} if login is not None else None,
        "type": given["type"],
    }


def _flow(call: Call, customer: JsonObject, configuration: JsonObject) -> JsonObject | None:
    given = call.params.plain("flow_data")
    if not given:
        return None
    kind = given["type"]
    details = given.get(kind)
    if kind.startswith("subscription"):
        if not details:
            raise InvalidRequest(
                f"Missing required param: flow_data[{kind}].",
                param=f"flow_data[{kind}]",
                code="parameter_missing",
            )
        _check_subscription(call, customer, details, kind)
    if kind in FEATURE_OF:
        feature, verb, words = FEATURE_OF[kind]
        if not configuration["features"][feature]["enabled"]:
            what = "subscription" if kind.startswith("subscription") else words.removesuffix(" update")
            raise InvalidRequest(
                f"This {what} cannot be {verb} because the {words} feature in the portal configuration is disabled."
            )
    if kind == "subscription_update_confirm":
        _check_confirm(call, details, configuration)
    after = given.get("after_completion") or {"type": "portal_homepage"}
    flow: JsonObject = {
        "after_completion": {
            "hosted_confirmation": None,
            "redirect": None,
            "type": after["type"],
        },
        "subscription_cancel": None,
        "subscription_pause": None,
        "subscription_update": None,
        "subscription_update_confirm": None,
        "type": kind,
    }
    if after["type"] != "portal_homepage":
        chosen = after.get(after["type"]) or {}
        flow["after_completion"][after["type"]] = (
            {"custom_message": chosen.get("custom_message")}
            if after["type"] == "hosted_confirmation"
            else {"return_url": chosen.get("return_url")}
        )
    if kind == "subscription_cancel":
        flow[kind] = {"retention": details.get("retention"), "subscription": details["subscription"]}
    elif kind in ("subscription_pause", "subscription_update"):
        flow[kind] = {"subscription": details["subscription"]}
    elif kind == "subscription_update_confirm":
        flow[kind] = {
            "discounts": [
                {"coupon": d.get("coupon"), "promotion_code": d.get("promotion_code")}
                for d in details["discounts"]
            ]
            if details.get("discounts")
            else None,
            "items": [
                {"id": i["id"], "price": i.get("price"), "quantity": i.get("quantity")}
                for i in details["items"]
            ],
            "subscription": details["subscription"],
        }
    return flow


def _check_confirm(call: Call, details: JsonObject, configuration: JsonObject) -> None:
    """One item to confirm, at a price that the configuration offers, and discounts that exist.

    Source: https://docs.stripe.com/api/customer_portal/sessions/create#create_portal_session-flow_data-subscription_update_confirm
    """
    where = "flow_data[subscription_update_confirm]"
    subscription = call.get("subscription", details["subscription"])
    if len(details["items"]) > 1 or len(subscription["_items"]) > 1:
        raise InvalidRequest(
            "Subscriptions with multiple items cannot be updated here.", param=f"{where}[items]"
        )
    rows = configuration["features"]["subscription_update"]["products"] or ()
    offered = {name for row in rows for name in row["prices"]}
    for position, item in enumerate(details["items"]):
        if item.get("price") is not None and item["price"] not in offered:
            raise InvalidRequest(
                f"The price `{item['price']}` is not among the products of the portal configuration's "
                "`features[subscription_update]`.",
                param=f"{where}[items][{position}][price]",
            )
    for position, entry in enumerate(details.get("discounts") or ()):
        path = f"{where}[discounts][{position}]"
        if bool(entry.get("coupon")) == bool(entry.get("promotion_code")):
            raise InvalidRequest(
                f"You must specify exactly one of `{path}[coupon]` and `{path}[promotion_code]`.", param=path
            )
        for kind in ("coupon", "promotion_code"):
            if entry.get(kind):
                call.get(kind, entry[kind], param=f"{path}[{kind}]")


def _check_subscription(call: Call, customer: JsonObject, details: JsonObject, kind: str) -> None:
    where = f"flow_data[{kind}][subscription]"
    subscription = call.get("subscription", details["subscription"], param=where)
    if subscription["customer"] != customer["id"]:
        raise InvalidRequest("The subscription does not belong to this customer.", param=where)
    if subscription["status"] in ("canceled", "incomplete_expired"):
        raise InvalidRequest("The subscription has ended.", param=where)
    for position, item in enumerate(details.get("items") or ()):
        if item["id"] not in subscription["_items"]:
            raise InvalidRequest(
                f"The subscription has no item `{item['id']}`.",
                param=f"flow_data[{kind}][items][{position}][id]",
            )
