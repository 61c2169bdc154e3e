"""API keys: who is calling, and what they may do.

Source: https://docs.stripe.com/keys and https://docs.stripe.com/keys/restricted-api-keys
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from trialbalance.twin.errors import AuthenticationError
from trialbalance.twin.ledger.journal import mask_key

WELL_FORMED = re.compile(r"^(sk|pk|rk)_test_[A-Za-z0-9_]{8,}$")
LIVE = re.compile(r"^(sk|pk|rk)_live_")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One key. `permissions` is for restricted keys: resource -> `read` or `write`."""

    value: str
    kind: str
    account: str
    permissions: Mapping[str, str] = field(default_factory=dict)
    expires: int | None = None

    @property
    def masked(self) -> str:
        """The key as messages may show it."""
        return mask_key(self.value)


class KeyRing:
    """All keys of a twin."""

    def __init__(self, default_account: str, *, any_key: bool = False) -> None:
        self.default_account = default_account
        self.any_key = any_key
        self.keys: dict[str, ApiKey] = {}

    def add(self, key: ApiKey) -> None:
        """Make a key known."""
        self.keys[key.value] = key

    def authenticate(self, headers: Mapping[str, str], query_key: str | None, now: int) -> ApiKey:
        """The key of a request: Bearer token, Basic user name, or (browsers) the `key` parameter.

        Raises:
            AuthenticationError: none, malformed, unknown, live or expired.
        """
        value = bearer(headers.get("authorization", "")) or query_key
        if not value:
            raise AuthenticationError(
                "You did not provide an API key. You need to provide your API key in the Authorization header, using "
                "Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See "
                "https://stripe.com/docs/api#authentication for details, or we can help at https://support.stripe.com/."
            )
        if LIVE.match(value):
            raise AuthenticationError(
                f"Live keys are refused: this is a test-mode twin and {mask_key(value)} is a live key. "
                "Use a key that starts with sk_test_, rk_test_ or pk_test_.",
                code="api_key_live",
            )
        key = self.keys.get(value)
        if key is None and self.any_key and WELL_FORMED.match(value):
            kind = {"sk": "secret", "pk": "publishable", "rk": "secret"}[value[:2]]
            key = ApiKey(value, kind, self.default_account)
        if key is None:
            raise AuthenticationError(f"Invalid API Key provided: {mask_key(value)}")
        if key.expires is not None and now >= key.expires:
            raise AuthenticationError(f"Expired API Key provided: {key.masked}", code="api_key_expired")
        return key


def bearer(header: str) -> str | None:
    """The key in an Authorization header."""
    scheme, _, rest = header.partition(" ")
    rest = rest.strip()
    if scheme.lower() == "bearer":
        return rest or None
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(rest, validate=True).decode().partition(":")[0] or None
        except ValueError:
            return None
    return None
