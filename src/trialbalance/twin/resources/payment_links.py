"""Payment links: a page that opens a Checkout Session for whoever follows it.

Source: https://docs.stripe.com/api/payment-link
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin import sites
from trialbalance.twin.billing.items import public
from trialbalance.twin.billing.lines import name_of
from trialbalance.twin.billing.pricing import CurrencyMissing, Line, amount_of, total_lines
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import prices
from trialbalance.twin.wire.call import Call, endpoint, included
from trialbalance.twin.wire.lists import embedded
from trialbalance.twin.wire.validate import Params

KIND = "payment_link"
LIMIT = 20
"""So many line items a link can have."""
SHOWN = {
    "allow_promotion_codes": False,
    "application_fee_amount": None,
    "application_fee_percent": None,
    "billing_address_collection": "auto",
    "inactive_message": None,
    "on_behalf_of": None,
    "payment_method_collection": "always",
    "payment_method_types": None,
    "submit_type": "auto",
}


@endpoint("POST /v1/payment_links")
def create(call: Call) -> JsonObject:
    """A new, active link."""
    params = call.params
    token = f"test_{call.twin.ids.random(18)}"
    rows = [_row(call, item, f"line_items[{i}]") for i, item in enumerate(params["line_items"])]
    if not 1 <= len(rows) <= LIMIT:
        raise InvalidRequest(f"A payment link needs 1 to {LIMIT} line items.", param="line_items")
    currency = params.get("currency") or call.get("price", rows[0]["price"])["currency"]
    for position, row in enumerate(rows):
        _check_currency(call, row, currency, f"line_items[{position}][price]")
    recurring = any(call.get("price", row["price"])["recurring"] is not None for row in rows)
    link = call.new(
        KIND,
        "plink",
        active=True,
        after_completion={
            "hosted_confirmation": {"custom_message": None},
            "redirect": None,
            "type": "hosted_confirmation",
        },
        automatic_tax={"enabled": False, "liability": None},
        consent_collection=None,
        currency=currency,
        custom_fields=[],
        custom_text={
            "after_submit": None,
            "shipping_address": None,
            "submit": None,
            "terms_of_service_acceptance": None,
        },
        customer_creation="always" if recurring else "if_required",
        invoice_creation=None if recurring else _invoice_creation({"enabled": False}),
        optional_items=None,
        phone_number_collection={"enabled": False},
        shipping_options=[],
        tax_id_collection={"enabled": False, "required": "never"},
        url=sites.page(call.twin, "buy", token),
        **SHOWN,
    )
    link["_rows"] = rows
    link["_token"] = token
    link["_recurring"] = recurring
    _write(call, link, params)
    _refuse_other_mode(params, recurring)
    if recurring and link["subscription_data"] is None:
        link["subscription_data"] = _subscription_data({})
    call.insert(link)
    call.insert({"id": token, "object": "payment_link_token", "link": link["id"]})
    call.emit("payment_link.created", link)
    return link


def _row(call: Call, item: Params, where: str, known: JsonObject | None = None) -> JsonObject:
    if known is not None:
        price = call.get("price", known["price"])
    elif item.get("price_data"):
        price = prices.inline(call, item["price_data"], path=f"{where}[price_data]")
    elif item.get("price"):
        price = call.get("price", item["price"], param=f"{where}[price]")
        if not price["active"]:
            raise InvalidRequest("The price specified is inactive.", param=f"{where}[price]")
    else:
        raise InvalidRequest(
            f"Missing required param: {where}[price].", param=f"{where}[price]", code="parameter_missing"
        )
    adjustable = item.plain("adjustable_quantity")
    if adjustable:
        adjustable = {"enabled": adjustable["enabled"], **_limits(adjustable)}
    return {
        "id": known["id"] if known else call.new_id("li"),
        "price": price["id"],
        "quantity": item.get("quantity", known["quantity"] if known else 1),
        "adjustable_quantity": adjustable or (known or {}).get("adjustable_quantity"),
    }


def _limits(given: JsonObject) -> JsonObject:
    on = given["enabled"]
    return {
        "maximum": given.get("maximum", 99 if on else None),
        "minimum": given.get("minimum", 0 if on else None),
    }


def _check_currency(call: Call, row: JsonObject, currency: str, where: str) -> None:
    price = call.get("price", row["price"])
    if price["custom_unit_amount"] is not None:
        return
    try:
        amount_of(price, row["quantity"], currency=currency)
    except CurrencyMissing:
        raise InvalidRequest(
            f"The price specified only supports `{price['currency']}`. This doesn't match the expected currency: "
            f"`{currency}`.",
            param=where,
        ) from None


def _refuse_other_mode(params: Params, recurring: bool) -> None:
    wrong = (
        ("invoice_creation", "payment_intent_data", "customer_creation", "submit_type")
        if recurring
        else ("subscription_data", "payment_method_collection", "application_fee_percent")
    )
    for name in wrong:
        value = dict.get(params, name)
        if value and not (name == "submit_type" and value == "subscribe"):
            kind = "recurring" if recurring else "one-time"
            raise InvalidRequest(f"You can not pass `{name}` with {kind} prices only.", param=name)


def _filled(given: Any, *names: str) -> JsonObject | None:
    if not given:
        return None
    return {name: given.get(name) for name in names}


def _invoice_creation(given: JsonObject) -> JsonObject:
    data = given.get("invoice_data") or {}
    rendering = data.get("rendering_options")
    return {
        "enabled": given["enabled"],
        "invoice_data": {
            "account_tax_ids": data.get("account_tax_ids") or None,
            "custom_fields": data.get("custom_fields") or None,
            "description": data.get("description"),
            "footer": data.get("footer"),
            "issuer": data.get("issuer"),
            "metadata": data.get("metadata") or {},
            "rendering_options": _filled(rendering, "amount_tax_display", "template"),
        },
    }


def _subscription_data(given: JsonObject) -> JsonObject:
    settings = given.get("invoice_settings") or {}
    return {
        "description": given.get("description"),
        "invoice_settings": {
            "account_tax_ids": settings.get("account_tax_ids") or None,
            "custom_fields": settings.get("custom_fields") or None,
            "description": settings.get("description") or None,
            "footer": settings.get("footer") or None,
            "issuer": settings.get("issuer") or {"type": "self"},
        },
        "metadata": given.get("metadata") or {},
        "trial_period_days": given.get("trial_period_days") or None,
        "trial_settings": given.get("trial_settings") or None,
    }


def _write(call: Call, link: JsonObject, params: Params) -> None:
    """What the request says, into an edited link."""
    for name in SHOWN:
        if name in params:
            link[name] = params.plain(name) or (SHOWN[name] if not isinstance(SHOWN[name], str) else None)
            if link[name] is None and isinstance(SHOWN[name], str):
                link[name] = SHOWN[name]
    if "customer_creation" in params:
        link["customer_creation"] = params["customer_creation"]
    if params.get("after_completion"):
        link["after_completion"] = _after(params.plain("after_completion"))
    if params.get("automatic_tax"):
        tax = params.plain("automatic_tax")
        on = tax["enabled"]
        link["automatic_tax"] = {
            "enabled": on,
            "liability": tax.get("liability") or ({"type": "self"} if on else None),
        }
    if params.get("consent_collection"):
        link["consent_collection"] = _filled(
            params.plain("consent_collection"),
            "payment_method_reuse_agreement",
            "promotions",
            "terms_of_service",
        )
    if "custom_fields" in params:
        link["custom_fields"] = [_custom_field(field) for field in params.plain("custom_fields") or ()]
    if params.get("custom_text"):
        given = params.plain("custom_text")
        link["custom_text"] = {
            name: (given[name] or None) if name in given else value
            for name, value in link["custom_text"].items()
        }
    if params.get("invoice_creation"):
        link["invoice_creation"] = _invoice_creation(params.plain("invoice_creation"))
    if params.get("name_collection"):
        given = params.plain("name_collection")
        link["name_collection"] = {
            name: {"enabled": given[name]["enabled"], "optional": given[name].get("optional", False)}
            if given.get(name)
            else None
            for name in ("business", "individual")
        }
    if "optional_items" in params:
        link["optional_items"] = _optional(call, params)
    if params.get("payment_intent_data"):
        given = params.plain("payment_intent_data")
        names = (
            "capture_method", "description", "metadata", "setup_future_usage", "statement_descriptor",
            "statement_descriptor_suffix", "transfer_group",
        )  # fmt: skip
        link["payment_intent_data"] = {name: given.get(name) or None for name in names}
        link["payment_intent_data"]["metadata"] = given.get("metadata") or {}
    for name in ("phone_number_collection", "managed_payments"):
        if params.get(name):
            link[name] = {"enabled": bool(params.plain(name).get("enabled"))}
    if "restrictions" in params:
        given = params.plain("restrictions")
        limit = (given or {}).get("completed_sessions")
        done = ((link["restrictions"] or {}).get("completed_sessions") or {}).get("count", 0)
        link["restrictions"] = (
            {"completed_sessions": {"count": done, "limit": limit["limit"]}} if limit else None
        )
    if "shipping_address_collection" in params:
        given = params.plain("shipping_address_collection")
        link["shipping_address_collection"] = given or None
    if "shipping_options" in params:
        link["shipping_options"] = [
            _shipping(call, option, i, link) for i, option in enumerate(params["shipping_options"] or ())
        ]
    if params.get("subscription_data"):
        data = params.plain("subscription_data")
        data.pop("billing_mode", None)
        link["subscription_data"] = _subscription_data(data)
    if params.get("tax_id_collection"):
        given = params.plain("tax_id_collection")
        link["tax_id_collection"] = {"enabled": given["enabled"], "required": given.get("required", "never")}
    if params.get("transfer_data"):
        given = params.plain("transfer_data")
        link["transfer_data"] = {"amount": given.get("amount"), "destination": given["destination"]}
    if params.get("payment_method_options"):
        link["payment_method_options"] = params.plain("payment_method_options")
    params.ignore("currency")
    call.merge_metadata(link)


def _after(given: JsonObject) -> JsonObject:
    kind = given["type"]
    if kind == "redirect" and not given.get("redirect"):
        raise InvalidRequest(
            "Missing required param: after_completion[redirect].",
            param="after_completion[redirect]",
            code="parameter_missing",
        )
    confirmation = {"custom_message": (given.get("hosted_confirmation") or {}).get("custom_message")}
    return {
        "hosted_confirmation": confirmation if kind == "hosted_confirmation" else None,
        "redirect": given.get("redirect") if kind == "redirect" else None,
        "type": kind,
    }


def _custom_field(given: JsonObject) -> JsonObject:
    kind = given["type"]
    field: JsonObject = {
        "dropdown": None,
        "key": given["key"],
        "label": given["label"],
        "numeric": None,
        "optional": given.get("optional", False),
        "text": None,
        "type": kind,
    }
    details = given.get(kind) or {}
    if kind == "dropdown":
        field[kind] = {"default_value": details.get("default_value"), "options": details.get("options") or []}
    else:
        field[kind] = _filled({**details, "_": 1}, "default_value", "maximum_length", "minimum_length")
    return field


def _optional(call: Call, params: Params) -> list[JsonObject] | None:
    found = []
    for position, item in enumerate(params["optional_items"] or ()):
        call.get("price", item["price"], param=f"optional_items[{position}][price]")
        adjustable = item.plain("adjustable_quantity")
        found.append(
            {
                "adjustable_quantity": {"enabled": adjustable["enabled"], **_limits(adjustable)}
                if adjustable
                else None,
                "price": item["price"],
                "quantity": item["quantity"],
            }
        )
    return found or None


def _shipping(call: Call, option: Params, position: int, link: JsonObject) -> JsonObject:
    from trialbalance.twin.checkout.totals import amount_of_rate

    rate = call.get(
        "shipping_rate", option["shipping_rate"], param=f"shipping_options[{position}][shipping_rate]"
    )
    return {"shipping_amount": amount_of_rate(rate, link["currency"]), "shipping_rate": rate["id"]}


@endpoint("GET /v1/payment_links/{payment_link}")
def retrieve(call: Call) -> JsonObject:
    """One link."""
    return call.get(KIND, call.path["payment_link"])


@endpoint("POST /v1/payment_links/{payment_link}")
def update(call: Call) -> JsonObject:
    """Change a link; its prices stay."""
    link = call.edit(KIND, call.path["payment_link"])
    params = call.params
    if "active" in params:
        link["active"] = params["active"]
    if params.get("line_items"):
        known = {row["id"]: row for row in link["_rows"]}
        rows = []
        for position, item in enumerate(params["line_items"]):
            where = f"line_items[{position}]"
            if item.get("id") not in known:
                raise InvalidRequest(f"The link has no line item `{item.get('id')}`.", param=f"{where}[id]")
            rows.append(_row(call, item, where, known[item["id"]]))
        changed = {row["id"]: row for row in rows}
        link["_rows"] = [changed.get(row["id"], row) for row in link["_rows"]]
    _write(call, link, params)
    call.emit("payment_link.updated", link)
    return link


@endpoint("GET /v1/payment_links")
def list_(call: Call) -> JsonObject:
    """Links, newest first."""
    return call.list(KIND, where={"active": call.params.get("active")})


@endpoint("GET /v1/payment_links/{payment_link}/line_items")
def line_items(call: Call) -> JsonObject:
    """A link's lines."""
    link = call.get(KIND, call.path["payment_link"])
    return call.page_of(_items(call, link), url=call.path_name)


