"""Invoice items: single charges and credits that wait for an invoice or are put on a draft.

Source: https://docs.stripe.com/api/invoiceitems
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.billing import discounting, invoicing, pending, totals
from trialbalance.twin.billing.lines import name_of, pricing_of
from trialbalance.twin.billing.money import decimal_text, fraction, half_up
from trialbalance.twin.billing.pricing import CurrencyMissing, amount_of
from trialbalance.twin.currencies import check_currency
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources import customer_balance_transactions, prices
from trialbalance.twin.wire.call import Call, endpoint
from trialbalance.twin.wire.validate import Params

KIND = "invoiceitem"
LIMIT = 250
"""So many pending items a customer can have."""


@endpoint("POST /v1/invoiceitems")
def create(call: Call) -> JsonObject:
    """A new item: on a draft (`invoice`), or pending for the customer's next invoice."""
    params = call.params
    if not params.get("customer") and not params.get("customer_account"):
        raise InvalidRequest("Missing required param: customer.", param="customer", code="parameter_missing")
    call.require("customer")
    customer = call.get("customer", params["customer"], param="customer")
    invoice = None
    if params.get("invoice"):
        invoice = call.edit(invoicing.KIND, params["invoice"], param="invoice")
        _editable(invoice)
        if invoice["customer"] != customer["id"]:
            raise InvalidRequest(
                f"The invoice `{invoice['id']}` does not belong to this customer.", param="invoice"
            )
    subscription = None
    if params.get("subscription"):
        subscription = call.get("subscription", params["subscription"], param="subscription")
        if subscription["customer"] != customer["id"]:
            raise InvalidRequest(
                f"The subscription `{subscription['id']}` does not belong to this customer.",
                param="subscription",
            )
    found = priced(call, params, invoice=invoice, customer=customer)
    if invoice is not None and found["currency"] != invoice["currency"]:
        if invoice["_lines"] or invoice.get("_currency_given"):
            raise InvalidRequest(
                f"The currency `{found['currency']}` of the item does not match the invoice's "
                f"`{invoice['currency']}`.",
                param="currency",
            )
        invoice["currency"] = found["currency"]
    item = make(
        call,
        customer,
        **found,
        description=params.get("description"),
        period=params.plain("period"),
        subscription=subscription["id"] if subscription else None,
    )
    _describe(call, item, params, customer)
    if invoice is not None:
        invoicing.take_item(call, invoice, item)
        before = {name: invoice[name] for name in ("amount_due", "subtotal", "total")}
        totals.refresh(call, invoice)
        call.emit("invoiceitem.created", item)
        call.emit("invoice.updated", invoice, previous=before)
        return item
    if len(pending.of(call, customer["id"])) > LIMIT:
        raise InvalidRequest(f"A customer can have at most {LIMIT} pending invoice items.")
    call.emit("invoiceitem.created", item)
    return item


def make(
    call: Call,
    customer: JsonObject,
    *,
    amount: int,
    currency: str,
    pricing: JsonObject | None,
    quantity: int = 1,
    quantity_decimal: str | None = None,
    description: str | None = None,
    period: JsonObject | None = None,
    discountable: bool | None = None,
    proration: bool = False,
    parent: JsonObject | None = None,
    subscription: str | None = None,
    waits: bool = True,
    **fields: Any,
) -> JsonObject:
    """Store an item; it waits for an invoice unless `waits` is false. Emits nothing.

    The first one gives its customer a currency; later ones may be in others.
    Source: https://docs.stripe.com/invoicing/multi-currency-customers
    """
    if customer["currency"] is None:
        owner = call.edit("customer", customer["id"])
        customer_balance_transactions.fix_currency(owner, currency)
    now = call.now_of(customer)
    item = call.new(
        KIND,
        "ii",
        amount=amount,
        currency=currency,
        customer=customer["id"],
        date=now,
        description=description,
        discountable=discountable if discountable is not None else amount >= 0 and not proration,
        discounts=[],
        frozen_fields=["pricing", "quantity", "discounts"] if proration else [],
        invoicing_rules=[],
        parent=parent,
        period=period or {"end": now, "start": now},
        pricing=pricing,
        proration=proration,
        quantity=quantity,
        quantity_decimal=quantity_decimal or decimal_text(quantity),
        tax_rates=[],
        test_clock=customer["test_clock"],
    )
    item |= fields
    if subscription is not None:
        item["_subscription"] = subscription
    item = {n: item[n] for n in ("id", "object", *sorted(set(item) - {"id", "object"}))}
    call.insert(item)
    if waits:
        pending.add(call, item)
    return item


