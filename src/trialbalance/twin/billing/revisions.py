"""Revisions: a draft that replaces a finalized invoice, which is voided when the draft is finalized.

Source: https://docs.stripe.com/invoicing/invoice-edits
"""

from __future__ import annotations

from trialbalance.twin.billing import invoicing, totals
from trialbalance.twin.billing.calendar import Period
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, reacts

COPIED = (
    "account_tax_ids",
    "custom_fields",
    "default_payment_method",
    "default_source",
    "default_tax_rates",
    "description",
    "discounts",
    "footer",
    "issuer",
    "metadata",
    "on_behalf_of",
    "payment_settings",
    "rendering",
    "shipping_details",
    "statement_descriptor",
)


def create(call: Call) -> JsonObject:
    """A draft with the lines of `from_invoice[invoice]`."""
    given = call.params["from_invoice"]
    if given["action"] != "revision":
        raise InvalidRequest("`from_invoice[action]` must be revision.", param="from_invoice[action]")
    source = call.edit(invoicing.KIND, given["invoice"], param="from_invoice[invoice]")
    if source["status"] not in ("open", "uncollectible"):
        raise InvalidRequest(
            "Only finalized invoices that are not paid or void can be revised.", param="from_invoice[invoice]"
        )
    if source.get("_subscription"):
        raise InvalidRequest(
            "Invoices of subscriptions cannot be revised after finalization.", param="from_invoice[invoice]"
        )
    waiting = call.find(invoicing.KIND, source.get("_revision"))
    if waiting is not None:
        raise InvalidRequest(
            f"This invoice has a revision already: {waiting['id']}.", param="from_invoice[invoice]"
        )
    customer = call.get("customer", source["customer"])
    now = call.now_of(customer)
    draft = invoicing.draft(
        call,
        customer,
        currency=source["currency"],
        reason="manual",
        now=now,
        period=Period(source["period_start"], source["period_end"]),
        collection_method=source["collection_method"],
        due_date=source["due_date"],
    )
    for name in COPIED:
        draft[name] = source[name]
    draft["_shipping"] = source.get("_shipping")
    draft["auto_advance"] = call.params.get("auto_advance", False)
    draft["from_invoice"] = {"action": "revision", "invoice": source["id"]}
    for line in totals.lines_of(call, source):
        copy = {**line, "id": call.new_id("il"), "invoice": draft["id"]}
        invoicing.add_line(call, draft, copy)
    source["_revision"] = draft["id"]
    call.assign(draft, "description", "footer", "custom_fields")
    call.merge_metadata(draft)
    invoicing.announce(call, draft)
    return draft


@reacts("invoice.finalized")
def _replace(call: Call, invoice: JsonObject) -> None:
    origin = invoice["from_invoice"]
    if origin is None or origin["action"] != "revision":
        return
    replaced = call.edit(invoicing.KIND, origin["invoice"])
    replaced["latest_revision"] = invoice["id"]
    if replaced["status"] in ("open", "uncollectible"):
        invoicing.void(call, replaced, now=call.now_of(replaced))
