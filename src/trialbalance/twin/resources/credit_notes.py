"""Credit notes: give back (part of) a finalized invoice.

Source: https://docs.stripe.com/api/credit_notes
"""

from __future__ import annotations

from typing import NamedTuple

from trialbalance.twin import sites
from trialbalance.twin.billing import crediting, invoicing, preview, totals
from trialbalance.twin.billing.crediting import Credited
from trialbalance.twin.billing.money import decimal_text, fraction, half_up
from trialbalance.twin.billing.tax import Tax, of_tax_rate, taxes_on
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, endpoint
from trialbalance.twin.wire.lists import embedded
from trialbalance.twin.wire.validate import Params

KIND = crediting.KIND


class _Row(NamedTuple):
    """A line to be, with what shows beside its amounts."""

    credited: Credited
    type: str
    description: str | None
    quantity: int | None
    unit: str | None
    invoice_line: str | None = None
    rates: tuple[JsonObject, ...] = ()
    metadata: JsonObject | None = None


@endpoint("POST /v1/credit_notes")
def create(call: Call) -> JsonObject:
    """Issue a note."""
    return _issue(call, call.params)


def _issue(call: Call, params: Params) -> JsonObject:
    sent = [name for name in ("amount", "lines", "shipping_cost") if params.get(name)]
    invoice = call.edit(invoicing.KIND, params["invoice"], param="invoice")
    if invoice["status"] not in ("open", "paid", "uncollectible"):
        raise InvalidRequest(
            f"Credit notes can only be issued for finalized invoices. This invoice is `{invoice['status']}`.",
            param="invoice",
        )
    if not sent:
        raise InvalidRequest("You must provide one of `amount`, `lines`, or `shipping_cost`.", param="amount")
    if "amount" in sent and "lines" in sent:
        raise InvalidRequest("You may only specify one of these parameters: amount, lines.", param="amount")
    rows = _rows(call, invoice, params)
    freight = _freight(invoice, params)
    now = call.now_of(invoice)
    note = _write(call, invoice, params, rows, freight, now)
    room = crediting.room(call, invoice)
    if note["total"] <= 0:
        raise InvalidRequest("The total of a credit note must be positive.", param=sent[0])
    if note["total"] > room:
        raise InvalidRequest(
            f"The credit note's total ({note['total']}) is more than what is left of the invoice ({room}).",
            param=sent[0],
        )
    crediting.settle(call, invoice, note, params, now=now)
    call.insert(note)
    call.emit("credit_note.created", note)
    return note


def _rows(call: Call, invoice: JsonObject, params: Params) -> list[_Row]:
    if params.get("amount"):
        amount = params["amount"]
        credited = crediting.of_amount(invoice, amount)
        return [_Row(credited, "custom_line_item", None, 1, str(credited.amount))]
    found = []
    for position, given in enumerate(params.get("lines") or []):
        where = f"lines[{position}]"
        if given["type"] == "invoice_line_item":
            found.append(_of_invoice(call, invoice, given, where))
        else:
            found.append(_custom(call, invoice, given, where))
    return found


def _of_invoice(call: Call, invoice: JsonObject, given: Params, where: str) -> _Row:
    identifier = given.get("invoice_line_item")
    if not identifier or identifier not in invoice["_lines"]:
        raise InvalidRequest(
            f"The invoice has no line item `{identifier}`.", param=f"{where}[invoice_line_item]"
        )
    line = call.get(totals.LINE, identifier)
    quantity, amount = given.get("quantity"), given.get("amount")
    if quantity is not None and amount is not None:
        raise InvalidRequest(
            "You may only specify one of these parameters: amount, quantity.", param=f"{where}[amount]"
        )
    credited = crediting.of_line(
        call, invoice, line, amount=amount, quantity=quantity, where=f"{where}[amount]"
    )
    if given.get("tax_amounts"):
        credited = credited._replace(taxes=_given_taxes(call, given, where))
    rates = tuple(call.get("tax_rate", tax.rate) for tax in credited.taxes if tax.rate)
    shown = quantity if quantity is not None or amount is not None else line["quantity"]
    unit = (line["pricing"] or {}).get("unit_amount_decimal")
    return _Row(
        credited,
        "invoice_line_item",
        line["description"],
        shown,
        unit if amount is None else None,
        identifier,
        rates,
        given.plain("metadata"),
    )