def priced(
    call: Call, params: Params, *, invoice: JsonObject | None, customer: JsonObject | None, path: str = ""
) -> JsonObject:
    """Amount, currency, pricing and quantity that `amount`, `pricing`, `price_data` or `unit_amount_decimal` mean."""
    sent = [
        n
        for n in ("amount", "pricing", "price_data", "unit_amount_decimal")
        if dict.get(params, n) is not None
    ]
    if len(sent) > 1:
        raise InvalidRequest(
            f"You may only specify one of these parameters: {', '.join(sent)}.", param=sent[0]
        )
    quantity = params.get("quantity", 1)
    exact = params.get("quantity_decimal")
    default = (invoice or {}).get("currency") or (customer or {}).get("currency")
    currency = check_currency(params.get("currency") or default or call.twin.config.currency)
    if not sent:
        raise InvalidRequest(
            "You must specify one of `amount`, `pricing`, `price_data` or `unit_amount_decimal`.",
            param=f"{path}[amount]" if path else "amount",
        )
    times: tuple[int, int] = fraction(exact) if exact is not None else (quantity, 1)
    if sent[0] == "amount":
        if "quantity" in params and quantity != 1:
            raise InvalidRequest(
                "You may only specify one of these parameters: amount, quantity.", param="amount"
            )
        amount = params["amount"]
        price = hidden_price(call, params.get("description"), str(amount), currency)
        return {"amount": amount, "currency": currency, "pricing": pricing_of(price), "quantity": 1}
    if sent[0] == "unit_amount_decimal":
        unit = params["unit_amount_decimal"]
        price = hidden_price(call, params.get("description"), decimal_text(unit), currency)
        numerator, denominator = fraction(unit)
        amount = half_up(numerator * times[0], denominator * times[1])
    elif sent[0] == "price_data":
        data = params["price_data"]
        where = f"{path}[price_data]" if path else "price_data"
        price = prices.inline(call, data, path=where, negative=True)
        currency = price["currency"]
        numerator, denominator = fraction(price["unit_amount_decimal"] or 0)
        amount = half_up(numerator * times[0], denominator * times[1])
    else:
        where = f"{path}[pricing][price]" if path else "pricing[price]"
        price = call.get("price", params["pricing"]["price"], param=where)
        if price["recurring"] is not None:
            raise InvalidRequest(
                "The price specified is set to `type=recurring` but this field only accepts prices with "
                "`type=one_time`.",
                param=where,
            )
        if not price["active"]:
            raise InvalidRequest(f"The price specified is inactive: {price['id']}.", param=where)
        if not params.get("currency") and not invoice:
            currency = price["currency"] if not default or default not in _currencies(price) else default
        try:
            amount = amount_of(price, quantity, currency=currency)
        except CurrencyMissing:
            raise InvalidRequest(
                f"The price specified only supports `{price['currency']}`. This doesn't match the expected currency: "
                f"`{currency}`.",
                param=where,
            ) from None
    return {
        "amount": amount,
        "currency": currency,
        "pricing": pricing_of(price, currency),
        "quantity": quantity,
        "quantity_decimal": decimal_text(exact) if exact is not None else None,
    }


def priced_preview(call: Call, params: Params, customer: JsonObject, path: str) -> JsonObject:
    """As `priced`, for the items of a preview, which also take a plain `price` and `unit_amount`."""
    if params.get("price"):
        price = call.get("price", params["price"], param=f"{path}[price]")
        currency = params.get("currency") or price["currency"]
        quantity = params.get("quantity", 1)
        return {
            "amount": amount_of(price, quantity, currency=currency),
            "currency": currency,
            "pricing": pricing_of(price, currency),
            "quantity": quantity,
        }
    if params.get("unit_amount") is not None:
        dict.__setitem__(params, "unit_amount_decimal", str(params["unit_amount"]))
    return priced(call, params, invoice=None, customer=customer, path=path)


def _currencies(price: JsonObject) -> set[str]:
    return {price["currency"], *price["_currency_options"]}


