"""Malformed and half-right requests against every endpoint: no crash, no hang, nothing kept of what was refused.

The short run is part of every test run; the long one (10,000 malformed requests and more) of `make check`.
"""

from __future__ import annotations

import random
import string
import time
from typing import Any

import pytest

from trialbalance.contract import load
from trialbalance.contract.model import Endpoint
from trialbalance.twin import Twin
from trialbalance.twin.wire.call import HANDLERS
from trialbalance.twin.wire.form import encode

GARBAGE = [
    "", " ", "0", "-1", "1", "99999999999999999999", "1e9", "NaN", "true", "null", "[]", "{}", "\x00", "🧾", "a" * 6000,
    "../../etc/passwd", "%00", "cus_none", "' OR 1=1", "usd", "USD", "xx", "2026-01-01", "pm_card_visa", "tok_visa",
    "now", "https://x.test", "a@b.test", "card", "exclusive", "month", "create_prorations",
]  # fmt: skip
HINTS: dict[str, list[str]] = {
    "payment_method": ["pm_card_visa", "pm_card_visa_chargeDeclined", "pm_card_threeDSecure2Required"],
    "default_payment_method": ["pm_card_visa"],
    "source": ["tok_visa", "tok_chargeDeclined"],
    "token": ["tok_visa"],
    "customer": [],
    "price": [],
    "product": [],
    "coupon": [],
    "promotion_code": [],
    "charge": [],
    "payment_intent": [],
    "subscription": [],
    "invoice": [],
    "account": [],
    "country": ["US", "GB", "DE"],
    "return_url": ["https://shop.example/done"],
    "email": ["ada@example.test"],
}
ANSWERS = {200, 400, 401, 402, 403, 404, 409, 429, 501}


