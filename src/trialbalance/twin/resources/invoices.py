"""Invoices: create, change, finalize, pay, send, void, write off, search.

Source: https://docs.stripe.com/api/invoices
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.billing import auto_tax, collection, discounting, invoicing, totals
from trialbalance.twin.billing.calendar import DAY, Period
from trialbalance.twin.currencies import check_currency
from trialbalance.twin.errors import CardError, InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources import payment_attempts, payment_methods
from trialbalance.twin.wire.call import Call, due, endpoint, included
from trialbalance.twin.wire.lists import embedded
from trialbalance.twin.wire.search import search
from trialbalance.twin.wire.validate import Params

KIND = "invoice"
SEARCH_FIELDS = {
    "created": "numeric",
    "currency": "string",
    "customer": "string",
    "last_finalization_error_code": "string",
    "last_finalization_error_type": "string",
    "metadata": "metadata",
    "number": "string",
    "receipt_number": "string",
    "status": "string",
    "subscription": "string",
    "total": "numeric",
}
DRAFT_ONLY = (
    "account_tax_ids",
    "application_fee_amount",
    "automatic_tax",
    "automatically_finalizes_at",
    "collection_method",
    "custom_fields",
    "days_until_due",
    "default_tax_rates",
    "description",
    "discounts",
    "due_date",
    "effective_at",
    "footer",
    "issuer",
    "number",
    "on_behalf_of",
    "rendering",
    "shipping_cost",
    "shipping_details",
    "statement_descriptor",
)
"""What may not change once an invoice is finalized."""


def open_for(call: Call, *, param: str = "id") -> JsonObject:
    """An editable copy of the path's invoice; `param` is what the API calls it in its 404."""
    return call.edit(KIND, call.path["invoice"], param=param)


@endpoint("POST /v1/invoices")
def create(call: Call) -> JsonObject:
    """A new draft, empty or with the customer's pending items."""
    params = call.params
    if params.get("from_invoice"):
        from trialbalance.twin.billing import revisions

        return revisions.create(call)
    subscription = None
    if params.get("subscription"):
        subscription = call.get("subscription", params["subscription"], param="subscription")
    given = params.get("customer") or (subscription["customer"] if subscription else None)
    if not given:
        raise InvalidRequest("Missing required param: customer.", param="customer", code="parameter_missing")
    customer = call.get("customer", given, param="customer")
    if subscription is not None and subscription["customer"] != customer["id"]:
        raise InvalidRequest("The subscription does not belong to this customer.", param="subscription")
    method = params.get(
        "collection_method", subscription["collection_method"] if subscription else "charge_automatically"
    )
    now = call.now_of(customer)
    asked = params.get("currency")
    currency = asked or (subscription or customer)["currency"] or call.twin.config.currency
    _check_dates(params, method, subscription)
    taken = _items(call, customer, currency, subscription)
    invoice = invoicing.draft(
        call,
        customer,
        currency=check_currency(currency),
        reason="manual",
        now=now,
        period=Period(subscription["_last_period_end"] if subscription else now, now),
        subscription=subscription,
        collection_method=method,
        due_date=None,
    )
    if asked:
        invoice["_currency_given"] = True
    invoice["rendering"] = {
        "amount_tax_display": None,
        "pdf": {"page_size": "auto"},
        "template": None,
        "template_version": None,
    }
    invoice["auto_advance"] = params.get("auto_advance", False)
    if subscription is not None:
        _inherit(call, invoice, subscription)
    if "discounts" not in params and not invoice["discounts"]:
        invoice["discounts"] = discounting.of_customer(call, customer, now)
    describe(call, invoice, params, customer)
    invoicing.take_items(call, invoice, taken)
    invoicing.announce(call, invoice)
    return invoice


def _items(
    call: Call, customer: JsonObject, currency: str, subscription: JsonObject | None
) -> list[JsonObject]:
    """The pending items a new invoice takes: all with `include`, a subscription's for its invoice."""
    behavior = call.params.get("pending_invoice_items_behavior", "exclude")
    if subscription is not None:
        return [
            item
            for item in invoicing.pending_for(call, customer["id"], currency, subscription["id"])
            if behavior == "include" or item.get("_subscription") == subscription["id"]
        ]
    if behavior == "exclude":
        return []
    return [
        item
        for item in invoicing.pending_for(call, customer["id"], currency, None)
        if item.get("_subscription") is None
    ]


