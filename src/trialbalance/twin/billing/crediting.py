"""Credit notes as arithmetic and as movements: what a note is made of, and what it does to its invoice.

A note first lowers what remains of an open invoice (pre-payment); what is more than that was paid and goes back as a
refund, as credit on the customer's balance, or outside (post-payment).

Source: https://docs.stripe.com/invoicing/dashboard/credit-notes
Source: https://docs.stripe.com/api/credit_notes/create
"""

from __future__ import annotations

from typing import Any, NamedTuple

from trialbalance.twin.billing import collection, invoicing, totals
from trialbalance.twin.billing.money import half_up
from trialbalance.twin.billing.tax import Rate, Tax, backed_out, of_tax_rate, taxes_on
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources import customer_balance_transactions, refunds
from trialbalance.twin.wire.call import Call

KIND = "credit_note"
LINE = "credit_note_line_item"


class Credited(NamedTuple):
    """One line of a note: gross amount, what discounts had taken off it, its taxes."""

    amount: int
    discounts: tuple[tuple[str, int], ...] = ()
    taxes: tuple[Tax, ...] = ()
    backed: int = 0
    """Inclusive tax that an exempt customer had not paid."""

    @property
    def discount(self) -> int:
        """All of the discounts."""
        return sum(amount for _, amount in self.discounts)

    @property
    def tax(self) -> int:
        """The tax on top."""
        return sum(tax.amount for tax in self.taxes if not tax.inclusive)

    @property
    def total(self) -> int:
        """What the line gives back."""
        return self.amount - self.discount + self.tax - self.backed


def part_of_line(
    line: JsonObject, amount: int, before: int, rates: tuple[Rate, ...], exempt: str
) -> Credited:
    """A part of an invoice line, after `before` of it was credited already.

    Discounts go back in proportion; shares are differences of running totals, so that parts add up to the whole.
    """
    whole = line["amount"]
    taken = []
    for entry in line["discount_amounts"]:
        share = _share(entry["amount"], before + amount, whole) - _share(entry["amount"], before, whole)
        taken.append((entry["discount"], share))
    net = amount - sum(share for _, share in taken)
    given = totals.given_taxes(line)
    if given is None:
        taxes = taxes_on(net, rates, exempt=exempt)
        return Credited(amount, tuple(taken), taxes, backed_out(net, rates, exempt))
    scaled = tuple(
        tax._replace(
            amount=_share(tax.amount, before + amount, whole) - _share(tax.amount, before, whole), taxable=net
        )
        for tax in given
    )
    return Credited(amount, tuple(taken), scaled)


def _share(amount: int, part: int, whole: int) -> int:
    return half_up(amount * part, whole) if whole else 0


def of_line(
    call: Call, invoice: JsonObject, line: JsonObject, *, amount: int | None, quantity: int | None, where: str
) -> Credited:
    """The credit for (part of) a line of an invoice.

    Raises:
        InvalidRequest: more than is left of it.
    """
    before = credited_of(call, invoice, line["id"])
    left = line["amount"] - before
    if quantity is not None:
        of = line["quantity"] or 1
        amount = half_up(line["amount"] * quantity, of)
    if amount is None:
        amount = left
    sign = -1 if line["amount"] < 0 else 1
    if not 0 <= sign * amount <= sign * left:
        raise InvalidRequest(
            f"The amount to credit ({amount}) is more than what is left of the line item {line['id']} ({left}).",
            param=where,
        )
    default = tuple(of_tax_rate(rate) for rate in invoice["default_tax_rates"])
    rates = totals.rates_of(call, line, default)
    return part_of_line(line, amount, before, rates, invoice["customer_tax_exempt"])


def of_amount(invoice: JsonObject, amount: int) -> Credited:
    """An amount of an invoice as a whole; with automatic tax it is shared between price and taxes as on the invoice.

    Source: https://docs.stripe.com/tax/invoicing/refunds
    """
    if not invoice["automatic_tax"]["enabled"]:
        return Credited(amount)
    taxes = []
    for entry in invoice["total_taxes"]:
        share = _share(entry["amount"], amount, invoice["total"])
        taxes.append(
            Tax(
                entry["tax_rate_details"]["tax_rate"],
                share,
                entry["tax_behavior"] == "inclusive",
                _share(entry["taxable_amount"] or 0, amount, invoice["total"]),
            )
        )
    return Credited(amount - sum(tax.amount for tax in taxes if not tax.inclusive), (), tuple(taxes))


def notes_of(call: Call, invoice: str) -> list[JsonObject]:
    """The notes of an invoice that are not void, oldest first."""
    return [n for n in call.ledger.all(call.account, KIND, invoice=invoice) if n["status"] == "issued"]


def credited_of(call: Call, invoice: JsonObject, line: str) -> int:
    """How much of an invoice line was credited before."""
    return sum(
        entry["amount"]
        for note in notes_of(call, invoice["id"])
        for entry in note["_lines"]
        if entry.get("invoice_line_item") == line
    )


def number_of(call: Call, invoice: JsonObject) -> str:
    """`PREFIX-0001-CN-01`."""
    count = sum(1 for _ in call.ledger.all(call.account, KIND, invoice=invoice["id"])) + 1
    return f"{invoice['number']}-CN-{count:02d}"


def room(call: Call, invoice: JsonObject) -> int:
    """How much of an invoice may still be credited."""
    done = sum(note["total"] for note in notes_of(call, invoice["id"]))
    return int(invoice["total"] - done)


