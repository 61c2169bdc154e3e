"""Lines of an invoice: list them, and add, change or remove them on a draft.

Source: https://docs.stripe.com/api/invoice-line-item
"""

from __future__ import annotations

from trialbalance.twin.billing import invoicing, pending, totals
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources import invoice_items, products
from trialbalance.twin.wire.call import Call, endpoint
from trialbalance.twin.wire.validate import Params


@endpoint("GET /v1/invoices/{invoice}/lines")
def list_(call: Call) -> JsonObject:
    """All lines, in the order the invoice shows them."""
    invoice = call.get(invoicing.KIND, call.path["invoice"], param="invoice")
    return call.page_of(totals.lines_of(call, invoice), url=call.path_name)


def _draft(call: Call) -> JsonObject:
    invoice = call.edit(invoicing.KIND, call.path["invoice"], param="invoice")
    if invoice["status"] != "draft":
        raise InvalidRequest(
            "You can only modify the lines of draft invoices. This invoice is no longer editable.",
            code="invoice_not_editable",
        )
    return invoice


def _finish(call: Call, invoice: JsonObject) -> None:
    if "invoice_metadata" in call.params:
        metadata = Params()
        dict.__setitem__(metadata, "metadata", call.params["invoice_metadata"])
        call.merge_metadata(invoice, metadata)
    totals.refresh(call, invoice)
    call.emit("invoice.updated", invoice)


@endpoint("POST /v1/invoices/{invoice}/add_lines")
def add(call: Call) -> JsonObject:
    """Add lines: pending items by id, or new ones."""
    invoice = _draft(call)
    customer = call.get("customer", invoice["customer"])
    for position, line in enumerate(call.params["lines"]):
        where = f"lines[{position}]"
        if line.get("invoice_item"):
            item = call.edit("invoiceitem", line["invoice_item"], param=f"{where}[invoice_item]")
            if item["invoice"] is not None:
                raise InvalidRequest(
                    f"The invoice item `{item['id']}` is on an invoice already.",
                    param=f"{where}[invoice_item]",
                )
            invoicing.take_item(call, invoice, item)
            if len(dict.keys(line)) > 1:
                _change(call, invoice, item["_line"], line, where)
            continue
        _unfold(call, line, where)
        found = invoice_items.priced(call, line, invoice=invoice, customer=customer, path=where)
        item = invoice_items.make(
            call,
            customer,
            **found,
            description=line.get("description"),
            period=line.plain("period"),
        )
        invoice_items._describe(call, item, line, customer)
        taken = invoicing.take_item(call, invoice, item)
        _taxes(call, taken, line)
        call.emit("invoiceitem.created", item)
    _finish(call, invoice)
    return invoice


def _unfold(call: Call, line: Params, where: str) -> None:
    """Turn `price_data[product_data]` into a product."""
    data = line.get("price_data")
    if data is None or not dict.get(data, "product_data"):
        return
    made = products.make(call, data["product_data"], path=f"{where}[price_data][product_data]")
    call.emit("product.created", made)
    dict.pop(data, "product_data")
    dict.__setitem__(data, "product", made["id"])


@endpoint("POST /v1/invoices/{invoice}/update_lines")
def update_many(call: Call) -> JsonObject:
    """Change several lines of a draft."""
    invoice = _draft(call)
    for position, line in enumerate(call.params["lines"]):
        _change(call, invoice, line["id"], line, f"lines[{position}]")
    _finish(call, invoice)
    return invoice


@endpoint("POST /v1/invoices/{invoice}/lines/{line_item_id}")
def update(call: Call) -> JsonObject:
    """Change one line of a draft."""
    invoice = _draft(call)
    identifier = call.path["line_item_id"]
    _change(call, invoice, identifier, call.params, "")
    totals.refresh(call, invoice)
    call.emit("invoice.updated", invoice)
    return call.get(totals.LINE, identifier)


