"""Webhook signatures: `t=…,v1=…` that every official SDK verifies.

Source: https://docs.stripe.com/webhooks/signature
"""

from __future__ import annotations

import hashlib
import hmac


def signature_header(payload: bytes, secret: str, timestamp: int) -> str:
    """The `Stripe-Signature` header of a payload: hex HMAC-SHA256 of `timestamp.payload`."""
    signed = str(timestamp).encode() + b"." + payload
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return f"t={timestamp},v1={digest}"
