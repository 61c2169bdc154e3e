"""Ids that look like Stripe's: prefix, length, alphabet and structure, drawn from the seed.

Short ids (customers, products, subscription items) carry 14 random characters; most others carry 24:
a digit, five characters of time, ten of the account, eight random. Two twins with one seed and the same
requests give the same ids.
"""

from __future__ import annotations

from functools import cache, lru_cache
from hashlib import blake2b

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
SHORT = frozenset({"cus", "prod", "si", "prctbl", "ii_short"})
SIDE_EFFECT = frozenset({"pi", "ch", "re", "txn", "py", "pyr"})


class Ids:
    """A counter and a seed; the counter is all the state there is."""

    __slots__ = ("_hash", "_key", "counter")

    def __init__(self, seed: int) -> None:
        self._key = f"trialbalance:{seed}".encode()
        self._hash = blake2b(key=self._key, digest_size=64)
        self.counter = 0

    def random(self, length: int, alphabet: str = ALPHABET) -> str:
        """`length` characters, uniform over `alphabet`."""
        table, unfair = _table(alphabet)
        text = b""
        while len(text) < length:
            self.counter += 1
            drawn = self._hash.copy()
            drawn.update(self.counter.to_bytes(8, "big"))
            text += drawn.digest().translate(table, unfair)
        return text[:length].decode("ascii")

    def integer(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        self.counter += 1
        digest = blake2b(self.counter.to_bytes(8, "big"), key=self._key, digest_size=16).digest()
        return low + int.from_bytes(digest, "big") % (high - low + 1)

    def new(self, prefix: str, account: str, now: int) -> str:
        """A fresh id for `prefix` on `account`."""
        if prefix in SHORT:
            return f"{prefix}_{self.random(14)}"
        version = "3" if prefix in SIDE_EFFECT else "1"
        return f"{prefix}_{version}{base62(now, 5)}{account[-10:]}{self.random(8)}"


@lru_cache(maxsize=64)
def base62(number: int, width: int) -> str:
    """The last `width` base-62 digits of `number`."""
    text = ""
    for _ in range(width):
        number, digit = divmod(number, 62)
        text = ALPHABET[digit] + text
    return text


@cache
def _table(alphabet: str) -> tuple[bytes, bytes]:
    """Byte -> character, and the bytes to drop so that every character is equally likely."""
    size = len(alphabet)
    fair = 256 - 256 % size
    return bytes(ord(alphabet[b % size]) for b in range(256)), bytes(range(fair, 256))
