"""What changed in invoices, invoice lines and items, and subscriptions: most of it in basil.

Fields that basil added stand beside the older ones in older versions too: an addition is not breaking.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.resources.plans import of_price
from trialbalance.twin.wire.versions.base import VersionChange

if TYPE_CHECKING:
    from trialbalance.twin.wire.call import Call

BASIL = "2025-03-31.basil"
CHANGELOG = "https://docs.stripe.com/changelog/basil/2025-03-31/"


def ordered(obj: JsonObject) -> None:
    """Put added fields where the API has them: by name, after `id` and `object`."""
    head = {n: obj[n] for n in ("id", "object") if n in obj}
    rest = {n: obj[n] for n in sorted(obj) if n not in head}
    obj.clear()
    obj.update(head | rest)


def identifier(value: Any) -> Any:
    """The id of a reference, expanded or not."""
    return value.get("id") if isinstance(value, dict) else value


def shown(call: Call, kind: str, found: Any) -> JsonObject | None:
    """An object as the caller's version shows it, by its id."""
    stored = call.find(kind, identifier(found)) if found else None
    return call.twin.render(call, stored) if stored is not None else None


class InvoicesNameTheirPayments(VersionChange):
    """An invoice had one payment intent and one charge, and said whether it was paid; now it has invoice payments."""

    version = BASIL
    description = "Removes `payment_intent`, `charge`, `paid` and `paid_out_of_band` from invoices"
    source = CHANGELOG + "add-support-for-multiple-partial-payments-on-invoices"
    kinds = ("invoice",)
    expands: ClassVar[dict[str, dict[str, list[str]]]] = {
        "invoice": {"payment_intent": ["payment_intent"], "charge": ["charge"]}
    }

    def response(self, call: Call, obj: JsonObject) -> None:
        stored = call.find("invoice", obj.get("id")) or {}
        intent = self._intent(call, obj.get("id"))
        obj["payment_intent"] = intent["id"] if intent else None
        obj["charge"] = identifier(intent["latest_charge"]) if intent else None
        obj["paid"] = obj["status"] == "paid"
        obj["paid_out_of_band"] = bool(stored.get("_paid_out_of_band"))
        obj.setdefault("application_fee_amount", None)
        obj.setdefault("transfer_data", None)
        ordered(obj)

    def _intent(self, call: Call, invoice: str | None) -> JsonObject | None:
        payments = list(call.ledger.all(call.account, "invoice_payment", invoice=invoice)) if invoice else []
        for payment in sorted(payments, key=lambda p: not p["is_default"]):
            found = call.find("payment_intent", identifier(payment["payment"].get("payment_intent")))
            if found is not None and found["status"] != "canceled":
                return found
        return None


class InvoicesHaveAParent(VersionChange):
    """An invoice named its subscription and its quote at the top level."""

    version = BASIL
    description = "Moves `subscription`, `subscription_details` and `quote` of invoices under `parent`"
    source = CHANGELOG + "adds-new-parent-field-to-invoicing-objects"
    kinds = ("invoice",)
    expands: ClassVar[dict[str, dict[str, list[str]]]] = {
        "invoice": {"subscription": ["subscription"], "quote": ["quote"]}
    }

    def response(self, call: Call, obj: JsonObject) -> None:
        parent = obj.get("parent") or {}
        details = parent.get("subscription_details") or {}
        obj["subscription"] = identifier(details.get("subscription"))
        obj["subscription_details"] = {"metadata": details.get("metadata")}
        obj["quote"] = (parent.get("quote_details") or {}).get("quote")
        ordered(obj)