def hidden_price(
    call: Call, description: str | None, unit: str, currency: str, *, product: str | None = None
) -> JsonObject:
    """The inactive one-time price behind an amount; the same amount and words share one."""
    key = f"{product or description}/{unit}/{currency}"
    kept = call.find("hidden_price", key)
    if kept is not None:
        return call.get("price", kept["price"])
    if product is None:
        named = call.find("hidden_product", description or "-")
        if named is None:
            made = call.new(
                "product",
                "prod",
                active=False,
                images=[],
                marketing_features=[],
                name=description or "Invoice item",
                type="service",
                updated=call.now,
            )
            made["_hidden"] = True
            call.insert(made)
            named = call.insert(
                {"id": description or "-", "object": "hidden_product", "product_id": made["id"]}
            )
        product = named["product_id"]
    params = Params()
    for name, value in (("currency", currency), ("unit_amount_decimal", unit.lstrip("-"))):
        dict.__setitem__(params, name, value)
    price = prices.build(call, str(product), params, active=False)
    if unit.startswith("-"):
        numerator, denominator = fraction(unit)
        price["unit_amount_decimal"] = unit
        price["unit_amount"] = numerator if denominator == 1 else None
    price["_hidden"] = True
    call.insert({"id": key, "object": "hidden_price", "price": price["id"]})
    return price


def _describe(call: Call, item: JsonObject, params: Params, customer: JsonObject) -> None:
    """Discountable, discounts, tax rates, metadata."""
    if "discountable" in params:
        item["discountable"] = params["discountable"]
    if "discounts" in params:
        item["discounts"] = discounting.apply(
            call,
            params["discounts"],
            path="discounts",
            currency=item["currency"],
            customer=customer["id"],
            now=call.now_of(customer),
            known=item["discounts"] or (),
            invoice_item=item["id"],
        )
    if "tax_rates" in params:
        item["tax_rates"] = [
            call.get("tax_rate", name, param="tax_rates") for name in params["tax_rates"] or ()
        ]
    _tax_behavior(call, item, params)
    call.merge_metadata(item, params)
    if item["description"] is None and item["pricing"] and "amount" not in params:
        item["description"] = name_of(call, item["pricing"]["price_details"]["product"])


def _tax_behavior(call: Call, item: JsonObject, params: Params) -> None:
    """`tax_behavior` and `tax_code` only matter to automatic tax: they are kept for it."""
    for name in ("tax_behavior", "tax_code"):
        if name in params:
            item[f"_{name}"] = params[name] or None


def _editable(invoice: JsonObject) -> None:
    if invoice["status"] != "draft":
        raise InvalidRequest(
            "You can only add invoice items to draft invoices. This invoice is no longer editable.",
            param="invoice",
            code="invoice_not_editable",
        )


def _missing(identifier: str) -> NotFound:
    error = NotFound(KIND, identifier, in_path=True)
    error.message = f"No such Invoice Item: '{identifier}'(livemode=false)"
    return error


@endpoint("GET /v1/invoiceitems/{invoiceitem}")
def retrieve(call: Call) -> JsonObject:
    """One item."""
    found = call.find(KIND, call.path["invoiceitem"])
    if found is None:
        raise _missing(call.path["invoiceitem"])
    return found


@endpoint("POST /v1/invoiceitems/{invoiceitem}")
def update(call: Call) -> JsonObject:
    """Change an item whose invoice is not finalized."""
    identifier = call.path["invoiceitem"]
    if identifier in call.ledger.table(call.account, KIND).deleted:
        raise InvalidRequest("This invoice item has been deleted.")
    if call.find(KIND, identifier) is None:
        raise _missing(identifier)
    item = call.edit(KIND, identifier)
    invoice = call.edit(invoicing.KIND, item["invoice"]) if item["invoice"] else None
    if invoice is not None and invoice["status"] != "draft":
        raise InvalidRequest(
            "Can't update an invoice item that is attached to an invoice that is no longer editable",
            code="invoice_not_editable",
        )
    change(call, item, call.params, invoice)
    return item


