"""An invoice's life: draft, open, paid, void, uncollectible.

    draft ──finalize──> open ──pay──> paid
                          ├──void──> void
                          └──mark──> uncollectible ──pay──> paid

Every function gets an edited invoice. Events are emitted here, so that every way into a state tells the same.

Source: https://docs.stripe.com/invoicing/overview#invoice-statuses
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin import currencies, sites
from trialbalance.twin.billing import auto_tax, discounting, lines, pending, totals
from trialbalance.twin.billing.balance import settle
from trialbalance.twin.billing.calendar import DAY, Period
from trialbalance.twin.billing.settings import settings
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import customer_balance_transactions
from trialbalance.twin.wire.call import Call, due

KIND = "invoice"


def draft(
    call: Call,
    customer: JsonObject,
    *,
    currency: str,
    reason: str,
    now: int,
    period: Period,
    subscription: JsonObject | None = None,
    collection_method: str = "charge_automatically",
    due_date: int | None = None,
    discounts: list[str] | None = None,
    default_tax_rates: list[JsonObject] | None = None,
    **fields: Any,
) -> JsonObject:
    """A new, empty draft. Add lines, then `announce` it."""
    account = call.find("account", call.account)
    config = call.twin.config
    profile = (account or {}).get("business_profile") or {}
    invoice = call.new(
        KIND,
        "in",
        account_country=account["country"] if account else config.country,
        account_name=profile.get("name") or config.display_name,
        amount_due=0,
        amount_overpaid=0,
        amount_paid=0,
        amount_remaining=0,
        amount_shipping=0,
        attempt_count=0,
        attempted=False,
        auto_advance=False,
        automatic_tax={
            "disabled_reason": None,
            "enabled": False,
            "liability": None,
            "provider": None,
            "status": None,
        },
        billing_reason=reason,
        collection_method=collection_method,
        created=now,
        currency=currency,
        customer=customer["id"],
        customer_address=customer["address"],
        customer_email=customer["email"],
        customer_name=customer["name"],
        customer_phone=customer["phone"],
        customer_shipping=customer["shipping"],
        customer_tax_exempt=customer["tax_exempt"],
        customer_tax_ids=[
            {"type": tax_id["type"], "value": tax_id["value"]}
            for tax_id in call.ledger.all(call.account, "tax_id", customer=customer["id"])
        ],
        default_tax_rates=default_tax_rates or [],
        discounts=discounts or [],
        due_date=due_date,
        issuer={"type": "self"},
        lines=None,
        parent=None,
        payment_settings={
            "default_mandate": None,
            "payment_method_options": None,
            "payment_method_types": None,
        },
        period_end=period.end,
        period_start=period.start,
        post_payment_credit_notes_amount=0,
        pre_payment_credit_notes_amount=0,
        starting_balance=totals.balance_for(customer, currency),
        status="draft",
        status_transitions={
            "finalized_at": None,
            "marked_uncollectible_at": None,
            "paid_at": None,
            "voided_at": None,
        },
        subtotal=0,
        subtotal_excluding_tax=0,
        test_clock=customer["test_clock"],
        total=0,
        total_discount_amounts=[],
        total_pretax_credit_amounts=[],
        total_taxes=[],
        webhooks_delivered_at=now,
    )
    invoice["lines"] = totals.listed(invoice, [])
    invoice["_lines"] = []
    invoice |= fields
    if subscription is not None:
        belong(invoice, subscription)
    return call.insert(invoice)


def belong(invoice: JsonObject, subscription: JsonObject) -> None:
    """Make an invoice one of a subscription's."""
    invoice["_subscription"] = subscription["id"]
    invoice["parent"] = {
        "quote_details": None,
        "subscription_details": {
            "metadata": dict(subscription["metadata"]),
            "subscription": subscription["id"],
        },
        "type": "subscription_details",
    }


def add_line(call: Call, invoice: JsonObject, line: JsonObject) -> JsonObject:
    """Store a line at the end of a draft."""
    call.insert(line)
    invoice["_lines"].append(line["id"])
    return line


