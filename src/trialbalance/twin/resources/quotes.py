"""Quotes: an offer that becomes an invoice, a subscription or a schedule when it is accepted.

Source: https://docs.stripe.com/api/quotes
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin import currencies
from trialbalance.twin.billing import discounting, quoting
from trialbalance.twin.billing.calendar import DAY
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import prices
from trialbalance.twin.wire.call import Call, due, endpoint, included
from trialbalance.twin.wire.inner import perform
from trialbalance.twin.wire.lists import embedded
from trialbalance.twin.wire.validate import Params

KIND = "quote"
VALID = 30 * DAY
"""A quote expires after thirty days unless it says otherwise."""
CLONED = (
    "application_fee_amount",
    "application_fee_percent",
    "automatic_tax",
    "collection_method",
    "currency",
    "customer",
    "default_tax_rates",
    "description",
    "discounts",
    "footer",
    "header",
    "invoice_settings",
    "on_behalf_of",
    "subscription_data",
    "test_clock",
    "transfer_data",
)


@endpoint("POST /v1/quotes")
def create(call: Call) -> JsonObject:
    """A draft, or a copy of another quote (`from_quote`)."""
    params = call.params
    given = params.get("customer") or params.get("customer_account")
    customer = call.get("customer", given, param="customer") if given else None
    clock = params.get("test_clock") or (customer["test_clock"] if customer else None)
    if params.get("test_clock"):
        call.get("test_helpers.test_clock", params["test_clock"], param="test_clock")
    now = call.now_of(customer or ({"test_clock": clock} if clock else None))
    quote = call.new(
        KIND,
        "qt",
        amount_subtotal=0,
        amount_total=0,
        automatic_tax={"enabled": False, "liability": None, "provider": None, "status": None},
        collection_method="charge_automatically",
        created=now,
        customer=customer["id"] if customer else None,
        description=None,
        discounts=[],
        expires_at=now + VALID,
        invoice_settings={
            "custom_fields": None,
            "days_until_due": None,
            "description": None,
            "footer": None,
            "issuer": {"type": "self"},
        },
        status="draft",
        status_transitions={"accepted_at": None, "canceled_at": None, "finalized_at": None},
        subscription_data={
            "billing_mode": {"flexible": {"proration_discounts": "included"}, "type": "flexible"},
            "description": None,
            "effective_date": None,
            "metadata": {},
            "trial_period_days": None,
        },
        test_clock=clock,
        total_details={"amount_discount": 0, "amount_shipping": 0, "amount_tax": 0},
    )
    quote["_rows"] = []
    quote["default_tax_rates"] = []
    if params.get("from_quote"):
        _clone(call, quote, params["from_quote"])
    call.insert(quote)
    _write(call, quote, now)
    call.emit("quote.created", quote)
    call.schedule(quote["expires_at"], "quote.expire", quote["id"], timeline=call.clock_of(quote))
    return quote


def _clone(call: Call, quote: JsonObject, given: Params) -> None:
    source = call.get(KIND, given["quote"], param="from_quote[quote]")
    revision = bool(given.get("is_revision"))
    if revision and source["status"] not in ("open", "canceled"):
        raise InvalidRequest(
            "Only finalized quotes that are not accepted can be revised.", param="from_quote[quote]"
        )
    for name in CLONED:
        quote[name] = source[name]
    quote["_rows"] = [{**row, "id": call.new_id("li")} for row in source["_rows"]]
    quote["from_quote"] = {"is_revision": revision, "quote": source["id"]}


def _write(call: Call, quote: JsonObject, now: int) -> None:
    """What the request says, into an edited draft."""
    params = call.params
    call.assign(
        quote,
        "description",
        "footer",
        "header",
        "on_behalf_of",
        "collection_method",
        "application_fee_amount",
        "application_fee_percent",
    )
    if "transfer_data" in params:
        value = params.plain("transfer_data")
        quote["transfer_data"] = {"amount": None, "amount_percent": None, **value} if value else None
    if params.get("expires_at"):
        if params["expires_at"] <= now:
            raise InvalidRequest("The `expires_at` must be in the future.", param="expires_at")
        quote["expires_at"] = params["expires_at"]
    if params.get("invoice_settings"):
        quote["invoice_settings"] = {**quote["invoice_settings"], **params.plain("invoice_settings")}
    if params.get("automatic_tax"):
        tax = params.plain("automatic_tax")
        on = tax["enabled"]
        quote["automatic_tax"] = {
            "enabled": on,
            "liability": tax.get("liability") or ({"type": "self"} if on else None),
            "provider": "stripe" if on else None,
            "status": "complete" if on else None,
        }
    if "default_tax_rates" in params:
        rates = params["default_tax_rates"] or []
        quote["default_tax_rates"] = [
            call.get("tax_rate", rate, param=f"default_tax_rates[{i}]")["id"] for i, rate in enumerate(rates)
        ]
    if params.get("subscription_data"):
        _subscription_data(quote, params["subscription_data"])
    if params.get("line_items"):
        known = {row["id"]: row for row in quote["_rows"]}
        quote["_rows"] = [
            _row(call, item, f"line_items[{i}]", known.get(item.get("id") or ""), now)
            for i, item in enumerate(params["line_items"])
        ]
    if quote["_rows"]:
        _settle_currency(call, quote)
    if "discounts" in params:
        quote["discounts"] = discounting.apply(
            call,
            params["discounts"],
            path="discounts",
            currency=quote["currency"],
            customer=quote["customer"],
            now=now,
            known=quote["discounts"],
            redeem=False,
        )
    call.merge_metadata(quote)
    quoting.refresh(call, quote)


def _subscription_data(quote: JsonObject, given: Params) -> None:
    data = dict(quote["subscription_data"])
    for name, value in _plain(given).items():
        if name == "billing_mode":
            flexible = value["type"] == "flexible"
            shown = (value.get("flexible") or {}).get("proration_discounts", "included")
            data[name] = {
                "flexible": {"proration_discounts": shown} if flexible else None,
                "type": value["type"],
            }
        elif name == "effective_date" and isinstance(value, str) and value:
            raise InvalidRequest(
                "`current_period_end` can only be used for quotes that change a running subscription.",
                param="subscription_data[effective_date]",
            )
        else:
            data[name] = value if value not in ("", None) else ({} if name == "metadata" else None)
    quote["subscription_data"] = data


def _plain(given: Params) -> JsonObject:
    return {name: given.plain(name) for name in list(dict.keys(given))}


def _row(call: Call, item: Params, where: str, known: JsonObject | None, now: int) -> JsonObject:
    if item.get("price_data"):
        price = prices.inline(call, item["price_data"], path=f"{where}[price_data]")
    elif item.get("price"):
        price = call.get("price", item["price"], param=f"{where}[price]")
    elif known is not None:
        price = call.get("price", known["price"])
    else:
        raise InvalidRequest(
            f"Missing required param: {where}[price].", param=f"{where}[price]", code="parameter_missing"
        )
    rates = [
        call.get("tax_rate", rate, param=f"{where}[tax_rates][{i}]")["id"]
        for i, rate in enumerate(item.get("tax_rates") or ())
    ]
    discounts = discounting.apply(
        call,
        item.get("discounts"),
        path=f"{where}[discounts]",
        currency=price["currency"],
        customer=None,
        now=now,
        redeem=False,
    )
    return {
        "id": known["id"] if known else call.new_id("li"),
        "price": price["id"],
        "quantity": item.get("quantity", known["quantity"] if known else 1),
        "tax_rates": rates,
        "discounts": discounts,
    }


def _settle_currency(call: Call, quote: JsonObject) -> None:
    found = {call.get("price", row["price"])["currency"] for row in quote["_rows"]}
    if len(found) > 1:
        raise InvalidRequest("All prices of a quote must have the same currency.", param="line_items")
    quote["currency"] = currencies.check_currency(found.pop())


@endpoint("GET /v1/quotes/{quote}")
def retrieve(call: Call) -> JsonObject:
    """One quote."""
    return call.get(KIND, call.path["quote"])


@endpoint("POST /v1/quotes/{quote}")
def update(call: Call) -> JsonObject:
    """Change a draft; metadata of others."""
    quote = call.edit(KIND, call.path["quote"])
    if quote["status"] != "draft":
        sent = [name for name in dict.keys(call.params) if name not in ("metadata", "expand")]
        if sent:
            raise InvalidRequest(
                f"You cannot update a quote with a status of `{quote['status']}`.", param=sent[0]
            )
        call.merge_metadata(quote)
        return quote
    if call.params.get("customer"):
        quote["customer"] = call.get("customer", call.params["customer"], param="customer")["id"]
    _write(call, quote, call.now_of(quote))
    return quote


@endpoint("GET /v1/quotes")
def list_(call: Call) -> JsonObject:
    """Quotes, newest first."""
    params = call.params
    where = {
        "customer": params.get("customer") or params.get("customer_account"),
        "status": params.get("status"),
        "test_clock": params.get("test_clock"),
    }
    return call.list(KIND, where=where)


@endpoint("GET /v1/quotes/{quote}/line_items")
def line_items(call: Call) -> JsonObject:
    """All of a quote's lines."""
    quote = call.get(KIND, call.path["quote"])
    return call.page_of(quoting.items_of(call, quote, quote["_rows"]), url=call.path_name)