def settle(call: Call, invoice: JsonObject, note: JsonObject, params: Any, *, now: int) -> None:
    """Let a note lower its edited invoice, and give back what was paid.

    Raises:
        InvalidRequest: the ways in which money goes back do not add up to what was paid of the note.
    """
    before = note["total"] if invoice["status"] in ("open", "uncollectible") else 0
    before = min(before, invoice["amount_remaining"])
    after = note["total"] - before
    note["pre_payment_amount"], note["post_payment_amount"] = before, after
    note["type"] = "mixed" if before and after else "post_payment" if after else "pre_payment"
    credit = params.get("credit_amount") or 0
    outside = params.get("out_of_band_amount") or 0
    wanted = params.get("refund_amount") or 0
    linked = _linked(call, invoice, params.get("refunds") or [])
    given = credit + outside + wanted + sum(entry["amount_refunded"] for entry in linked)
    if given != after:
        raise InvalidRequest(
            f"The sum of credit amount, refund amount and out of band amount ({given}) must equal the post payment "
            f"credit note amount ({after})."
        )
    note["out_of_band_amount"] = outside or None
    note["refunds"] = linked
    if wanted:
        note["refunds"] = [*linked, *_refund(call, invoice, wanted)]
    if credit:
        _to_balance(call, invoice, note, credit, now)
    _lower(call, invoice, before, after, now)


def _linked(call: Call, invoice: JsonObject, given: list[Any]) -> list[JsonObject]:
    """Refunds that were made before and belong to the note."""
    intents = {payment.get("_intent") for payment in collection.payments_of(call, invoice)}
    found = []
    for position, entry in enumerate(given):
        where = f"refunds[{position}][refund]"
        if entry.get("payment_record_refund"):
            raise InvalidRequest("Refunds of payment records cannot be linked here.", param=where)
        refund = call.get("refund", entry["refund"], param=where)
        if refund["payment_intent"] not in intents:
            raise InvalidRequest(
                f"The refund {refund['id']} is not of a payment of this invoice.", param=where
            )
        amount = entry.get("amount_refunded")
        entry.ignore("type")
        found.append(_shown(refund, refund["amount"] if amount is None else amount))
    return found


def _shown(refund: JsonObject, amount: int) -> JsonObject:
    return {
        "amount_refunded": amount,
        "payment_record_refund": None,
        "refund": refund["id"],
        "type": "refund",
    }


def _refund(call: Call, invoice: JsonObject, amount: int) -> list[JsonObject]:
    """Refund the invoice's charges, oldest first."""
    found = []
    left = amount
    for payment in collection.payments_of(call, invoice):
        intent = call.find("payment_intent", payment.get("_intent"))
        if payment["status"] != "paid" or intent is None or not intent["latest_charge"]:
            continue
        charge = call.get("charge", intent["latest_charge"])
        part = min(left, charge["amount_captured"] - charge["amount_refunded"])
        if part > 0:
            refund = refunds.refund_amount(call, call.edit("charge", charge["id"]), part)
            found.append(_shown(refund, part))
            left -= part
    if left:
        raise InvalidRequest(
            f"The refund amount ({amount}) is more than what can be refunded of the invoice's payments "
            f"({amount - left}).",
            param="refund_amount",
        )
    return found


def _to_balance(call: Call, invoice: JsonObject, note: JsonObject, amount: int, now: int) -> None:
    customer = call.edit("customer", invoice["customer"])
    before = customer["balance"]
    transaction = customer_balance_transactions.post(
        call,
        customer,
        -amount,
        invoice["currency"],
        type="credit_note",
        invoice=invoice["id"],
        credit_note=note["id"],
        created=now,
    )
    note["customer_balance_transaction"] = transaction["id"]
    call.emit("customer.updated", customer, previous={"balance": before})


def _lower(call: Call, invoice: JsonObject, before: int, after: int, now: int) -> None:
    names = (
        "amount_due",
        "amount_remaining",
        "pre_payment_credit_notes_amount",
        "post_payment_credit_notes_amount",
    )
    old = {name: invoice[name] for name in names}
    invoice["pre_payment_credit_notes_amount"] += before
    invoice["post_payment_credit_notes_amount"] += after
    invoice["amount_due"] -= before
    invoice["amount_remaining"] -= before
    changed = {name: value for name, value in old.items() if invoice[name] != value}
    call.emit("invoice.updated", invoice, previous=changed)
    if not before:
        return
    if invoice["amount_remaining"] == 0:
        collection.close_payments(call, invoice, "void_invoice")
        invoicing.mark_paid(call, invoice, now=now)
        return
    payment = collection.default_payment(call, invoice)
    if payment is not None:
        collection.resize(call, invoice, payment)


def raise_again(call: Call, invoice: JsonObject, note: JsonObject) -> None:
    """A voided note no longer lowers its edited invoice."""
    amount = note["pre_payment_amount"]
    old = {name: invoice[name] for name in ("amount_due", "amount_remaining")}
    invoice["pre_payment_credit_notes_amount"] -= amount
    invoice["amount_due"] += amount
    invoice["amount_remaining"] += amount
    call.emit("invoice.updated", invoice, previous=old)
    payment = collection.default_payment(call, invoice)
    if payment is not None:
        collection.resize(call, invoice, payment)
