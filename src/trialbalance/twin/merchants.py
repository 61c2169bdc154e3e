"""Other merchants of a twin: accounts that are not connected to its own, with keys that nobody is told."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

from trialbalance.twin.ledger.ids import ALPHABET
from trialbalance.twin.wire.keys import ApiKey, KeyRing


class Merchant(NamedTuple):
    """Another merchant of the twin: an account of its own, with keys that nobody is told."""

    account: str
    secret_key: str
    publishable_key: str


def merchant_of(seed: int, name: str) -> Merchant:
    """The merchant of a name; the same name and seed are the same merchant."""
    text = _scrambled(f"{seed}/{name}", 15 + 2 * 32)
    own = text[:15]
    return Merchant(f"acct_1{own}", f"sk_test_51{own}{text[15:47]}", f"pk_test_51{own}{text[47:]}")


def admit(keys: KeyRing, merchant: Merchant) -> None:
    """Let a merchant's keys be used."""
    keys.add(ApiKey(merchant.secret_key, "secret", merchant.account))
    keys.add(ApiKey(merchant.publishable_key, "publishable", merchant.account))


def publishable_key_of(keys: KeyRing, account: str) -> str | None:
    """The publishable key that an account has of its own."""
    own = (key for key in keys.keys.values() if key.account == account and key.kind == "publishable")
    return next((key.value for key in own), None)


def _scrambled(text: str, length: int) -> str:
    """Letters and digits that look random, the same for the same text."""
    digests = (blake2b(f"merchant:{text}:{part}".encode()).digest() for part in range(2))
    return "".join(ALPHABET[byte % len(ALPHABET)] for digest in digests for byte in digest)[:length]


__all__ = ["Merchant", "admit", "merchant_of", "publishable_key_of"]
