"""Customers: who pays, where they live, how they are billed.

Deleting a customer leaves a stub, detaches its payment methods and lets billing end its subscriptions (billing
reacts to `customer.deleted`). Customers on a test clock are listed only when the clock is named.
Source: https://docs.stripe.com/api/customers
"""

from __future__ import annotations

import re

from trialbalance.twin import addresses
from trialbalance.twin.billing import customer_discounts
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources import (
    customer_balance_transactions,
    payment_methods,
    sources,
    tax_ids,
    test_clocks,
)
from trialbalance.twin.wire.call import Call, endpoint, included, own_endpoint
from trialbalance.twin.wire.search import search as search_objects

SEARCHABLE = {
    "created": "numeric",
    "email": "token",
    "metadata": "metadata",
    "name": "token",
    "phone": "token",
}
_PREFIX = re.compile(r"[A-Z0-9]{1,12}")


@endpoint("POST /v1/customers")
def create(call: Call) -> JsonObject:
    """A new customer; `payment_method` is attached, `source` becomes the default source."""
    params = call.params
    clock = params.get("test_clock")
    if clock:
        call.get("test_helpers.test_clock", clock, param="test_clock")
    customer = call.new(
        "customer",
        "cus",
        balance=0,
        delinquent=False,
        invoice_prefix=call.twin.ids.random(8, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
        next_invoice_sequence=1,
        preferred_locales=[],
        tax_exempt="none",
        test_clock=clock or None,
        invoice_settings={
            "custom_fields": None,
            "default_payment_method": None,
            "footer": None,
            "rendering_options": None,
        },
    )
    customer["created"] = call.now_of(customer)
    call.insert(customer)
    if clock:
        test_clocks.make_room(call, clock)
    _describe(call, customer)
    call.emit("customer.created", customer)
    customer_discounts.write(call, customer)
    attached = None
    if params.get("payment_method"):
        attached = payment_methods.attach_to(
            call, params["payment_method"], customer["id"], param="payment_method"
        )
    _settle_default(call, customer, attached)
    if params.get("source"):
        sources.give(call, customer, params["source"], param="source", default=True)
    for item in params.get("tax_id_data") or []:
        tax_ids.make(call, type=item["type"], value=item["value"], customer=customer["id"])
    if customer["balance"]:
        customer_balance_transactions.opening(call, customer)
    return customer


@endpoint("GET /v1/customers/{customer}")
def retrieve(call: Call) -> JsonObject:
    """One customer; a deleted one answers its stub."""
    gone = call.ledger.table(call.account, "customer").deleted.get(call.path["customer"])
    if gone is not None:
        return call.deleted_stub(gone)
    return call.get("customer", call.path["customer"])


@endpoint("POST /v1/customers/{customer}")
def update(call: Call) -> JsonObject:
    """Change what was sent."""
    customer = call.edit("customer", call.path["customer"])
    before = customer["balance"]
    _describe(call, customer)
    customer_discounts.write(call, customer)
    _settle_default(call, customer)
    if call.params.get("source"):
        sources.give(call, customer, call.params["source"], param="source", default=True)
    if call.params.get("default_source"):
        sources.make_default(call, customer, call.params["default_source"])
    if customer["balance"] != before:
        customer_balance_transactions.adjusted(call, customer, before)
    call.emit("customer.updated", customer)
    return customer


@endpoint("DELETE /v1/customers/{customer}")
def delete(call: Call) -> JsonObject:
    """Delete for good: the event shows the customer as it was; the answer is a stub.

    Source: https://docs.stripe.com/api/customers/delete
    """
    customer = call.delete("customer", call.path["customer"])
    payment_methods.detach_all(call, customer["id"])
    call.emit("customer.deleted", customer)
    return call.deleted_stub(customer)


@endpoint("GET /v1/customers")
def list_(call: Call) -> JsonObject:
    """Customers, newest first; those on a test clock only when it is named."""
    clock = call.params.get("test_clock") or None
    if clock:
        call.get("test_helpers.test_clock", clock, param="test_clock")
    return call.list(
        "customer",
        where={"email": call.params.get("email"), "test_clock": clock},
        keep=None if clock else lambda customer: customer["test_clock"] is None,
    )


@endpoint("GET /v1/customers/search")
def search(call: Call) -> JsonObject:
    """Customers by a query on name, email, phone, created and metadata.

    Source: https://docs.stripe.com/search#query-fields-for-customers
    """
    return search_objects(call, "customer", SEARCHABLE)


@endpoint("DELETE /v1/customers/{customer}/discount")
def delete_discount(call: Call) -> JsonObject:
    """Take the customer's discount away.

    Source: https://docs.stripe.com/api/discounts/delete
    """
    customer = call.edit("customer", call.path["customer"])
    discount = customer["discount"]
    if discount is None:
        raise InvalidRequest(f"No active discount for customer: {customer['id']}", code="resource_missing")
    customer["discount"] = None
    call.emit("customer.discount.deleted", discount)
    return {**discount, "deleted": True}


@own_endpoint(
    "GET /v1/customers/{customer}/discount", {"hash": {"expand": {"array": "str"}}}, {"ref": "discount"}
)
def retrieve_discount(call: Call) -> JsonObject:
    """The customer's active discount."""
    discount = call.get("customer", call.path["customer"])["discount"]
    if discount is None:
        raise NotFound("discount", call.path["customer"])
    found: JsonObject = discount
    return found


def _describe(call: Call, customer: JsonObject) -> None:
    """Copy what was sent into the customer, checking each thing."""
    params = call.params
    if params.get("email"):
        addresses.email(params["email"])
    call.assign(customer, "email", "name", "phone", "description", "business_name", "individual_name")
    if "preferred_locales" in params:
        customer["preferred_locales"] = params.plain("preferred_locales")
    if "tax_exempt" in params:
        customer["tax_exempt"] = params["tax_exempt"] or "none"
    if "address" in params:
        customer["address"] = addresses.address(params.plain("address"))
    if "shipping" in params:
        customer["shipping"] = addresses.shipping(params.plain("shipping"))
    if "balance" in params:
        customer["balance"] = params["balance"]
    if "invoice_prefix" in params:
        customer["invoice_prefix"] = _prefix(call, customer, params["invoice_prefix"])
    if "next_invoice_sequence" in params:
        customer["next_invoice_sequence"] = params["next_invoice_sequence"]
    if params.get("tax"):
        customer["_tax"] = {**customer.get("_tax", {}), **params.plain("tax")}
        customer["_tax"].pop("validate_location", None)
    if params.get("cash_balance"):
        mode = (params.plain("cash_balance").get("settings") or {}).get("reconciliation_mode")
        customer["_reconciliation"] = mode or customer.get("_reconciliation", "merchant_default")
    params.ignore("validate")  # cards given as `source` are always validated in test mode
    call.merge_metadata(customer)
    settings = params.plain("invoice_settings") or {}
    for name in ("custom_fields", "footer", "rendering_options"):
        if name in settings:
            customer["invoice_settings"][name] = settings[name] or None


def _prefix(call: Call, customer: JsonObject, wanted: str) -> str:
    """A prefix for the numbers of a customer's invoices, which no other customer has.

    Raises:
        InvalidRequest: it has another form, or another customer has it.
    """
    if not _PREFIX.fullmatch(wanted):
        raise InvalidRequest("Invoice number prefix must be 1–12 uppercase letters or numbers.")
    for other in call.ledger.all(call.account, "customer", invoice_prefix=wanted):
        if other["id"] != customer["id"]:
            raise InvalidRequest(
                f"This invoice number prefix is taken by customer: {other['id']}. Please enter a different prefix.",
                param="invoice_prefix",
            )
    return wanted


def _settle_default(call: Call, customer: JsonObject, attached: JsonObject | None = None) -> None:
    """Set `invoice_settings.default_payment_method`, which must be attached to the customer.

    A test method such as `pm_card_visa` that the same request attaches names the method that came of it.
    """
    settings = call.params.plain("invoice_settings") or {}
    if "default_payment_method" not in settings:
        return
    wanted = settings["default_payment_method"] or None
    if attached is not None and wanted == call.params.get("payment_method"):
        wanted = attached["id"]
    if wanted is not None:
        method = payment_methods.find(call, wanted)
        if method is None:
            raise NotFound("payment_method", wanted, param="invoice_settings[default_payment_method]")
        if method["customer"] != customer["id"]:
            raise InvalidRequest(
                f"The customer does not have a payment method with the ID {wanted}. The payment method must be "
                "attached to the customer.",
                param="invoice_settings[default_payment_method]",
                code="resource_missing",
            )
    customer["invoice_settings"]["default_payment_method"] = wanted


# What shows only when asked for


@included("customer", "tax")
def _tax(call: Call, customer: JsonObject) -> JsonObject:
    """Where automatic tax would place the customer.

    Source: https://docs.stripe.com/api/customers/object#customer_object-tax
    """
    stored = call.find("customer", customer["id"]) or customer
    address = stored.get("shipping") and (stored["shipping"].get("address") or {})
    source = "shipping_destination"
    if not (address and address.get("country")):
        address, source = stored.get("address") or {}, "billing_address"
    location = None
    if address.get("country"):
        location = {"country": address["country"], "source": source, "state": address.get("state")}
    return {
        "automatic_tax": "supported" if location else "unrecognized_location",
        "ip_address": (stored.get("_tax") or {}).get("ip_address"),
        "location": location,
        "provider": "stripe",
    }


@included("customer", "invoice_credit_balance")
def _credit(call: Call, customer: JsonObject) -> JsonObject:
    """The balance by currency."""
    currency = customer.get("currency")
    return {currency: customer.get("balance", 0)} if currency else {}
