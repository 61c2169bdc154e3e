"""Idempotency keys: the same request twice does its work once.

Stored: the answer of every request that reached its handler, success or error. Not stored: requests refused
by validation, authentication or a conflict. Kept for 24 hours of the twin's clock, per account.
Source: https://docs.stripe.com/api/idempotent_requests
"""

from __future__ import annotations

from typing import NamedTuple

from trialbalance.twin.errors import Conflict, IdempotencyError, InvalidRequest

LIFETIME = 24 * 3600
MAX_LENGTH = 255


class Kept(NamedTuple):
    """One answered request."""

    endpoint: str
    digest: bytes
    status: int
    body: bytes
    request_id: str
    at: int


class IdempotencyKeys:
    """The answers kept, by account and key."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], Kept] = {}
        self.running: set[tuple[str, str]] = set()

    def look_up(self, account: str, key: str, endpoint: str, digest: bytes, now: int) -> Kept | None:
        """The kept answer for a repeated request, or None for a first one.

        Raises:
            InvalidRequest: the key is too long.
            IdempotencyError: the key was used for another request.
            Conflict: a request with the key is being worked on.
        """
        if len(key) > MAX_LENGTH:
            raise InvalidRequest(
                f"Idempotency keys can be up to {MAX_LENGTH} characters long. You passed in a key "
                f"{len(key)} characters long."
            )
        if (account, key) in self.running:
            raise Conflict(
                "There is currently another in-progress request using this Stripe-Idempotent Key: "
                f"{key}. Retry once that request has completed.",
                code="idempotency_key_in_use",
            )
        kept = self.kept.get((account, key))
        if kept is None:
            return None
        if now - kept.at >= LIFETIME:
            del self.kept[(account, key)]
            return None
        if kept.endpoint != endpoint:
            raise IdempotencyError(
                f"Keys for idempotent requests can only be used for the same endpoint they were first used for "
                f"('{kept.endpoint}' vs '{endpoint}'). Try using a key other than '{key}' if you meant to execute a "
                "different request."
            )
        if kept.digest != digest:
            raise IdempotencyError(
                "Keys for idempotent requests can only be used with the same parameters they were first used with. "
                f"Try using a key other than '{key}' if you meant to execute a different request."
            )
        return kept

    def keep(self, account: str, key: str, kept: Kept) -> None:
        """Remember an answer."""
        self.kept[(account, key)] = kept
