"""What every Python program of the conformance suites does: run its scenarios, expect refusals, receive webhooks."""

from __future__ import annotations

import os
import queue
import threading
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import stripe

ERRORS: Any = getattr(stripe, "error", stripe)


def run(scenarios: Sequence[Callable[[], None]]) -> None:
    """Print `ok NAME` or `not ok NAME: why` for each."""
    for scenario in scenarios:
        try:
            scenario()
            print(f"ok {scenario.__name__}", flush=True)
        except Exception as problem:
            why = " ".join(f"{type(problem).__name__}: {problem}".split())
            print(f"not ok {scenario.__name__}: line {problem.__traceback__.tb_next.tb_lineno}: {why}")  # type: ignore[union-attr]


def refused(kind: str, call: Callable[[], Any], **expected: Any) -> Any:
    """The error of class `kind` that a call ends with; its fields are as expected."""
    try:
        call()
    except getattr(ERRORS, kind) as error:
        hash = (error.json_body or {}).get("error", {})
        for name, value in expected.items():
            found = getattr(error, name, None) or hash.get(name)
            assert found == value, f"{name}: {found!r} is not {value!r}"
        return error
    raise AssertionError("nothing was refused")


def equal(found: Any, expected: Any) -> None:
    """Fail with both values when they differ."""
    assert found == expected, f"{found!r} is not {expected!r}"


def authenticate(intent: Any, outcome: str = "succeeded") -> None:
    """What the bank's page does when the customer confirms (or fails) the challenge of an intent."""
    query = urllib.parse.urlsplit(intent.next_action.redirect_to_url.url).query
    form = {
        "key": os.environ["PUBLISHABLE_KEY"],
        "source": urllib.parse.parse_qs(query)["source"][0],
        "client_secret": intent.client_secret,
        "outcome": outcome,
    }
    address = f"{os.environ['TWIN_URL']}/v1/3ds2/challenge_complete"
    with urllib.request.urlopen(address, urllib.parse.urlencode(form).encode()) as answer:
        assert answer.status == 200


class Inbox:
    """A webhook endpoint of one's own: `wait(type)` answers the next verified event of that type."""

    def __init__(self, client: stripe.StripeClient, *types: str, connect: bool = False) -> None:
        inbox = self
        self.events: queue.Queue[Any] = queue.Queue()

        class Receive(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                try:
                    inbox.events.put(
                        client.construct_event(body, self.headers["Stripe-Signature"], inbox.secret)
                    )
                    self.send_response(200)
                except stripe.SignatureVerificationError:
                    self.send_response(400)
                self.end_headers()

            def log_message(self, *words: Any) -> None:
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Receive)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/hook"
        form: Any = {"url": url, "enabled_events": list(types), "connect": connect}
        made = client.v1.webhook_endpoints.create(form)
        self.secret: str = made.secret or ""

    def wait(self, type: str) -> Any:
        """The next event of this type."""
        while True:
            event = self.events.get(timeout=30)
            if event.type == type:
                return event
