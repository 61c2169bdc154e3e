"""Ids that look like Stripe's: prefix, length, alphabet and structure, drawn from the seed.

Short ids (customers, products, subscription items) carry 14 random characters; most others carry 24:
a digit, five characters of time, ten of the account, eight random. Two twins with one seed and the same
requests give the same ids.
"""

from __future__ import annotations

from hashlib import blake2b

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
SHORT = frozenset({"cus", "prod", "si", "prctbl", "ii_short"})
SIDE_EFFECT = frozenset({"pi", "ch", "re", "txn", "py", "pyr"})


class Ids:
    """A counter and a seed; the counter is all the state there is."""

    __slots__ = ("_key", "counter")

    def __init__(self, seed: int) -> None:
        self._key = f"trialbalance:{seed}".encode()
        self.counter = 0

    def random(self, length: int, alphabet: str = ALPHABET) -> str:
        """`length` characters, uniform over `alphabet` up to a bias below one in a million."""
        text = ""
        base = len(alphabet)
        while len(text) < length:
            self.counter += 1
            number = int.from_bytes(
                blake2b(self.counter.to_bytes(8, "big"), key=self._key, digest_size=32).digest(), "big"
            )
            for _ in range(min(length - len(text), 36)):
                number, digit = divmod(number, base)
                text += alphabet[digit]
        return text

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


def base62(number: int, width: int) -> str:
    """The last `width` base-62 digits of `number`."""
    text = ""
    for _ in range(width):
        number, digit = divmod(number, 62)
        text = ALPHABET[digit] + text
    return text