class InvoicesListTheirTaxes(VersionChange):
    """An invoice and its lines had `tax` and tax amounts with rates."""

    version = BASIL
    description = "Replaces `tax`, `total_tax_amounts` and `tax_amounts` with `total_taxes` and `taxes`"
    source = CHANGELOG + "tax-rate-in-tax-amounts"
    kinds = ("invoice", "line_item", "credit_note", "credit_note_line_item")

    def response(self, call: Call, obj: JsonObject) -> None:
        if obj["object"] in ("invoice", "credit_note"):
            taxes = obj.get("total_taxes") or []
            if obj["object"] == "invoice":
                obj["tax"] = sum(t["amount"] for t in taxes) if taxes else None
                obj["total_tax_amounts"] = [self._amount(t) for t in taxes]
            else:
                obj["tax_amounts"] = [self._amount(t) for t in taxes]
        else:
            taxes = obj.get("taxes") or []
            obj["tax_amounts"] = [self._amount(t) for t in taxes]
            rates = [a["tax_rate"] for a in obj["tax_amounts"] if a["tax_rate"]]
            found = [shown(call, "tax_rate", rate) for rate in rates]
            obj["tax_rates"] = [rate for rate in found if rate is not None]
        ordered(obj)

    @staticmethod
    def _amount(tax: JsonObject) -> JsonObject:
        rate = (tax.get("tax_rate_details") or {}).get("tax_rate")
        return {
            "amount": tax["amount"],
            "inclusive": tax.get("tax_behavior") == "inclusive",
            "tax_rate": rate,
            "taxability_reason": tax.get("taxability_reason"),
            "taxable_amount": tax.get("taxable_amount"),
        }


class LinesHaveAParent(VersionChange):
    """An invoice line told its type, subscription, item and proration at the top level."""

    version = BASIL
    description = "Moves `type`, `subscription`, `subscription_item`, `invoice_item` and `proration` of lines under `parent`"
    source = CHANGELOG + "adds-new-parent-field-to-invoicing-objects"
    kinds = ("line_item",)

    def response(self, call: Call, obj: JsonObject) -> None:
        parent = obj.get("parent") or {}
        if "parent" not in obj:
            return
        item = parent.get("invoice_item_details") or {}
        subscription = parent.get("subscription_item_details") or {}
        details = subscription or item
        obj["type"] = "subscription" if parent.get("type") == "subscription_item_details" else "invoiceitem"
        obj["subscription"] = details.get("subscription")
        if subscription.get("subscription_item"):
            obj["subscription_item"] = subscription["subscription_item"]
        if item.get("invoice_item") or subscription.get("invoice_item"):
            obj["invoice_item"] = item.get("invoice_item") or subscription.get("invoice_item")
        obj["proration"] = bool(details.get("proration"))
        obj["proration_details"] = details.get("proration_details") or {"credited_items": None}
        ordered(obj)


class LinesHavePricing(VersionChange):
    """A line and an invoice item held their whole price and plan; now `pricing` names the price."""

    version = BASIL
    description = "Replaces `price`, `plan` and `unit_amount` of lines and invoice items with `pricing`"
    source = CHANGELOG + "adds-new-pricing-field-to-invoicing-objects"
    kinds = ("line_item", "invoiceitem")
    endpoints = ("POST /v1/invoiceitems", "POST /v1/invoiceitems/{invoiceitem}")
    accepts: ClassVar[dict[str, dict[str, Any]]] = {
        "POST /v1/invoiceitems": {"price": "str", "unit_amount": "int"},
        "POST /v1/invoiceitems/{invoiceitem}": {"price": "str", "unit_amount": "int"},
    }

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        if "price" in params:
            params["pricing"] = {"price": params.pop("price")}
        if "unit_amount" in params and "unit_amount_decimal" not in params:
            params["unit_amount_decimal"] = params.pop("unit_amount")

    def response(self, call: Call, obj: JsonObject) -> None:
        pricing = obj.get("pricing")
        if "pricing" not in obj:
            return
        details = (pricing or {}).get("price_details") or {}
        price = shown(call, "price", details.get("price"))
        obj["price"] = price
        stored = call.find("price", identifier(details.get("price"))) if details.get("price") else None
        recurring = stored is not None and stored.get("recurring")
        obj["plan"] = call.twin.render(call, of_price(stored)) if stored is not None and recurring else None
        if obj["object"] == "invoiceitem":
            text = (pricing or {}).get("unit_amount_decimal")
            obj["unit_amount_decimal"] = text
            obj["unit_amount"] = int(text) if text and text.lstrip("-").isdigit() else None
            parent = obj.get("parent") or {}
            subscription = parent.get("subscription_details") or {}
            obj["subscription"] = subscription.get("subscription")
            if subscription.get("subscription_item"):
                obj["subscription_item"] = subscription["subscription_item"]
        else:
            obj["amount_excluding_tax"] = obj.get("subtotal", obj["amount"])
            text = (pricing or {}).get("unit_amount_decimal")
            obj["unit_amount_excluding_tax"] = text
        ordered(obj)