def _change(call: Call, invoice: JsonObject, identifier: str, params: Params, where: str) -> None:
    if identifier not in invoice["_lines"]:
        raise NotFound(totals.LINE, identifier, param="line_item_id" if not where else f"{where}[id]")
    line = call.edit(totals.LINE, identifier)
    _unfold(call, params, where)
    item = call.find("invoiceitem", line.get("_item"))
    if item is not None:
        invoice_items.change(call, call.edit("invoiceitem", item["id"]), params, invoice, path=where)
    else:
        for name in ("amount", "pricing", "price_data", "quantity", "quantity_decimal", "period"):
            if dict.__contains__(params, name):
                raise InvalidRequest(
                    "Only description, metadata, discounts and taxes of a subscription's line can be changed.",
                    param=f"{where}[{name}]" if where else name,
                )
        _own(call, line, params, invoice)
    _taxes(call, line, params)


def _own(call: Call, line: JsonObject, params: Params, invoice: JsonObject) -> None:
    """What a line without an invoice item lets change."""
    from trialbalance.twin.billing import discounting

    invoice_items.call_assign(line, params, "description", "discountable")
    if "discounts" in params:
        line["discounts"] = discounting.apply(
            call,
            params["discounts"],
            path="discounts",
            currency=invoice["currency"],
            customer=invoice["customer"],
            now=call.now_of(invoice),
            known=line["discounts"],
        )
    if "tax_rates" in params:
        names = list(params["tax_rates"] or ())
        for name in names:
            call.get("tax_rate", name, param="tax_rates")
        line["_tax_rates"] = names or None
    call.merge_metadata(line, params)


def _taxes(call: Call, line: JsonObject, params: Params) -> None:
    """Taxes that the client computed itself, each with a rate made for it.

    Source: https://docs.stripe.com/api/invoices/add_lines#invoice_add_lines-lines-tax_amounts
    """
    if "tax_amounts" not in params:
        return
    given = params.plain("tax_amounts") or None
    if given is None:
        line["_tax_amounts"] = None
        return
    entries = []
    for tax in given:
        data = tax["tax_rate_data"]
        rate = call.new(
            "tax_rate",
            "txr",
            active=False,
            display_name=data["display_name"],
            effective_percentage=data["percentage"],
            inclusive=data["inclusive"],
            percentage=data["percentage"],
            rate_type="percentage",
        )
        for name in ("country", "description", "jurisdiction", "jurisdiction_level", "state", "tax_type"):
            if name in data:
                rate[name] = data[name]
        call.insert(rate)
        entries.append(
            {
                "rate": rate["id"],
                "amount": tax["amount"],
                "inclusive": data["inclusive"],
                "taxable": tax["taxable_amount"],
                "reason": tax.get("taxability_reason") or "standard_rated",
            }
        )
    line["_tax_amounts"] = entries


@endpoint("POST /v1/invoices/{invoice}/remove_lines")
def remove(call: Call) -> JsonObject:
    """Remove lines from a draft; `unassign` makes their items pending again."""
    invoice = _draft(call)
    for position, given in enumerate(call.params["lines"]):
        identifier, behavior = given["id"], given["behavior"]
        if identifier not in invoice["_lines"]:
            raise NotFound(totals.LINE, identifier, param=f"lines[{position}][id]")
        line = call.get(totals.LINE, identifier)
        item = call.find("invoiceitem", line.get("_item"))
        if item is None:
            raise InvalidRequest(
                "Lines of a subscription cannot be removed from its invoice.", param=f"lines[{position}][id]"
            )
        if behavior == "delete":
            invoice_items.remove(call, item, invoice)
            continue
        loose = call.edit("invoiceitem", item["id"])
        loose["invoice"] = None
        invoice["_lines"].remove(identifier)
        call.delete(totals.LINE, identifier)
        pending.add(call, loose)
    _finish(call, invoice)
    return invoice