def take_items(call: Call, invoice: JsonObject, items: list[JsonObject]) -> None:
    """Put invoice items on a draft, the newest first."""
    for item in reversed(items):
        take_item(call, invoice, item)


def take_item(call: Call, invoice: JsonObject, item: JsonObject) -> JsonObject:
    """Put one invoice item at the end of a draft."""
    taken = call.edit("invoiceitem", item["id"])
    taken["invoice"] = invoice["id"]
    call.ledger.reindex(call.account, "invoiceitem", taken)
    pending.remove(call, taken)
    line = add_line(call, invoice, lines.of_item(call, invoice["id"], taken))
    taken["_line"] = line["id"]
    return line


def pending_for(call: Call, customer: str, currency: str, subscription: str | None) -> list[JsonObject]:
    """The items that an invoice takes: a subscription's invoice its own and the customer's loose ones."""
    return [
        item
        for item in pending.of(call, customer, currency)
        if subscription is None or item.get("_subscription") in (None, subscription)
    ]


def announce(call: Call, invoice: JsonObject, *, customer: JsonObject | None = None) -> None:
    """Compute a new draft's amounts, plan what follows and tell of it."""
    totals.refresh(call, invoice, customer=customer)
    call.emit("invoice.created", invoice)
    plan(call, invoice)


def plan(call: Call, invoice: JsonObject) -> None:
    """When a draft advances by itself, have it finalized an hour after it was made.

    Source: https://docs.stripe.com/billing/invoices/subscription#automatic-advancement
    """
    if not invoice["auto_advance"]:
        invoice["automatically_finalizes_at"] = None
        invoice["next_payment_attempt"] = None
        return
    at = invoice["automatically_finalizes_at"] or invoice["created"] + settings(call).finalize_after
    invoice["automatically_finalizes_at"] = at
    if invoice["collection_method"] == "charge_automatically":
        invoice["next_payment_attempt"] = at
    call.schedule(at, "invoice.finalize", invoice["id"], timeline=call.clock_of(invoice))


@due("invoice.finalize")
def _finalize_when_due(call: Call, target: str, arguments: JsonObject) -> None:
    from trialbalance.twin.billing import collection

    found = call.find(KIND, target)
    if found is None or found["status"] != "draft" or not found["auto_advance"]:
        return
    now = call.now_of(found)
    at = found["automatically_finalizes_at"]
    if at is not None and at > now:
        return
    invoice = call.edit(KIND, target)
    invoice["automatically_finalizes_at"] = None
    try:
        finalize(call, invoice, now=now)
    except InvalidRequest as problem:
        _could_not(call, invoice, problem)
        return
    if invoice["status"] == "open":
        collection.start(call, invoice, now=now)


def _could_not(call: Call, invoice: JsonObject, problem: InvalidRequest) -> None:
    """A draft cannot be finalized: it stays one and says why.

    Source: https://docs.stripe.com/invoicing/automatic-charging#finalization-failures
    """
    invoice["last_finalization_error"] = {
        "code": problem.code,
        "doc_url": problem.envelope().get("doc_url"),
        "message": problem.message,
        "type": problem.type,
    }
    if invoice["automatic_tax"]["enabled"]:
        invoice["automatic_tax"]["status"] = "requires_location_inputs"
    call.emit("invoice.finalization_failed", invoice)


