"""Stripe over plain HTTP."""

import os

import requests

from .problems import Declined, InvalidRequest, Problem

BASE = os.environ.get("STRIPE_BASE", "https://api.stripe.com")


def pairs(value, name=""):
    """Nested values as Stripe's forms want them."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from pairs(item, f"{name}[{key}]" if name else key)
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from pairs(item, f"{name}[{place}]")
    elif value is not None:
        yield name, str(value).lower() if isinstance(value, bool) else str(value)


class Wire:
    """One order's requests."""

    def __init__(self, key, order):
        self._session = requests.Session()
        self._session.auth = (key, "")
        self._session.headers["Stripe-Version"] = "2025-05-28.basil"
        self._order = order
        self._count = 0

    def get(self, path, **params):
        """Read."""
        return self._answer(lambda: self._session.get(f"{BASE}/v1/{path}", params=list(pairs(params)), timeout=60))

    def post(self, path, **params):
        """Write, once for each place in the order."""
        return self._send("POST", path, params)

    def delete(self, path, **params):
        """Delete."""
        return self._send("DELETE", path, params)

    def all(self, path, **params):
        """Every object of a list."""
        found = []
        while True:
            page = self.get(path, limit=100, **params, **({"starting_after": found[-1]["id"]} if found else {}))
            found += page["data"]
            if not page["has_more"]:
                return found

    def _send(self, method, path, params):
        self._count += 1
        headers = {"Idempotency-Key": f"{self._order}#{self._count}"}
        url, data = f"{BASE}/v1/{path}", list(pairs(params))
        return self._answer(lambda: self._session.request(method, url, data=data, headers=headers, timeout=60))

    @staticmethod
    def _answer(ask):
        try:
            answer = ask()
        except requests.ConnectionError:
            answer = ask()  # a line that broke; writes have keys
        body = answer.json()
        if answer.status_code == 402:
            raise Declined(body["error"]["message"])
        if answer.status_code in (400, 404):
            raise InvalidRequest(body["error"]["message"])
        if answer.status_code != 200:
            raise Problem(body["error"]["message"])
        return body