def _inherit(call: Call, invoice: JsonObject, subscription: JsonObject) -> None:
    """Discounts, tax rates and payment method that a subscription's invoice has from it."""
    invoice["default_tax_rates"] = subscription["default_tax_rates"]
    now = call.now_of(subscription)
    invoice["discounts"] = discounting.active(call, subscription["discounts"], now)


def _check_dates(params: Params, method: str, subscription: JsonObject | None = None) -> None:
    days, date = params.get("days_until_due"), params.get("due_date")
    if method == "charge_automatically":
        if days is not None or date is not None:
            raise InvalidRequest(
                "You can only specify 'due_date' or 'days_until_due' if invoice collection method is 'send_invoice'."
            )
        return
    if days is not None and date is not None:
        raise InvalidRequest("You may only specify one of these parameters: days_until_due, due_date.")
    if days is None and date is None and (subscription is None or subscription["days_until_due"] is None):
        raise InvalidRequest(
            "If invoice collection method is 'send_invoice', you must specify 'due_date' or 'days_until_due'."
        )


def describe(call: Call, invoice: JsonObject, params: Params, customer: JsonObject) -> None:
    """Write what a client says about an invoice into an edited draft."""
    call.assign(
        invoice,
        "account_tax_ids",
        "custom_fields",
        "description",
        "effective_at",
        "footer",
        "number",
        "on_behalf_of",
        "statement_descriptor",
        "automatically_finalizes_at",
    )
    now = call.now_of(customer)
    if params.get("days_until_due") is not None:
        invoice["due_date"] = now + params["days_until_due"] * DAY
    if "due_date" in params:
        invoice["due_date"] = params["due_date"] or None
    for name in ("default_payment_method", "default_source"):
        if name in params:
            given = params[name]
            if given and name == "default_payment_method":
                payment_methods.check_owner(
                    payment_methods.resolve(call, given, param=name), customer["id"], intent="Invoice"
                )
            invoice[name] = given or None
    if "default_tax_rates" in params:
        invoice["default_tax_rates"] = [
            call.get("tax_rate", rate, param="default_tax_rates")
            for rate in params["default_tax_rates"] or ()
        ]
    if "discounts" in params:
        invoice["discounts"] = discounting.apply(
            call,
            params["discounts"],
            path="discounts",
            currency=invoice["currency"],
            customer=customer["id"],
            now=now,
            amount=invoice["subtotal"] or 0,
            known=invoice["discounts"],
            invoice=invoice["id"],
        )
    if params.get("automatic_tax"):
        automatic_tax(invoice, params["automatic_tax"], customer)
    if params.get("issuer"):
        invoice["issuer"] = params.plain("issuer")
    if params.get("rendering"):
        _render(invoice, params["rendering"])
    if "payment_settings" in params:
        settings = params.plain("payment_settings")
        merged = {**invoice["payment_settings"], **settings}
        invoice["payment_settings"] = {name: merged[name] or None for name in sorted(merged)}
    if "application_fee_amount" in params:
        invoice["_application_fee_amount"] = params["application_fee_amount"]
    if "transfer_data" in params:
        invoice["_transfer_data"] = params.plain("transfer_data") or None
    _ship(call, invoice, params)
    call.merge_metadata(invoice)


def automatic_tax(invoice: JsonObject, params: Params, customer: JsonObject) -> None:
    """Switch automatic tax on or off: a place must be known before the invoice can be finalized.

    Source: https://docs.stripe.com/tax/invoicing
    """
    enabled = params["enabled"]
    liability = params.plain("liability") if params.get("liability") else {"type": "self"}
    invoice["automatic_tax"] = {
        "disabled_reason": None,
        "enabled": enabled,
        "liability": liability if enabled else None,
        "provider": "stripe" if enabled else None,
        "status": auto_tax.state(customer) if enabled else None,
    }