class Fuzzer:
    """Draws requests from a seed; knows the ids of what was made so far."""

    def __init__(self, twin: Twin, seed: int) -> None:
        self.twin = twin
        self.draw = random.Random(seed)
        self.endpoints = sorted((load().endpoints[name] for name in HANDLERS), key=lambda e: e.name)

    def identifier(self, hint: str = "") -> str:
        """The id of something that exists, most of the time; of the kind that a name hints at, if there is one."""
        kind = hint.rsplit("/", 1)[-1].removesuffix("s")
        fitting = [
            t
            for (_, k), t in self.twin.store.tables.items()
            if t.objects and kind and k.rsplit(".", 1)[-1] == kind
        ]
        if fitting and self.draw.random() < 0.85:
            return self.draw.choice(list(self.draw.choice(fitting).objects))
        tables = [t for t in self.twin.store.tables.values() if t.objects]
        if not tables or self.draw.random() < 0.2:
            return self.draw.choice(GARBAGE) or "x"
        return self.draw.choice(list(self.draw.choice(tables).objects))

    def value(self, node: Any, name: str, depth: int = 0) -> Any:
        """A value for a parameter: of its type, or not."""
        if self.draw.random() < 0.12:
            return self.garbage()
        if isinstance(node, str):
            return self.scalar(node, name)
        if "empty" in node:
            return "" if self.draw.random() < 0.15 else self.value(node["empty"], name, depth)
        if "union" in node:
            return self.value(self.draw.choice(node["union"]), name, depth)
        if "enum" in node:
            return self.draw.choice(node["enum"])
        if "array" in node:
            return [self.value(node["array"], name, depth + 1) for _ in range(self.draw.randint(0, 3))]
        if "map" in node:
            return {
                self.word(): self.value(node["map"], "", depth + 1) for _ in range(self.draw.randint(0, 2))
            }
        return self.hash(node, depth + 1)

    def hash(self, node: Any, depth: int) -> dict[str, Any]:
        """A parameter hash: mostly what it requires, and some of the rest."""
        chance = 0.25 / (depth + 1)
        chosen = {
            name: child
            for name, child in node["hash"].items()
            if (name in node.get("required", ()) and self.draw.random() < 0.95)
            or self.draw.random() < (0.02 if name == "expand" else chance)
        }
        return {name: self.value(child, name, depth) for name, child in chosen.items()}

    def scalar(self, kind: str, name: str) -> Any:
        if kind in ("int", "timestamp"):
            now = self.twin.now()
            return self.draw.choice(
                [0, 1, -1, 50, 2000, 2**31, now, now + 86400, now + 40 * 86400, now - 86400]
            )
        if kind == "bool":
            return self.draw.choice([True, False])
        if kind in ("float", "decimal"):
            return self.draw.choice([0, 0.5, 10, 33.333, 100, -1])
        if name == "currency":
            return self.draw.choice(["usd", "eur", "jpy", "kwd", "zzz"])
        if name in HINTS and self.draw.random() < 0.8:
            return self.draw.choice(HINTS[name] + [self.identifier(name)])
        return self.draw.choice([self.identifier(name), self.word(), *self.draw.sample(GARBAGE, 2)])

    def garbage(self) -> Any:
        return self.draw.choice(
            [self.draw.choice(GARBAGE), [], ["x"], {"x": "y"}, {"0": "a", "1": "b"}, {"": "x"}]
        )

    def word(self) -> str:
        return "".join(self.draw.choices(string.ascii_lowercase, k=self.draw.randint(1, 8)))

    def request(self) -> tuple[str, str, str, bytes, dict[str, str]]:
        """Method, path, query, body, headers."""
        endpoint: Endpoint = self.draw.choice(self.endpoints)
        path = ""
        for position, segment in enumerate(endpoint.segments):
            hint = endpoint.segments[position - 1]
            path += "/" + (self.identifier(hint) if segment.startswith("{") else segment)
        form = self.hash(endpoint.params, 0) if self.draw.random() < 0.9 else {self.word(): self.garbage()}
        text = encode(form, indexed=self.draw.random() < 0.8)
        if self.draw.random() < 0.06:
            cut = self.draw.randint(0, len(text))
            text = text[:cut] + self.draw.choice(["[", "]", "%", "&&=", "[][]", "=", "\u2028"]) + text[cut:]
        key = self.twin.secret_key if self.draw.random() < 0.95 else self.draw.choice(GARBAGE)
        headers = {"authorization": f"Bearer {key}"}
        if self.draw.random() < 0.15:
            headers["stripe-version"] = self.draw.choice(
                ["2020-08-27", "2022-11-15", "2025-03-31.basil", "x"]
            )
        if self.draw.random() < 0.1:
            headers["idempotency-key"] = self.word()
        if endpoint.method in ("GET", "DELETE"):
            return endpoint.method, path, text, b"", headers
        body = text.encode("utf-8", "surrogatepass")
        if self.draw.random() < 0.03:
            body = bytes(self.draw.randrange(256) for _ in range(40))
        if self.draw.random() < 0.03:
            headers["content-type"] = "application/json"
        if self.draw.random() < 0.02:
            headers["content-type"] = "multipart/form-data; boundary=x"
        return endpoint.method, path, "", body, headers


def size(twin: Twin) -> tuple[int, int]:
    """How much the twin holds and has planned."""
    objects = sum(len(t.objects) + len(t.deleted) for t in twin.store.tables.values())
    return objects, sum(len(queue) for queue in twin.store.due.values())


def fuzz(seed: int, count: int) -> dict[int, int]:
    """Run `count` requests; returns how often each status was answered."""
    twin = Twin(seed=seed)
    fuzzer = Fuzzer(twin, seed)
    answers: dict[int, int] = {}
    for _ in range(count):
        method, path, query, body, headers = request = fuzzer.request()
        before = size(twin)
        started = time.perf_counter()
        try:
            answer = twin.handle(method, path, query, body, headers)
        except Exception as problem:
            raise AssertionError(f"{request} crashed the twin") from problem
        assert time.perf_counter() - started < 5, f"{request} hangs"
        assert answer.status in ANSWERS, f"{request} answered {answer.status}"
        if answer.status not in (200, 402):
            assert size(twin) == before, (
                f"{request} was refused with {answer.status} and left something behind"
            )
        answers[answer.status] = answers.get(answer.status, 0) + 1
    return answers


def test_short() -> None:
    answers = fuzz(1, 1500)
    assert answers[400] > 300 and answers[200] > 30


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(2, 14))
def test_long(seed: int) -> None:
    """Twelve twins, 1,500 requests each; well over 10,000 of them malformed."""
    answers = fuzz(seed, 1500)
    assert sum(n for status, n in answers.items() if status != 200) > 900
