"""Names that changed: fields of invoices, subscriptions, schedules and products that were called otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trialbalance.twin.errors import JsonObject, NotBuilt
from trialbalance.twin.wire.versions.base import VersionChange
from trialbalance.twin.wire.versions.billing import ordered

if TYPE_CHECKING:
    from trialbalance.twin.wire.call import Call

CHANGELOG = "https://docs.stripe.com/changelog/"


def rename(obj: dict[str, Any], old: str, new: str) -> None:
    """Move a key, where it is there."""
    if old in obj:
        obj[new] = obj.pop(old)


class ProductFeatures(VersionChange):
    """A product's `marketing_features` were its `features`."""

    version = "2024-04-10"
    description = "Renames `features` of products to `marketing_features`"
    source = CHANGELOG + "2024-04-10/renames-features-attribute-product-object"
    kinds = ("product",)
    endpoints = ("POST /v1/products", "POST /v1/products/{id}")

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        rename(params, "features", "marketing_features")

    def response(self, call: Call, obj: JsonObject) -> None:
        rename(obj, "marketing_features", "features")
        ordered(obj)


class InvoiceRendering(VersionChange):
    """An invoice's `rendering` was its `rendering_options`."""

    version = "2024-04-10"
    description = "Renames `rendering_options` of invoices to `rendering`"
    source = CHANGELOG + "2024-04-10/renames-rendering-options-invoicing"
    kinds = ("invoice",)
    endpoints = ("POST /v1/invoices", "POST /v1/invoices/{invoice}")

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        rename(params, "rendering_options", "rendering")

    def response(self, call: Call, obj: JsonObject) -> None:
        rename(obj, "rendering", "rendering_options")
        ordered(obj)


class TaxPercent(VersionChange):
    """Invoices and subscriptions had a `tax_percent` beside tax rates. Sending one is not built, and says so."""

    version = "2020-08-27"
    description = "Removes `tax_percent` of invoices and subscriptions"
    source = CHANGELOG + "2020-08-27/removes-tax-percent-attribute"
    kinds = ("invoice", "subscription")
    endpoints = (
        "POST /v1/subscriptions",
        "POST /v1/subscriptions/{subscription_exposed_id}",
        "POST /v1/invoices",
        "POST /v1/invoices/{invoice}",
    )

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        if params.pop("tax_percent", "") != "":
            raise NotBuilt(f"the parameter 'tax_percent' of {endpoint}", param="tax_percent")

    def response(self, call: Call, obj: JsonObject) -> None:
        obj["tax_percent"] = None
        ordered(obj)


class InvoiceDates(VersionChange):
    """An invoice was made at its `date`, and told `finalized_at` at the top level."""

    version = "2019-03-14"
    description = (
        "Renames `date` of invoices to `created`, and moves `finalized_at` into `status_transitions`"
    )
    source = CHANGELOG + "2019-03-14/renames-date-field-invoices-created"
    kinds = ("invoice",)

    def response(self, call: Call, obj: JsonObject) -> None:
        rename(obj, "created", "date")
        obj["finalized_at"] = (obj.get("status_transitions") or {}).get("finalized_at")
        ordered(obj)


class InvoiceApplicationFee(VersionChange):
    """The application fee of an invoice was an amount under another name."""

    version = "2019-03-14"
    description = "Renames `application_fee` of invoices to `application_fee_amount`"
    source = CHANGELOG + "2019-03-14/renames-application-fee-invoices-application-fee-amount"
    kinds = ("invoice",)
    endpoints = ("POST /v1/invoices", "POST /v1/invoices/{invoice}")

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        rename(params, "application_fee", "application_fee_amount")

    def response(self, call: Call, obj: JsonObject) -> None:
        rename(obj, "application_fee_amount", "application_fee")
        ordered(obj)