def _render(invoice: JsonObject, params: Params) -> None:
    rendering = dict(
        invoice["rendering"]
        or {"amount_tax_display": None, "pdf": None, "template": None, "template_version": None}
    )
    for name in ("amount_tax_display", "template", "template_version"):
        if name in params:
            rendering[name] = params[name] or None
    if params.get("pdf"):
        rendering["pdf"] = {"page_size": params["pdf"].get("page_size", "auto")}
    invoice["rendering"] = rendering


def _ship(call: Call, invoice: JsonObject, params: Params) -> None:
    """Shipping details and cost.

    Source: https://docs.stripe.com/invoicing/shipping
    """
    if "shipping_details" in params:
        given = params.plain("shipping_details")
        address = {
            "city": None,
            "country": None,
            "line1": None,
            "line2": None,
            "postal_code": None,
            "state": None,
        }
        invoice["shipping_details"] = (
            {
                "address": address | (given.get("address") or {}),
                "name": given.get("name"),
                "phone": given.get("phone") or None,
            }
            if given
            else None
        )
    if "shipping_cost" not in params:
        return
    cost = params["shipping_cost"]
    if not cost:
        invoice["_shipping"] = None
        return
    call_exclusive(cost, "shipping_rate", "shipping_rate_data", path="shipping_cost")
    if cost.get("shipping_rate"):
        rate = call.get("shipping_rate", cost["shipping_rate"], param="shipping_cost[shipping_rate]")
        fixed = rate["fixed_amount"]
        identifier: str | None = rate["id"]
    else:
        data = cost["shipping_rate_data"]
        fixed = data.plain("fixed_amount")
        data.plain("display_name")
        data.ignore(*dict.keys(data))
        if not fixed:
            raise InvalidRequest(
                "Missing required param: shipping_cost[shipping_rate_data][fixed_amount].",
                param="shipping_cost[shipping_rate_data][fixed_amount]",
                code="parameter_missing",
            )
        identifier = None
    amount = fixed["amount"]
    if fixed["currency"] != invoice["currency"]:
        options = fixed.get("currency_options") or {}
        if invoice["currency"] not in options:
            raise InvalidRequest(
                f"The shipping rate does not support the invoice's currency `{invoice['currency']}`.",
                param="shipping_cost",
            )
        amount = options[invoice["currency"]]["amount"]
    invoice["_shipping"] = {"amount": amount, "shipping_rate": identifier}


def call_exclusive(params: Params, *names: str, path: str) -> None:
    """Refuse a hash with more or less than one of the names."""
    sent = [name for name in names if dict.get(params, name)]
    if len(sent) != 1:
        raise InvalidRequest(f"You must specify exactly one of {' or '.join(names)} in `{path}`.", param=path)


@endpoint("GET /v1/invoices/{invoice}")
def retrieve(call: Call) -> JsonObject:
    """One invoice."""
    return call.get(KIND, call.path["invoice"], param="invoice")


@endpoint("POST /v1/invoices/{invoice}")
def update(call: Call) -> JsonObject:
    """Change a draft; once finalized, only metadata, the payment settings and the way of advancing."""
    invoice = open_for(call)
    params = call.params
    customer = call.get("customer", invoice["customer"])
    if invoice["status"] != "draft":
        sent = [name for name in DRAFT_ONLY if dict.__contains__(params, name)]
        if sent:
            raise InvalidRequest("Finalized invoices can't be updated in this way", param=sent[0])
    if "collection_method" in params:
        invoice["collection_method"] = params["collection_method"]
        if invoice["collection_method"] == "charge_automatically":
            invoice["due_date"] = None
    if "days_until_due" in params or "due_date" in params:
        _check_dates(params, invoice["collection_method"])
    moved = "auto_advance" in params or "automatically_finalizes_at" in params
    describe(call, invoice, params, customer)
    if "auto_advance" in params:
        invoice["auto_advance"] = params["auto_advance"]
    if invoice["status"] == "draft":
        if moved:
            if "automatically_finalizes_at" not in params:
                invoice["automatically_finalizes_at"] = None
            invoicing.plan(call, invoice)
        totals.refresh(call, invoice)
    elif moved and invoice["status"] == "open":
        _advance_later(call, invoice)
    if call.changes(invoice):
        call.emit("invoice.updated", invoice)
    return invoice