def finalize(call: Call, invoice: JsonObject, *, now: int, charge: bool = True) -> None:
    """Give a draft its number, take the customer's balance into account, open it; with nothing due it is paid.

    Raises:
        InvalidRequest: it is no draft.

    Source: https://docs.stripe.com/invoicing/integration/workflow-transitions#finalized
    """
    from trialbalance.twin.billing import collection, credits, usage

    if invoice["status"] != "draft":
        raise InvalidRequest("This invoice is already finalized, you can't re-finalize a non-draft invoice.")
    customer = call.edit("customer", invoice["customer"])
    if invoice["automatic_tax"]["enabled"]:
        auto_tax.require(customer)
        invoice["automatic_tax"]["status"] = "complete"
    usage.recount(call, invoice)
    totals.refresh(call, invoice, customer=customer)
    credits.apply(call, invoice)
    number(invoice, customer)
    invoice["status"] = "open"
    invoice["automatically_finalizes_at"] = None
    invoice["status_transitions"]["finalized_at"] = now
    if invoice["effective_at"] is None:
        invoice["effective_at"] = now
    if invoice["rendering"]:
        page = invoice["rendering"]["pdf"]
        if page["page_size"] == "auto":
            country = (invoice["customer_address"] or {}).get("country") or invoice["account_country"]
            page["page_size"] = "letter" if country in ("US", "CA", "MX") else "a4"
    _addresses(call, invoice)
    _use_balance(call, invoice, customer, now)
    for entry in invoice["total_discount_amounts"]:
        if entry["amount"]:
            discounting.use(call, entry["discount"])
    call.emit("invoice.finalized", invoice)
    call.emit("invoice.updated", invoice, previous={"status": "draft", "number": None})
    if invoice["amount_remaining"] <= 0:
        mark_paid(call, invoice, now=now)
        return
    if invoice["collection_method"] == "send_invoice" and invoice["due_date"] is not None:
        _watch_due_date(call, invoice)
    if charge:
        collection.open_payment(call, invoice)


def number(invoice: JsonObject, customer: JsonObject) -> None:
    """The next number of the customer's sequence, unless the invoice has one."""
    if invoice["number"] is None:
        invoice["number"] = f"{customer['invoice_prefix']}-{customer['next_invoice_sequence']:04d}"
    customer["next_invoice_sequence"] += 1


def _addresses(call: Call, invoice: JsonObject) -> None:
    token = f"test_{call.twin.ids.random(76)}"
    invoice["_token"] = token
    invoice["hosted_invoice_url"] = sites.page(call.twin, "invoice", f"i/{call.account}/{token}?s=ap")
    invoice["invoice_pdf"] = sites.page(call.twin, "pay", f"invoice/{call.account}/{token}/pdf?s=ap")


def _use_balance(call: Call, invoice: JsonObject, customer: JsonObject, now: int) -> None:
    balance = totals.balance_for(customer, invoice["currency"])
    found = settle(invoice["total"], balance, currencies.minimum(invoice["currency"]))
    invoice["starting_balance"] = balance
    invoice["ending_balance"] = found.ending_balance
    invoice["amount_due"] = found.amount_due
    invoice["amount_remaining"] = found.amount_due
    change = found.change(balance)
    if change:
        kind = "invoice_too_small" if found.too_small else "applied_to_invoice"
        customer_balance_transactions.post(
            call, customer, change, invoice["currency"], type=kind, invoice=invoice["id"], created=now
        )
        invoice["_balance_used"] = change
        call.emit("customer.updated", customer, previous={"balance": balance})
    elif customer["currency"] is None:
        customer["currency"] = invoice["currency"]


def _watch_due_date(call: Call, invoice: JsonObject) -> None:
    line = call.clock_of(invoice)
    call.schedule(invoice["due_date"], "invoice.overdue", invoice["id"], timeline=line)
    early = invoice["due_date"] - 3 * DAY
    if early > call.now_of(invoice):
        call.schedule(early, "invoice.will_be_due", invoice["id"], timeline=line)


@due("invoice.will_be_due")
def _will_be_due(call: Call, target: str, arguments: JsonObject) -> None:
    invoice = call.find(KIND, target)
    if invoice is not None and invoice["status"] == "open":
        call.emit("invoice.will_be_due", invoice)


@due("invoice.overdue")
def _overdue(call: Call, target: str, arguments: JsonObject) -> None:
    """An invoice that was sent is not paid by its due date.

    Source: https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses
    """
    invoice = call.find(KIND, target)
    if invoice is not None and invoice["status"] == "open":
        call.emit("invoice.overdue", invoice)