def _custom(call: Call, invoice: JsonObject, given: Params, where: str) -> _Row:
    quantity = given.get("quantity", 1)
    unit = given.get("unit_amount_decimal")
    unit = str(given.get("unit_amount")) if unit is None and given.get("unit_amount") is not None else unit
    if unit is None:
        raise InvalidRequest(
            f"Missing required param: {where}[unit_amount].",
            param=f"{where}[unit_amount]",
            code="parameter_missing",
        )
    numerator, denominator = fraction(unit)
    amount = half_up(numerator * quantity, denominator)
    rates = [
        call.get("tax_rate", name, param=f"{where}[tax_rates][{i}]")
        for i, name in enumerate(given.get("tax_rates") or ())
    ]
    taxes = (
        _given_taxes(call, given, where)
        if given.get("tax_amounts")
        else taxes_on(amount, [of_tax_rate(rate) for rate in rates], exempt=invoice["customer_tax_exempt"])
    )
    return _Row(
        Credited(amount, (), taxes),
        "custom_line_item",
        given.get("description"),
        quantity,
        decimal_text(unit),
        None,
        tuple(rates),
        given.plain("metadata"),
    )


def _given_taxes(call: Call, given: Params, where: str) -> tuple[Tax, ...]:
    found = []
    for position, entry in enumerate(given["tax_amounts"]):
        rate = call.get("tax_rate", entry["tax_rate"], param=f"{where}[tax_amounts][{position}][tax_rate]")
        found.append(Tax(rate["id"], entry["amount"], rate["inclusive"], entry["taxable_amount"]))
    return tuple(found)


def _freight(invoice: JsonObject, params: Params) -> JsonObject | None:
    given = params.get("shipping_cost")
    if not given:
        return None
    cost = invoice["shipping_cost"]
    if cost is None or given.get("shipping_rate") != cost["shipping_rate"]:
        raise InvalidRequest("The shipping rate is not the invoice's.", param="shipping_cost[shipping_rate]")
    return dict(cost)


def _write(
    call: Call,
    invoice: JsonObject,
    params: Params,
    rows: list[_Row],
    freight: JsonObject | None,
    now: int,
) -> JsonObject:
    credited = [row.credited for row in rows]
    subtotal = sum(c.amount for c in credited)
    discount = sum(c.discount for c in credited)
    tax = sum(c.tax for c in credited)
    inside = sum(t.amount for c in credited for t in c.taxes if t.inclusive)
    shipping = freight["amount_total"] if freight else 0
    total = sum(c.total for c in credited) + shipping
    by_discount: dict[str, int] = {}
    for name, amount in (pair for c in credited for pair in c.discounts):
        by_discount[name] = by_discount.get(name, 0) + amount
    note = call.new(
        KIND,
        "cn",
        amount=total,
        amount_shipping=freight["amount_subtotal"] if freight else 0,
        created=now,
        currency=invoice["currency"],
        customer=invoice["customer"],
        discount_amount=discount,
        discount_amounts=[{"amount": a, "discount": d} for d, a in by_discount.items()],
        effective_at=params.get("effective_at", now),
        invoice=invoice["id"],
        lines=None,
        memo=params.get("memo"),
        number=crediting.number_of(call, invoice),
        pdf=sites.page(
            call.twin, "pay", f"credit_notes/{call.account}/test_{call.twin.ids.random(76)}/pdf?s=ap"
        ),
        post_payment_amount=0,
        pre_payment_amount=0,
        pretax_credit_amounts=[],
        reason=params.get("reason"),
        refunds=[],
        shipping_cost=freight,
        status="issued",
        subtotal=subtotal,
        subtotal_excluding_tax=subtotal - inside,
        total=total,
        total_excluding_tax=total - tax - inside - (freight["amount_tax"] if freight else 0),
        total_taxes=_taxes(credited),
        type="pre_payment",
    )
    call.merge_metadata(note, params)
    params.ignore("email_type")  # test mode sends no mail
    note["_lines"] = [_line(call, row) for row in rows]
    note["lines"] = embedded(note["_lines"][:10], f"/v1/credit_notes/{note['id']}/lines")
    note["lines"]["has_more"] = len(rows) > 10
    return note