def _advance_later(call: Call, invoice: JsonObject) -> None:
    """Have an open invoice charged within the hour when it advances by itself."""
    invoice["next_payment_attempt"] = None
    if not invoice["auto_advance"] or invoice["collection_method"] != "charge_automatically":
        return
    at = max(invoice["created"] + 3600, call.now_of(invoice))
    invoice["next_payment_attempt"] = at
    call.schedule(at, "invoice.collect", invoice["id"], timeline=call.clock_of(invoice))


@due("invoice.collect")
def _collect_when_due(call: Call, target: str, arguments: JsonObject) -> None:
    found = call.find(KIND, target)
    if found is None or found["status"] != "open" or not found["auto_advance"] or found["attempted"]:
        return
    collection.start(call, call.edit(KIND, target), now=call.now_of(found))


@endpoint("DELETE /v1/invoices/{invoice}")
def delete(call: Call) -> JsonObject:
    """Delete a draft."""
    invoice = open_for(call, param="invoice")
    invoicing.delete(call, invoice)
    return call.deleted_stub(invoice)


@endpoint("GET /v1/invoices")
def list_(call: Call) -> JsonObject:
    """Invoices, newest first; those on a test clock only for a named customer or subscription."""
    params = call.params
    where: JsonObject = {
        "customer": params.get("customer"),
        "customer_account": params.get("customer_account"),
        "_subscription": params.get("subscription"),
        "status": params.get("status"),
        "collection_method": params.get("collection_method"),
    }
    if "due_date" in params:
        where["due_date"] = params.plain("due_date")
    named = where["customer"] or where["_subscription"]
    return call.list(KIND, where=where, keep=None if named else lambda invoice: invoice["test_clock"] is None)


@endpoint("GET /v1/invoices/search")
def search_(call: Call) -> JsonObject:
    """Invoices that answer a query.

    Source: https://docs.stripe.com/search#query-fields-for-invoices
    """
    found = search(
        call,
        KIND,
        SEARCH_FIELDS,
        source=[
            {**invoice, "subscription": invoice.get("_subscription")}
            for invoice in call.ledger.all(call.account, KIND)
        ],
    )
    found["data"] = [call.get(KIND, item["id"]) for item in found["data"]]
    return found


@endpoint("POST /v1/invoices/{invoice}/finalize")
def finalize(call: Call) -> JsonObject:
    """Open a draft."""
    invoice = open_for(call)
    if "auto_advance" in call.params:
        invoice["auto_advance"] = call.params["auto_advance"]
    invoicing.finalize(call, invoice, now=call.now_of(invoice))
    if invoice["status"] == "open":
        _advance_later(call, invoice)
    return invoice


@endpoint("POST /v1/invoices/{invoice}/pay")
def pay(call: Call) -> JsonObject:
    """Charge an invoice now, or note that it was paid elsewhere.

    Source: https://docs.stripe.com/api/invoices/pay
    """
    invoice = open_for(call)
    params = call.params
    collection.refuse_unpayable(invoice)
    now = call.now_of(invoice)
    call.exclusive("payment_method", "source")
    if params.get("mandate"):
        call.get("mandate", params["mandate"], param="mandate")
        invoice["payment_settings"]["default_mandate"] = params["mandate"]
    params.ignore("mandate")
    if invoice["status"] == "draft":
        outside = bool(params.get("paid_out_of_band"))
        invoicing.finalize(call, invoice, now=now, charge=not outside)
        if invoice["status"] == "paid":
            params.ignore("paid_out_of_band", "payment_method", "source", "off_session", "forgive")
            return invoice
    if params.get("paid_out_of_band"):
        params.ignore("payment_method", "source", "off_session", "forgive")
        collection.pay_out_of_band(call, invoice, now=now)
        return invoice
    method = params.get("payment_method") or params.get("source") or collection.method_for(call, invoice)
    if method is None:
        raise InvalidRequest(collection.NO_METHOD)
    outcome = collection.attempt(call, invoice, method, off_session=params.get("off_session"))
    if outcome.failed:
        if params.get("forgive"):
            collection.forgive(call, invoice, now=now)
            return invoice
        intent = call.get("payment_intent", collection.intent_of(call, invoice))
        raise payment_attempts.refuse(intent, outcome)
    params.ignore("forgive")
    if outcome.status == "requires_action":
        raise requires_action(call, invoice)
    return invoice