@endpoint("GET /v1/quotes/{quote}/computed_upfront_line_items")
def upfront_line_items(call: Call) -> JsonObject:
    """The lines that are billed at once."""
    quote = call.get(KIND, call.path["quote"])
    rows = quoting.rows_of(call, quote, at_once=True)
    return call.page_of(quoting.items_of(call, quote, rows), url=call.path_name)


@included(KIND, "line_items")
def _lines(call: Call, quote: JsonObject) -> JsonObject:
    stored = call.get(KIND, quote["id"])
    rows = quoting.items_of(call, stored, stored["_rows"])
    return embedded(rows, f"/v1/quotes/{quote['id']}/line_items")


@endpoint("POST /v1/quotes/{quote}/finalize")
def finalize(call: Call) -> JsonObject:
    """Open a draft: it gets its number and can be accepted."""
    quote = call.edit(KIND, call.path["quote"])
    _in(quote, ("draft",), "finalize")
    if quote["customer"] is None:
        raise InvalidRequest("A quote needs a customer before it can be finalized.", param="customer")
    if not quote["_rows"]:
        raise InvalidRequest("A quote needs line items before it can be finalized.", param="line_items")
    now = call.now_of(quote)
    if call.params.get("expires_at"):
        if call.params["expires_at"] <= now:
            raise InvalidRequest("The `expires_at` must be in the future.", param="expires_at")
        quote["expires_at"] = call.params["expires_at"]
        call.schedule(quote["expires_at"], "quote.expire", quote["id"], timeline=call.clock_of(quote))
    quote["status"] = "open"
    quote["status_transitions"]["finalized_at"] = now
    quote["number"] = _number(call, quote)
    call.emit("quote.finalized", quote)
    return quote


