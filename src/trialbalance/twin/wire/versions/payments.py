"""What changed in PaymentIntents, SetupIntents, charges and refunds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.resources.three_d_secure import failure
from trialbalance.twin.wire.call import INCLUDED
from trialbalance.twin.wire.lists import embedded
from trialbalance.twin.wire.versions.base import VersionChange

if TYPE_CHECKING:
    from trialbalance.twin.wire.call import Call

INTENTS = ("POST /v1/payment_intents", "POST /v1/setup_intents")
CHANGES = (
    "POST /v1/payment_intents",
    "POST /v1/payment_intents/{intent}",
    "POST /v1/payment_intents/{intent}/confirm",
)


class InvoiceOfPayments(VersionChange):
    """A payment intent and a charge named their invoice; now invoice payments do."""

    version = "2025-03-31.basil"
    description = "Removes `invoice` from PaymentIntents and charges"
    source = "https://docs.stripe.com/changelog/basil/2025-03-31/add-support-for-multiple-partial-payments-on-invoices"
    kinds = ("payment_intent", "charge")
    expands: ClassVar[dict[str, dict[str, list[str]]]] = {
        "payment_intent": {"invoice": ["invoice"]},
        "charge": {"invoice": ["invoice"]},
    }

    def response(self, call: Call, obj: JsonObject) -> None:
        stored = call.ledger.find(call.account, obj["object"], obj.get("id", "")) or {}
        found = stored.get("_invoice")
        if found is None and stored.get(
            "payment_intent"
        ):  # attached to the invoice after it had been charged
            intent = call.ledger.find(call.account, "payment_intent", stored["payment_intent"]) or {}
            found = intent.get("_invoice")
        obj["invoice"] = found


class AsynchronousCapture(VersionChange):
    """Capture was synchronous unless asked otherwise: a charge had its balance transaction at once."""

    version = "2024-04-10"
    description = "The default of `capture_method` is automatic_async"
    source = "https://docs.stripe.com/changelog/2024-04-10/capture-method-default-value"
    endpoints = ("POST /v1/payment_intents",)

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        params.setdefault("capture_method", "automatic")


class DynamicPaymentMethodsByDefault(VersionChange):
    """Without a word about payment methods an intent took cards."""

    version = "2023-08-16"
    description = "Automatic payment methods are on by default, and confirming may need a return_url"
    source = "https://docs.stripe.com/changelog/2023-08-16/automatic-payment-methods"
    endpoints = INTENTS
    SAID = (
        "payment_method_types",
        "automatic_payment_methods",
        "payment_method_configuration",
        "allowed_payment_method_types",
    )

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        if not any(name in params for name in self.SAID):
            params["payment_method_types"] = ["card"]


class FailuresOfKlarna(VersionChange):
    """A payment by Klarna that failed did not say why."""

    version = "2023-08-16"
    description = "Adds error codes of its own to failed Klarna payments"
    source = "https://docs.stripe.com/changelog/2023-08-16/klarna-payment-failure-error-code"
    kinds = ("payment_intent",)

    def response(self, call: Call, obj: JsonObject) -> None:
        error = obj.get("last_payment_error") or {}
        if error.get("code") == "payment_method_customer_decline":
            obj["last_payment_error"] = {
                **error,
                **{name: value for name, value in failure("payment_intent").items() if name in error},
            }


class ChargesOfIntents(VersionChange):
    """A payment intent held the list of its charges."""

    version = "2022-11-15"
    description = "Removes `charges` from PaymentIntents; `latest_charge` names the last one"
    source = "https://docs.stripe.com/changelog/2022-11-15/removes-charges-attribute-paymentintent"
    kinds = ("payment_intent",)

    def response(self, call: Call, obj: JsonObject) -> None:
        found = list(call.ledger.all(call.account, "charge", payment_intent=obj["id"]))
        found.reverse()
        shown = [call.twin.versions.render(call, call.version, charge) for charge in found[:10]]
        listed = embedded(shown, f"/v1/charges?payment_intent={obj['id']}", total=True)
        obj["charges"] = {**listed, "has_more": len(found) > 10, "total_count": len(found)}


class RefundsOfCharges(VersionChange):
    """A charge held the list of its refunds without being asked."""

    version = "2022-11-15"
    description = "`refunds` of charges appears only on expansion"
    source = "https://docs.stripe.com/changelog/2022-11-15/no-longer-auto-expands-refunds"
    kinds = ("charge",)

    def response(self, call: Call, obj: JsonObject) -> None:
        if "refunds" not in obj:
            listed = INCLUDED[("charge", "refunds")](call, obj)
            shown = [call.twin.versions.render(call, call.version, refund) for refund in listed["data"]]
            obj["refunds"] = {**listed, "data": shown}


class ThreeDSecureOfCharges(VersionChange):
    """3-D Secure details said `authenticated` and `succeeded` instead of a `result`."""

    version = "2020-08-27"
    description = "3-D Secure details of charges have a result and an authentication flow"
    source = "https://docs.stripe.com/changelog/2020-08-27/updates-3d-scure-charge-object"
    kinds = ("charge",)

    def response(self, call: Call, obj: JsonObject) -> None:
        card = (obj.get("payment_method_details") or {}).get("card") or {}
        secure = card.get("three_d_secure")
        if secure:
            card["three_d_secure"] = {
                "authenticated": secure["result"] == "authenticated",
                "succeeded": secure["result"] in ("authenticated", "attempt_acknowledged"),
                "version": secure["version"],
            }


class SourceNamesOfIntents(VersionChange):
    """Payment intents spoke of sources: states, the next action, the allowed types.

    Source: https://docs.stripe.com/changelog/2019-02-11
    """

    version = "2019-02-11"
    description = "Renames source words of PaymentIntents to payment methods and actions"
    source = "https://docs.stripe.com/changelog/2019-02-11/renames-several-statuses-payment-intents"
    kinds = ("payment_intent",)
    endpoints = CHANGES
    accepts: ClassVar[dict[str, dict[str, Any]]] = {
        name: {"allowed_source_types": {"array": "str"}, "save_source_to_customer": "bool"}
        for name in CHANGES
    }
    STATES: ClassVar[dict[str, str]] = {
        "requires_payment_method": "requires_source",
        "requires_action": "requires_source_action",
    }

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        if "allowed_source_types" in params:
            params["payment_method_types"] = params.pop("allowed_source_types")
        if params.pop("save_source_to_customer", None) in (True, "true"):
            params["setup_future_usage"] = "off_session"

    def response(self, call: Call, obj: JsonObject) -> None:
        obj["status"] = self.STATES.get(obj["status"], obj["status"])
        obj["allowed_source_types"] = obj.pop("payment_method_types", None)
        action = obj.pop("next_action", None)
        if action and action["type"] == "redirect_to_url":
            action = {"type": "authorize_with_url", "authorize_with_url": action["redirect_to_url"]}
        obj["next_source_action"] = action
