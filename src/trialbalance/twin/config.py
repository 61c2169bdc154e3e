"""What a twin is told when it starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from trialbalance.contract import load

DEFAULT_START = 1_767_225_600
"""2026-01-01 00:00:00 UTC: where a deterministic clock starts when nothing else is said."""


@dataclass(frozen=True, slots=True)
class TwinConfig:
    """Settings of one twin.

    Attributes:
        seed: draws ids, secrets and keys.
        api_version: the account's default version; None means the newest.
        secret_key, publishable_key: fixed keys; None draws them from the seed.
        any_key: accept every well-formed `sk_test_`/`pk_test_` key as the default account's.
        clock: second to start at; None means now.
        frozen: whether time stands still until it is moved.
        raw_card_numbers: whether the secret key may send card numbers (a new real account may not).
        site: "stripe" puts https://checkout.stripe.com/… into objects, "local" the twin's own base URL.
        base_url: the twin's own base URL, for site "local".
        country, currency: of the default account.
    """

    seed: int = 0
    api_version: str | None = None
    secret_key: str | None = None
    publishable_key: str | None = None
    any_key: bool = False
    clock: int | None = None
    frozen: bool = False
    raw_card_numbers: bool = True
    site: str = "local"
    base_url: str = "http://127.0.0.1:12111"
    country: str = "US"
    currency: str = "usd"
    display_name: str = "Test account"

    @property
    def default_version(self) -> str:
        """The account's API version."""
        return self.api_version or load().api_version


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """A certificate chain and its key, PEM."""

    certificate: Path
    key: Path