def mark_paid(call: Call, invoice: JsonObject, *, now: int, amount: int | None = None) -> None:
    """Nothing remains: tell that the invoice is paid."""
    before = {
        name: invoice[name]
        for name in ("amount_paid", "amount_remaining", "attempt_count", "attempted", "status")
    }
    if amount is not None:
        invoice["amount_paid"] += amount
    invoice["amount_remaining"] = 0
    if invoice["amount_due"] == 0:
        invoice["attempted"] = True
    invoice["status"] = "paid"
    invoice["auto_advance"] = False
    invoice["next_payment_attempt"] = None
    invoice["status_transitions"]["paid_at"] = now
    changed = {name: value for name, value in before.items() if invoice[name] != value}
    call.emit("invoice.updated", invoice, previous=changed)
    call.emit("invoice.paid", invoice)
    call.emit("invoice.payment_succeeded", invoice)


def void(call: Call, invoice: JsonObject, *, now: int) -> None:
    """Take an open or uncollectible invoice out of the books; its number stays, credit that it used comes back.

    Raises:
        InvalidRequest: it is neither open nor uncollectible, or something was paid on it.

    Source: https://docs.stripe.com/api/invoices/void
    """
    from trialbalance.twin.billing import collection, credits

    if invoice["status"] == "paid" or invoice["amount_paid"] > 0:
        raise InvalidRequest("Invoices with `paid` payments cannot be voided.")
    if invoice["status"] not in ("open", "uncollectible"):
        raise InvalidRequest("You can only pass in open invoices. This invoice isn't open.")
    collection.close_payments(call, invoice, "void_invoice")
    invoice["status"] = "void"
    invoice["next_payment_attempt"] = None
    invoice["status_transitions"]["voided_at"] = now
    used = invoice.get("_balance_used", 0)
    customer = call.find("customer", invoice["customer"])
    if used and customer is not None:
        customer = call.edit("customer", customer["id"])
        balance = customer["balance"]
        customer_balance_transactions.post(
            call,
            customer,
            -used,
            invoice["currency"],
            type="unapplied_from_invoice",
            invoice=invoice["id"],
            created=now,
        )
        call.emit("customer.updated", customer, previous={"balance": balance})
    credits.reinstate(call, invoice)
    call.emit("invoice.updated", invoice, previous={"status": "open"})
    call.emit("invoice.voided", invoice)


def mark_uncollectible(call: Call, invoice: JsonObject, *, now: int, reason: str = "user_forgiven") -> None:
    """Write an open invoice off.

    Raises:
        InvalidRequest: it is not open.
    """
    if invoice["status"] == "uncollectible":
        raise InvalidRequest("This invoice has already been marked uncollectible.")
    if invoice["status"] != "open":
        raise InvalidRequest("You can only pass in open invoices. This invoice isn't open.")
    invoice["status"] = "uncollectible"
    invoice["next_payment_attempt"] = None
    invoice["status_transitions"]["marked_uncollectible_at"] = now
    if "status_details" in invoice:
        invoice["status_details"] = {"uncollectible": {"reason": reason}}
    call.emit("invoice.updated", invoice, previous={"status": "open"})
    call.emit("invoice.marked_uncollectible", invoice)


def delete(call: Call, invoice: JsonObject) -> None:
    """Delete a draft with its lines and items; it leaves no number behind.

    Raises:
        InvalidRequest: it is no draft, or a subscription's.
    """
    if invoice["status"] != "draft":
        raise InvalidRequest("You can only delete draft invoices.")
    if invoice.get("_subscription") and invoice["billing_reason"] != "manual":
        raise InvalidRequest(
            "You can't delete invoices created by subscriptions. Void it after it is finalized instead."
        )
    for line in totals.lines_of(call, invoice):
        item = line.get("_item")
        if item is not None and call.find("invoiceitem", item):
            call.delete("invoiceitem", item)
        call.delete(totals.LINE, line["id"])
    call.delete(KIND, invoice["id"])
    call.emit("invoice.deleted", invoice)