def requires_action(call: Call, invoice: JsonObject) -> CardError:
    """The 402 of an invoice whose payment needs its holder; what was written stays.

    Source: https://docs.stripe.com/error-codes#invoice-payment-intent-requires-action
    """
    intent = call.get("payment_intent", collection.intent_of(call, invoice))
    return CardError(
        "Payment for this invoice requires additional user action before it can be completed successfully. Payment "
        "can be completed using the PaymentIntent associated with the invoice. For more details see: "
        "https://stripe.com/docs/billing/subscriptions/overview#requires-action",
        code="invoice_payment_intent_requires_action",
        payment_intent=intent,
    )


@endpoint("POST /v1/invoices/{invoice}/send")
def send(call: Call) -> JsonObject:
    """Finalize a draft and mail an invoice to its customer (test mode mails nothing)."""
    invoice = open_for(call, param="invoice")
    if invoice["status"] == "draft":
        invoicing.finalize(call, invoice, now=call.now_of(invoice))
    elif invoice["status"] not in ("open", "paid", "uncollectible"):
        raise InvalidRequest("This invoice cannot be sent: it is void.")
    call.emit("invoice.sent", invoice)
    return invoice


@endpoint("POST /v1/invoices/{invoice}/void")
def void(call: Call) -> JsonObject:
    """Take an invoice out of the books."""
    invoice = open_for(call)
    invoicing.void(call, invoice, now=call.now_of(invoice))
    return invoice


@endpoint("POST /v1/invoices/{invoice}/mark_uncollectible")
def mark_uncollectible(call: Call) -> JsonObject:
    """Write an invoice off."""
    invoice = open_for(call)
    invoicing.mark_uncollectible(call, invoice, now=call.now_of(invoice))
    return invoice


@endpoint("POST /v1/invoices/{invoice}/attach_payment")
def attach_payment(call: Call) -> JsonObject:
    """Let a payment intent or a payment record pay (part of) an open invoice.

    Source: https://docs.stripe.com/api/invoices/attach_payment
    Source: https://docs.stripe.com/invoicing/partial-payments
    """
    invoice = open_for(call, param="invoice")
    call.exclusive("payment_intent", "payment_record")
    if call.params.get("payment_record"):
        collection.attach_record(call, invoice, call.params["payment_record"])
    elif call.params.get("payment_intent"):
        collection.attach_intent(call, invoice, call.params["payment_intent"])
    else:
        raise InvalidRequest("You must provide either `payment_intent` or `payment_record`.")
    return invoice


@included(KIND, "payments")
def _show_payments(call: Call, invoice: JsonObject) -> JsonObject:
    payments = collection.payments_of(call, invoice)
    payments.reverse()
    return embedded(payments, f"/v1/invoice_payments?invoice={invoice['id']}")


@included(KIND, "amount_paid_off_stripe")
def _show_paid_off_stripe(call: Call, invoice: JsonObject) -> int:
    """What was paid another way: by payment records, or noted as paid out of band.

    Source: https://docs.stripe.com/changelog/dahlia/2026-05-27/invoice-object-amount-paid-off-stripe-property
    """
    came = sum(
        payment["amount_paid"] or 0
        for payment in collection.payments_of(call, invoice)
        if payment["status"] == "paid" and payment["payment"]["type"] == "payment_intent"
    )
    return int(max(0, invoice["amount_paid"] + invoice["amount_overpaid"] - came))


@included(KIND, "confirmation_secret")
def _show_secret(call: Call, invoice: JsonObject) -> Any:
    """The client secret of the default payment, while the invoice can still be paid.

    Source: https://docs.stripe.com/api/invoices/object#invoice_object-confirmation_secret
    """
    for payment in collection.payments_of(call, invoice):
        if payment["is_default"] and payment["status"] in ("open", "paid"):
            intent = call.find("payment_intent", payment["_intent"])
            if intent is not None:
                return {"client_secret": intent["client_secret"], "type": "payment_intent"}
    return None


def missing(identifier: str) -> NotFound:
    """The 404 for an invoice id."""
    return NotFound(KIND, identifier, param="invoice", in_path=True)