def change(
    call: Call, item: JsonObject, params: Params, invoice: JsonObject | None, *, path: str = ""
) -> None:
    """Write new values into an edited item and the line it has on a draft."""
    customer = call.get("customer", item["customer"])
    call_assign(item, params, "description")
    if params.get("period"):
        item["period"] = params.plain("period")
    if "invoicing_rules" in params:
        item["invoicing_rules"] = params.plain("invoicing_rules") or []
    repriced = any(
        n in params
        for n in ("amount", "pricing", "price_data", "unit_amount_decimal", "quantity", "quantity_decimal")
    )
    if repriced:
        if item["proration"]:
            raise InvalidRequest(
                "You cannot change the pricing or the quantity of a proration.", param="amount"
            )
        item |= _repriced(call, item, params, path)
    _describe(call, item, params, customer)
    call.ledger.reindex(call.account, KIND, item)
    if invoice is not None:
        from trialbalance.twin.billing import lines

        old = call.edit(totals.LINE, item["_line"])
        fresh = lines.of_item(call, invoice["id"], item)
        fresh["id"] = old["id"]
        old.clear()
        old.update(fresh)
        totals.refresh(call, invoice)


def call_assign(obj: JsonObject, params: Params, *names: str) -> None:
    """Copy sent parameters into fields of the same name; an emptied one becomes null."""
    for name in names:
        if dict.__contains__(params, name):
            value = params.plain(name)
            obj[name] = None if value == "" else value


def _repriced(call: Call, item: JsonObject, params: Params, path: str) -> JsonObject:
    quantity = params.get("quantity", item["quantity"])
    exact = params.get("quantity_decimal")
    if any(n in params for n in ("amount", "pricing", "price_data", "unit_amount_decimal")):
        product = item["pricing"]["price_details"]["product"] if item["pricing"] else None
        if "amount" in params or "unit_amount_decimal" in params:
            exactly = "amount" not in params
            unit = decimal_text(params["unit_amount_decimal"] if exactly else params["amount"])
            price = hidden_price(call, None, unit, item["currency"], product=product)
            numerator, denominator = fraction(unit)
            times = quantity if exactly else 1
            return {
                "amount": half_up(numerator * times, denominator),
                "pricing": pricing_of(price),
                "quantity": times,
                "quantity_decimal": decimal_text(times),
            }
        found = priced(call, params, invoice={"currency": item["currency"]}, customer=None, path=path)
        if found["quantity_decimal"] is None:
            found["quantity_decimal"] = decimal_text(found["quantity"])
        return found
    details = item["pricing"]["price_details"]
    price = call.get("price", details["price"])
    if exact is not None:
        numerator, denominator = fraction(price["unit_amount_decimal"] or 0)
        times_n, times_d = fraction(exact)
        return {
            "amount": half_up(numerator * times_n, denominator * times_d),
            "quantity_decimal": decimal_text(exact),
        }
    return {
        "amount": amount_of(price, quantity, currency=item["currency"]),
        "quantity": quantity,
        "quantity_decimal": decimal_text(quantity),
    }


@endpoint("DELETE /v1/invoiceitems/{invoiceitem}")
def delete(call: Call) -> JsonObject:
    """Delete an item that is pending or on a draft."""
    identifier = call.path["invoiceitem"]
    if identifier in call.ledger.table(call.account, KIND).deleted:
        raise InvalidRequest(
            "Can't delete an invoice item that is attached to an invoice that is no longer editable"
        )
    item = call.find(KIND, identifier)
    if item is None:
        raise _missing(identifier)
    invoice = call.edit(invoicing.KIND, item["invoice"]) if item["invoice"] else None
    if invoice is not None and invoice["status"] != "draft":
        raise InvalidRequest(
            "Can't delete an invoice item that is attached to an invoice that is no longer editable"
        )
    remove(call, item, invoice)
    return call.deleted_stub(item)


def remove(call: Call, item: JsonObject, invoice: JsonObject | None) -> None:
    """Delete an item and its line on an edited draft."""
    if invoice is None:
        pending.remove(call, item)
    else:
        invoice["_lines"].remove(item["_line"])
        call.delete(totals.LINE, item["_line"])
    call.delete(KIND, item["id"])
    if invoice is not None:
        totals.refresh(call, invoice)
    call.emit("invoiceitem.deleted", item)


@endpoint("GET /v1/invoiceitems")
def list_(call: Call) -> JsonObject:
    """Items, newest first; `created` means their `date`."""
    params = call.params
    where: JsonObject = {
        "customer": params.get("customer"),
        "customer_account": params.get("customer_account"),
        "invoice": params.get("invoice"),
    }
    if "created" in params:
        where["date"] = params.plain("created")
        dict.pop(params, "created")
    waiting = params.get("pending")
    if waiting is None:
        return call.list(KIND, where=where)
    return call.list(KIND, where=where, keep=lambda item: (item["invoice"] is None) == waiting)
