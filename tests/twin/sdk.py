"""The official Python SDK bound to a twin in this process: no socket, no thread."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import stripe

from tests.twin import schema
from trialbalance.twin import Twin
from trialbalance.twin.wire.versions import KNOWN


class InProcess(stripe.HTTPClient):
    """An SDK transport that hands each request to `Twin.handle`."""

    name = "in-process"

    def __init__(self, twin: Twin) -> None:
        super().__init__()
        self.twin = twin
        self.strict = True
        self.last_headers: dict[str, str] = {}

    def request(
        self, method: str, url: str, headers: Any, post_data: Any = None, **_: Any
    ) -> tuple[str, int, dict[str, str]]:
        parts = urlsplit(url)
        body = post_data.encode() if isinstance(post_data, str) else (post_data or b"")
        sent = {name.lower(): str(value) for name, value in (headers or {}).items()}
        answer = self.twin.handle(method.upper(), parts.path, parts.query, body, sent)
        self.last_headers = answer.headers
        if self.strict and answer.status == 200 and answer.headers["stripe-version"] == KNOWN[-1]:
            shown = answer.json()
            broken = [*schema.problems(shown), *schema.missing(shown)]
            assert not broken, f"{method} {parts.path} breaks the contract: " + "; ".join(broken[:8])
        return answer.body.decode(), answer.status, answer.headers

    def close(self) -> None:
        """Nothing is open."""


def client(
    twin: Twin, *, version: str | None = None, account: str | None = None, key: str | None = None
) -> stripe.StripeClient:
    """A `StripeClient` whose requests go straight to `twin`, with no retries."""
    return stripe.StripeClient(
        key or twin.secret_key,
        http_client=InProcess(twin),
        stripe_version=version,
        stripe_account=account,
        max_network_retries=0,
    )