def _taxes(credited: list[Credited]) -> list[JsonObject]:
    summed: dict[tuple[str, bool], Tax] = {}
    for tax in (tax for c in credited for tax in c.taxes):
        key = (tax.rate, tax.inclusive)
        known = summed.get(key)
        summed[key] = (
            tax
            if known is None
            else known._replace(amount=known.amount + tax.amount, taxable=known.taxable + tax.taxable)
        )
    return [totals.tax_entry(tax) for tax in summed.values()]


def _line(call: Call, row: _Row) -> JsonObject:
    unit = row.unit
    whole = unit is not None and fraction(unit)[1] == 1
    line = call.new(
        crediting.LINE,
        "cnli",
        amount=row.credited.amount,
        description=row.description,
        discount_amount=row.credited.discount,
        discount_amounts=[{"amount": a, "discount": d} for d, a in row.credited.discounts],
        metadata=row.metadata or {},
        pretax_credit_amounts=[],
        quantity=row.quantity,
        tax_rates=list(row.rates),
        taxes=[totals.tax_entry(tax) for tax in row.credited.taxes],
        type=row.type,
        unit_amount=int(unit) if whole and unit is not None else None,
        unit_amount_decimal=unit,
    )
    if row.invoice_line is not None:
        line["invoice_line_item"] = row.invoice_line
        head = {n: line[n] for n in ("id", "object")}
        line = head | {n: line[n] for n in sorted(line) if n not in head}
    return line


@endpoint("GET /v1/credit_notes/preview")
def preview_(call: Call) -> JsonObject:
    """What a note would be."""
    with preview.rehearsal(call):
        return dict(_issue(call, call.params))


@endpoint("GET /v1/credit_notes/preview/lines")
def preview_lines(call: Call) -> JsonObject:
    """The lines a note would have."""
    with preview.rehearsal(call):
        lines = _issue(call, call.params)["_lines"]
    return call.page_of(lines, url=call.path_name)


@endpoint("GET /v1/credit_notes/{id}")
def retrieve(call: Call) -> JsonObject:
    """One note."""
    return call.get(KIND, call.path["id"])


@endpoint("POST /v1/credit_notes/{id}")
def update(call: Call) -> JsonObject:
    """Change memo and metadata."""
    note = call.edit(KIND, call.path["id"])
    call.assign(note, "memo")
    call.merge_metadata(note)
    call.emit("credit_note.updated", note)
    return note


@endpoint("GET /v1/credit_notes")
def list_(call: Call) -> JsonObject:
    """Notes, newest first."""
    params = call.params
    where = {
        "customer": params.get("customer") or params.get("customer_account"),
        "invoice": params.get("invoice"),
    }
    return call.list(KIND, where=where)


@endpoint("GET /v1/credit_notes/{credit_note}/lines")
def list_lines(call: Call) -> JsonObject:
    """A note's lines."""
    note = call.get(KIND, call.path["credit_note"])
    return call.page_of(note["_lines"], url=call.path_name)


@endpoint("POST /v1/credit_notes/{id}/void")
def void(call: Call) -> JsonObject:
    """Take a note back while its invoice is open.

    Source: https://docs.stripe.com/api/credit_notes/void
    """
    note = call.edit(KIND, call.path["id"])
    if note["status"] == "void":
        raise InvalidRequest("This credit note is already void.")
    invoice = call.edit(invoicing.KIND, note["invoice"])
    if note["type"] != "pre_payment" or invoice["status"] != "open":
        raise InvalidRequest(
            "You can only void a credit note that was issued before payment, while its invoice is open."
        )
    note["status"] = "void"
    note["voided_at"] = call.now_of(invoice)
    crediting.raise_again(call, invoice, note)
    call.emit("credit_note.voided", note)
    return note
