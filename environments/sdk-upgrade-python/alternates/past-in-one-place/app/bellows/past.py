"""Stripe as the services have always known it, made of what it is now.

The services go on asking for `payment_intent.charges`, `invoice.paid` and `subscription.current_period_end`; everything that has
changed since 2022 is in this file. Objects are plain dictionaries with attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import stripe

from .config import STRIPE_API_VERSION

_client: stripe.StripeClient | None = None
COUPONS = "discounts.source.coupon"


def connect(key: str, http: stripe.HTTPClient | None = None) -> None:
    """Who we are, for everything here."""
    global _client
    _client = stripe.StripeClient(key, stripe_version=STRIPE_API_VERSION, max_network_retries=2, http_client=http)


def v1() -> Any:
    """Stripe's API as it is now."""
    assert _client is not None, "connect() comes first"
    return _client.v1


class Thing(dict):
    """A dictionary whose keys are attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def thing(value: Any) -> Any:
    """A copy of an answer as things."""
    if isinstance(value, stripe.StripeObject):
        value = value.to_dict()
    if isinstance(value, dict):
        return Thing({name: thing(inner) for name, inner in value.items()})
    if isinstance(value, list):
        return [thing(inner) for inner in value]
    return value


class Listed:
    """A list with pages, as lists used to be. It knows how many there are only if it is asked to."""

    def __init__(self, ask: Callable[..., Any], parameters: dict, old: Callable[[Any], Any] = lambda found: found) -> None:
        self._ask, self._parameters, self._old = ask, parameters, old
        self._first = ask(parameters)
        self.has_more = self._first.has_more
        self.data = [old(thing(found)) for found in self._first.data]

    def auto_paging_iter(self) -> Iterator[Any]:
        return (self._old(thing(found)) for found in self._first.auto_paging_iter())

    @property
    def total_count(self) -> int:
        """Counted, because it is not told any more."""
        filters = {name: value for name, value in self._parameters.items() if name not in ("expand", "starting_after")}
        return sum(1 for _ in self._ask({**filters, "limit": 100}).auto_paging_iter())


def _without_count(parameters: dict) -> dict:
    return {name: value for name, value in parameters.items() if name != "include"}


# Payments


def _old_charge(found: Thing) -> Thing:
    if "refunds" not in found:
        found["refunds"] = Listed(v1().refunds.list, {"charge": found.id, "limit": 100})
    return found


def _invoice_of(intent: str | None) -> Thing | None:
    if not intent:
        return None
    which = {"type": "payment_intent", "payment_intent": intent}
    found = v1().invoice_payments.list({"payment": which, "expand": ["data.invoice"]}).data
    return _basic_invoice(thing(found[0].invoice)) if found else None


class PaymentIntent:
    @staticmethod
    def retrieve(name: str, expand: list[str] | None = None) -> Thing:
        found = thing(v1().payment_intents.retrieve(name))
        if expand:
            found["invoice"] = _invoice_of(name)
        else:
            charges = {"payment_intent": name, "limit": 100}
            found["charges"] = Listed(v1().charges.list, charges, _old_charge)
        return found


class Charge:
    @staticmethod
    def list(expand: list[str], **parameters: Any) -> Listed:
        def old(found: Thing) -> Thing:
            found["invoice"] = _invoice_of(found.payment_intent)
            return found

        return Listed(v1().charges.list, parameters, old)


class Refund:
    @staticmethod
    def create(**parameters: Any) -> Thing:
        return thing(v1().refunds.create(parameters))


class Customer:
    @staticmethod
    def retrieve(name: str) -> Thing:
        return thing(v1().customers.retrieve(name))


# Invoices


def _basic_invoice(found: Thing) -> Thing:
    """What can be told from an invoice alone."""
    details = (found.get("parent") or {}).get("subscription_details") or {}
    taxes = found.get("total_taxes") or []
    discounts = found.get("discounts") or []
    found["paid"] = found.status == "paid"
    found["subscription"] = details.get("subscription")
    found["tax"] = sum(tax.amount for tax in taxes) if taxes else None
    found["discount"] = _old_discount(discounts[0]) if len(discounts) == 1 and isinstance(discounts[0], Thing) else None
    return found


def _payments(invoice: str) -> list[Thing]:
    expand = ["data.payment.payment_intent.latest_charge"]
    found = Listed(v1().invoice_payments.list, {"invoice": invoice, "limit": 100, "expand": expand})
    every = list(found.auto_paging_iter())[::-1]
    return [one for one in every if one.is_default] + [one for one in every if not one.is_default]


def _old_invoice(found: Thing) -> Thing:
    """An invoice with its payment and charge, both expanded."""
    _basic_invoice(found)
    payments = _payments(found.id)
    intents = [one.payment.payment_intent for one in payments if one.payment.type == "payment_intent"]
    usable = [intent for intent in intents if intent.status != "canceled"]
    found["payment_intent"] = usable[0] if usable else None
    found["charge"] = usable[0].latest_charge if usable else None
    through_stripe = sum(one.amount_paid or 0 for one in payments if one.status == "paid")
    found["paid_out_of_band"] = found.paid and found.amount_paid > through_stripe
    found["lines"] = Listed(lambda parameters: v1().invoices.line_items.list(found.id, parameters), {"limit": 100}, _Lines())
    return found


def _listed_invoice(found: Thing) -> Thing:
    """An invoice with the id of its payment."""
    _old_invoice(found)
    intent = found.payment_intent
    found["payment_intent"] = intent.id if intent else None
    return found


class _Lines:
    """Makes lines as they were, and asks for each price once."""

    def __init__(self) -> None:
        self._prices: dict[str, Thing] = {}

    def __call__(self, line: Thing) -> Thing:
        details = (line.get("pricing") or {}).get("price_details")
        parent = line.get("parent") or {}
        line["type"] = "subscription" if parent.get("type") == "subscription_item_details" else "invoiceitem"
        about = parent.get("subscription_item_details") or parent.get("invoice_item_details") or {}
        line["subscription"] = about.get("subscription")
        line["proration"] = bool(about.get("proration"))
        taxes = line.get("taxes") or []
        line["tax_amounts"] = [Thing(amount=tax.amount, inclusive=tax.tax_behavior == "inclusive") for tax in taxes]
        line["price"] = self._price(details.price) if details else None
        return line

    def _price(self, name: str) -> Thing:
        if name not in self._prices:
            self._prices[name] = thing(v1().prices.retrieve(name))
        return self._prices[name]


class Invoice:
    @staticmethod
    def retrieve(name: str, expand: list[str] | None = None) -> Thing:
        found = _old_invoice(thing(v1().invoices.retrieve(name, {"expand": [COUPONS]})))

        def pay(expand: list[str], **parameters: Any) -> Thing:
            return _old_invoice(thing(v1().invoices.pay(name, {**parameters, "expand": [COUPONS]})))

        found["pay"] = pay
        return found

    @staticmethod
    def list(**parameters: Any) -> Listed:
        def old(found: Thing) -> Thing:
            return _listed_invoice(found) if found.status == "open" else _basic_invoice(found)

        return Listed(v1().invoices.list, {**_without_count(parameters), "expand": ["data." + COUPONS]}, old)

    @staticmethod
    def upcoming(subscription: str) -> Thing:
        found = thing(v1().invoices.create_preview({"subscription": subscription, "expand": [COUPONS]}))
        lines = _Lines()
        _basic_invoice(found)
        found["lines"]["data"] = [lines(line) for line in found["lines"]["data"]]
        return found


# Hires and codes


def _old_discount(found: Thing) -> Thing:
    found["coupon"] = found["source"]["coupon"]
    return found


def _old_subscription(found: Thing) -> Thing:
    discounts = found.get("discounts") or []
    items = found["items"]["data"]
    found["discount"] = _old_discount(discounts[0]) if len(discounts) == 1 else None
    found["current_period_start"] = max(item.current_period_start for item in items)
    found["current_period_end"] = min(item.current_period_end for item in items)
    if isinstance(found.get("latest_invoice"), Thing):
        _listed_invoice(found.latest_invoice)
    return found


class Subscription:
    @staticmethod
    def list(**parameters: Any) -> Listed:
        expanded = {**_without_count(parameters), "expand": ["data." + COUPONS]}
        return Listed(v1().subscriptions.list, expanded, _old_subscription)

    @staticmethod
    def retrieve(name: str, expand: list[str] | None = None) -> Thing:
        found = v1().subscriptions.retrieve(name, {"expand": [COUPONS, "latest_invoice." + COUPONS]})
        return _old_subscription(thing(found))

    @staticmethod
    def create(promotion_code: str | None = None, **parameters: Any) -> Thing:
        parameters["billing_mode"] = {"type": "classic"}
        if promotion_code:
            parameters["discounts"] = [{"promotion_code": promotion_code}]
        return thing(v1().subscriptions.create(parameters))

    @staticmethod
    def modify(name: str, promotion_code: str | None = None, **parameters: Any) -> None:
        if promotion_code:
            parameters["discounts"] = [{"promotion_code": promotion_code}]
        v1().subscriptions.update(name, parameters)

    @staticmethod
    def delete(name: str) -> None:
        v1().subscriptions.cancel(name)

    @staticmethod
    def delete_discount(name: str) -> None:
        v1().subscriptions.delete_discount(name)


class PromotionCode:
    @staticmethod
    def list(**parameters: Any) -> Listed:
        def old(found: Thing) -> Thing:
            found["coupon"] = found.promotion.coupon
            return found

        return Listed(v1().promotion_codes.list, {**parameters, "expand": ["data.promotion.coupon"]}, old)