class PreviewsReplaceUpcomingInvoices(VersionChange):
    """The next invoice was asked for as the upcoming one."""

    version = BASIL
    description = "Removes `GET /v1/invoices/upcoming` in favor of previews"
    source = CHANGELOG + "invoice-preview-api-deprecations"
    removes = ("GET /v1/invoices/upcoming",)


class PeriodsBelongToItems(VersionChange):
    """A subscription had one current period; now every item has its own."""

    version = BASIL
    description = "Moves `current_period_start` and `current_period_end` of subscriptions to their items"
    source = CHANGELOG + "deprecate-subscription-current-period-start-and-end"
    kinds = ("subscription",)

    def response(self, call: Call, obj: JsonObject) -> None:
        items = (obj.get("items") or {}).get("data") or []
        starts = [item["current_period_start"] for item in items if item.get("current_period_start")]
        ends = [item["current_period_end"] for item in items if item.get("current_period_end")]
        obj["current_period_start"] = max(starts) if starts else obj.get("start_date")
        obj["current_period_end"] = min(ends) if ends else obj.get("start_date")
        ordered(obj)


class DiscountsReplaceOneDiscount(VersionChange):
    """Subscriptions, customers and invoices had one discount, made with `coupon` or `promotion_code`."""

    version = BASIL
    description = "Removes `coupon` and `promotion_code` from subscriptions, and the single `discount`"
    source = CHANGELOG + "remove-coupon-and-promotion-code"
    kinds = ("subscription", "invoice")
    endpoints = ("POST /v1/subscriptions", "POST /v1/subscriptions/{subscription_exposed_id}")
    accepts: ClassVar[dict[str, dict[str, Any]]] = {
        "POST /v1/subscriptions": {"coupon": "str", "promotion_code": "str"},
        "POST /v1/subscriptions/{subscription_exposed_id}": {"coupon": "str", "promotion_code": "str"},
    }

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        given = {name: params.pop(name) for name in ("coupon", "promotion_code") if name in params}
        if len([v for v in given.values() if v]) > 1:
            raise InvalidRequest(
                "You may only specify one of these parameters: coupon, promotion_code.", param="coupon"
            )
        for name, value in given.items():
            params["discounts"] = [{name: value}] if value else ""

    def response(self, call: Call, obj: JsonObject) -> None:
        found = obj.get("discounts") or []
        discount = shown(call, "discount", found[0]) if len(found) == 1 else None
        expanded = found[0] if found and isinstance(found[0], dict) else None
        obj["discount"] = discount or expanded
        ordered(obj)


class CountsOfLists(VersionChange):
    """A list could be asked for `include[]=total_count`."""

    version = BASIL
    description = "Removes `total_count` from lists"
    source = CHANGELOG + "deprecate-total-count"
    accepts: ClassVar[dict[str, dict[str, Any]]] = {
        name: {"include": {"array": "str"}}
        for name in (
            "GET /v1/customers",
            "GET /v1/subscriptions",
            "GET /v1/invoices",
            "GET /v1/charges",
            "GET /v1/payment_intents",
            "GET /v1/products",
            "GET /v1/prices",
            "GET /v1/invoiceitems",
            "GET /v1/refunds",
            "GET /v1/events",
        )
    }

    def refusal(self, name: str) -> InvalidRequest:
        """400 property_forbidden."""
        return InvalidRequest(
            "The `total_count` property is no longer supported. Remove `include[]=total_count` from the request.",
            param="include",
            code="property_forbidden",
        )
