"""Addresses of pages that objects mention: Stripe's hosts in a trial, the twin's own base URL otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialbalance.twin.twin import Twin


def page(twin: Twin, host: str, path: str) -> str:
    """`https://HOST.stripe.com/PATH`, or the same path on the twin when its site is local."""
    base = f"https://{host}.stripe.com" if twin.config.site == "stripe" else twin.base_url
    return f"{base}/{path.lstrip('/')}"
