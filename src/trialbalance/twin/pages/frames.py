"""The documents that Stripe.js and Connect.js show in frames."""

from __future__ import annotations

CLASSIC = ("elements/element.css",)
MODERN = ("ui/base.css", "elements/payment.css")
CONNECT = ("ui/base.css", "connect/connect.css")
FRAMES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "accessory-layer": ("Details", "connect/accessory-layer.js", CONNECT),
    "bank-account": ("Bank account", "elements/bank-account.js", MODERN),
    "controller-with-preconnect": ("Controller", "elements/controller.js", ()),
    "elements-inner-address": ("Secure address input frame", "elements/address.js", MODERN),
    "elements-inner-au-bank-account": ("Secure bank account input frame", "elements/au-bank.js", CLASSIC),
    "elements-inner-card": ("Secure card payment input frame", "elements/card.js", CLASSIC),
    "elements-inner-card-part": ("Secure card input frame", "elements/card-part.js", CLASSIC),
    "elements-inner-express-checkout": ("Secure payment button frame", "elements/express.js", MODERN),
    "elements-inner-iban": ("Secure IBAN input frame", "elements/iban.js", CLASSIC),
    "elements-inner-ideal-bank": ("Secure bank input frame", "elements/bank-list.js", CLASSIC),
    "elements-inner-link-authentication": ("Secure email input frame", "elements/email.js", MODERN),
    "elements-inner-messaging": ("Payment method messaging", "elements/messaging.js", MODERN),
    "elements-inner-payment": ("Secure payment input frame", "elements/payment.js", MODERN),
    "elements-inner-small": ("Secure currency selector", "elements/small.js", MODERN),
    "elements-inner-tax-id": ("Secure tax ID input frame", "elements/tax-id.js", MODERN),
    "payment-instructions": ("Payment instructions", "elements/instructions.js", MODERN),
    "three-ds-2-challenge": ("Card authentication", "elements/three-ds.js", ("elements/three-ds.css",)),
    "ui-layer": ("Embedded component", "connect/ui-layer.js", CONNECT),
    "wallet-sheet": ("Test wallet", "elements/sheet.js", MODERN),
}
"""Documents in frames: title, module, styles."""