def _number(call: Call, quote: JsonObject) -> str:
    """`QT-PREFIX-0001-1`: the customer's prefix, a sequence, and how many times it was revised."""
    origin = quote["from_quote"]
    if origin is not None and origin["is_revision"]:
        before = call.get(KIND, origin["quote"])["number"]
        stem, _, count = str(before).rpartition("-")
        return f"{stem}-{int(count) + 1}"
    customer = call.edit("customer", quote["customer"])
    customer["_quotes"] = customer.get("_quotes", 0) + 1
    return f"QT-{customer['invoice_prefix']}-{customer['_quotes']:04d}-1"


def _in(quote: JsonObject, wanted: tuple[str, ...], verb: str) -> None:
    if quote["status"] not in wanted:
        raise InvalidRequest(
            f"You cannot {verb} a quote with a status of `{quote['status']}`. It must be "
            f"{' or '.join(f'`{name}`' for name in wanted)}."
        )


@endpoint("POST /v1/quotes/{quote}/cancel")
def cancel(call: Call) -> JsonObject:
    """Withdraw a quote."""
    quote = call.edit(KIND, call.path["quote"])
    _in(quote, ("draft", "open"), "cancel")
    _cancel(call, quote)
    return quote


def _cancel(call: Call, quote: JsonObject) -> None:
    quote["status"] = "canceled"
    quote["status_transitions"]["canceled_at"] = call.now_of(quote)
    call.emit("quote.canceled", quote)


@due("quote.expire")
def _expire(call: Call, target: str, arguments: JsonObject) -> None:
    """A quote that nobody accepted in time is canceled.

    Source: https://docs.stripe.com/quotes/overview#quote-statuses
    """
    found = call.find(KIND, target)
    if found is None or found["status"] not in ("draft", "open") or found["expires_at"] > call.now_of(found):
        return
    _cancel(call, call.edit(KIND, target))


@endpoint("POST /v1/quotes/{quote}/accept")
def accept(call: Call) -> JsonObject:
    """Make what was offered: a draft invoice, a subscription, or a schedule for a later day.

    Source: https://docs.stripe.com/api/quotes/accept
    """
    quote = call.edit(KIND, call.path["quote"])
    _in(quote, ("open",), "accept")
    recurring = any(call.get("price", row["price"])["recurring"] is not None for row in quote["_rows"])
    if not recurring:
        quote["invoice"] = _invoice(call, quote)
    else:
        _subscribe(call, quote)
    quote["status"] = "accepted"
    quote["status_transitions"]["accepted_at"] = call.now_of(quote)
    call.emit("quote.accepted", quote)
    return quote


def _discounts(call: Call, identifiers: list[str]) -> list[JsonObject] | None:
    """Discounts of a quote as parameters for what it becomes."""
    found = []
    for identifier in identifiers:
        discount = call.get(discounting.KIND, identifier)
        if discount["promotion_code"]:
            found.append({"promotion_code": discount["promotion_code"]})
        else:
            found.append({"coupon": discount["_coupon"]})
    return found or None