@included(KIND, "line_items")
def _lines(call: Call, link: JsonObject) -> JsonObject:
    stored = call.get(KIND, link["id"])
    return embedded(_items(call, stored), f"/v1/payment_links/{link['id']}/line_items")


def _items(call: Call, link: JsonObject) -> list[JsonObject]:
    found = []
    for row in link["_rows"]:
        price = call.get("price", row["price"])
        recurring = price["recurring"]
        free = price["custom_unit_amount"] is not None or (
            recurring is not None and recurring["usage_type"] == "metered"
        )
        amount = 0 if free else amount_of(price, row["quantity"], currency=link["currency"])
        line = total_lines([Line(amount=amount)]).lines[0]
        found.append(
            call.new(
                "item",
                None,
                id=row["id"],
                adjustable_quantity=row["adjustable_quantity"],
                amount_discount=0,
                amount_subtotal=line.amount,
                amount_tax=0,
                amount_total=line.total,
                currency=link["currency"],
                description=name_of(call, price["product"]),
                price=public(price),
                quantity=row["quantity"],
            )
        )
    return found


def by_token(call: Call, token: str) -> JsonObject | None:
    """The link of a `buy.stripe.com` address."""
    found = call.find("payment_link_token", token)
    return call.find(KIND, found["link"]) if found else None


