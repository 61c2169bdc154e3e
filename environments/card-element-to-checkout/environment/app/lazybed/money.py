"""Amounts as people read them."""

from __future__ import annotations

SYMBOLS = {"eur": "€", "gbp": "£", "usd": "$"}


def display(amount: int, currency: str) -> str:
    """`display(1234, "eur")` is "€12.34"; a currency without a symbol of its own gets its letters."""
    sign = "−" if amount < 0 else ""
    major, minor = divmod(abs(amount), 100)
    mark = SYMBOLS.get(currency, currency.upper() + " ")
    return f"{sign}{mark}{major:,}.{minor:02d}"