def _collection(quote: JsonObject) -> JsonObject:
    given: JsonObject = {"collection_method": quote["collection_method"]}
    if quote["collection_method"] == "send_invoice":
        days = quote["invoice_settings"]["days_until_due"]
        given["days_until_due"] = 30 if days is None else days
    if quote["automatic_tax"]["enabled"]:
        given["automatic_tax"] = {"enabled": True}
    if quote["default_tax_rates"]:
        given["default_tax_rates"] = quote["default_tax_rates"]
    return given


def _invoice(call: Call, quote: JsonObject) -> str:
    settings = quote["invoice_settings"]
    invoice = perform(
        call,
        "POST /v1/invoices",
        {
            "customer": quote["customer"],
            "currency": quote["currency"],
            "auto_advance": False,
            "discounts": _discounts(call, quote["discounts"]),
            "description": quote["description"],
            "footer": settings["footer"],
            "metadata": quote["metadata"],
            "on_behalf_of": quote["on_behalf_of"],
            **_collection(quote),
        },
    )
    for row in quote["_rows"]:
        perform(
            call,
            "POST /v1/invoiceitems",
            {
                "customer": quote["customer"],
                "invoice": invoice["id"],
                "pricing": {"price": row["price"]},
                "quantity": row["quantity"],
                "tax_rates": row["tax_rates"] or None,
                "discounts": _discounts(call, row["discounts"]),
            },
        )
    edited = call.edit("invoice", invoice["id"])
    edited["parent"] = {
        "quote_details": {"quote": quote["id"]},
        "subscription_details": None,
        "type": "quote_details",
    }
    return str(invoice["id"])


def _subscribe(call: Call, quote: JsonObject) -> None:
    data = quote["subscription_data"]
    plans: list[JsonObject] = []
    extras: list[JsonObject] = []
    for row in quote["_rows"]:
        price = call.get("price", row["price"])
        entry: JsonObject = {"price": row["price"]}
        if price["recurring"] is None or price["recurring"]["usage_type"] == "licensed":
            entry["quantity"] = row["quantity"]
        if row["tax_rates"]:
            entry["tax_rates"] = row["tax_rates"]
        discounts = _discounts(call, row["discounts"])
        if discounts:
            entry["discounts"] = discounts
        (plans if price["recurring"] else extras).append(entry)
    effective = data["effective_date"]
    now = call.now_of(quote)
    mode = {"type": data["billing_mode"]["type"], "flexible": data["billing_mode"]["flexible"]}
    if mode["flexible"] is None:
        mode.pop("flexible")
    shared: JsonObject = {"discounts": _discounts(call, quote["discounts"]), **_collection(quote)}
    if isinstance(effective, int) and effective > now:
        quote["subscription_schedule"] = _later(call, quote, plans, extras, shared, mode, effective)
        return
    from trialbalance.twin.billing import phases, starting
    from trialbalance.twin.resources import subscription_fields, subscriptions

    params: JsonObject = {
        "items": plans,
        "description": data["description"],
        "metadata": data["metadata"],
        "trial_period_days": data["trial_period_days"],
        "add_invoice_items": extras or None,
        "billing_mode": mode,
        "on_behalf_of": quote["on_behalf_of"],
        "application_fee_percent": quote["application_fee_percent"],
        "backdate_start_date": effective if isinstance(effective, int) else None,
        **shared,
    }
    given = phases.as_params(params)
    customer = call.get("customer", quote["customer"])
    subscription = subscriptions.make(call, given, customer, now=now)
    extra = subscription_fields.extra_items(call, given, subscription, now=now)
    starting.begin(
        call,
        subscription,
        starting.Start(now=now, backdate=params["backdate_start_date"], extra=extra, later=True),
    )
    quote["subscription"] = subscription["id"]


def _later(
    call: Call,
    quote: JsonObject,
    plans: list[JsonObject],
    extras: list[JsonObject],
    shared: JsonObject,
    mode: JsonObject,
    effective: int,
) -> str:
    phase: dict[str, Any] = {"items": plans, "metadata": quote["subscription_data"]["metadata"]}
    if extras:
        phase["add_invoice_items"] = extras
    for name in ("discounts", "default_tax_rates", "automatic_tax", "collection_method"):
        if shared.get(name):
            phase[name] = shared[name]
    if shared.get("days_until_due") is not None:
        phase["invoice_settings"] = {"days_until_due": shared["days_until_due"]}
    schedule = perform(
        call,
        "POST /v1/subscription_schedules",
        {
            "customer": quote["customer"],
            "start_date": effective,
            "billing_mode": mode,
            "phases": [phase],
            "end_behavior": "release",
        },
    )
    return str(schedule["id"])