def session_params(call: Call, link: JsonObject) -> JsonObject:
    """The parameters of the Checkout Session that following a link opens.

    Source: https://docs.stripe.com/payment-links/create
    """
    after = link["after_completion"]
    origin = sites.page(call.twin, "buy", f"c/pay/{link['_token']}")
    given: JsonObject = {
        "mode": "subscription" if link["_recurring"] else "payment",
        "success_url": after["redirect"]["url"] if after["redirect"] else origin,
        "currency": link["currency"],
        "line_items": [
            {
                name: row[name]
                for name in ("price", "quantity", "adjustable_quantity")
                if row[name] is not None
            }
            for row in link["_rows"]
        ],
        "metadata": link["metadata"] or None,
    }
    for name in (
        "allow_promotion_codes", "billing_address_collection", "consent_collection", "custom_fields",
        "optional_items", "payment_method_types", "phone_number_collection", "shipping_address_collection",
        "tax_id_collection", "automatic_tax",
    ):  # fmt: skip
        if link[name]:
            given[name] = _without_nulls(link[name])
    if link["shipping_options"]:
        given["shipping_options"] = [{"shipping_rate": o["shipping_rate"]} for o in link["shipping_options"]]
    if link["_recurring"]:
        given["payment_method_collection"] = link["payment_method_collection"]
        data = _without_nulls(link["subscription_data"] or {})
        settings = data.get("invoice_settings") or {}
        if settings == {"issuer": {"type": "self"}}:
            data.pop("invoice_settings")
        given["subscription_data"] = {name: value for name, value in data.items() if value} or None
    else:
        given["customer_creation"] = link["customer_creation"]
        given["submit_type"] = link["submit_type"]
        given["payment_intent_data"] = _without_nulls(link["payment_intent_data"] or {}) or None
        if (link["invoice_creation"] or {}).get("enabled"):
            given["invoice_creation"] = _without_nulls(link["invoice_creation"])
    texts = _without_nulls(link["custom_text"])
    if texts:
        given["custom_text"] = texts
    return given


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    return value


def count_session(call: Call, link: JsonObject) -> bool:
    """Note a completed session; returns whether the link is used up by it and now inactive."""
    limit = (link["restrictions"] or {}).get("completed_sessions")
    if not limit:
        return False
    edited = call.edit(KIND, link["id"])
    counted = edited["restrictions"]["completed_sessions"]
    counted["count"] += 1
    if counted["count"] >= counted["limit"]:
        edited["active"] = False
        call.emit("payment_link.updated", edited)
        return True
    return False
