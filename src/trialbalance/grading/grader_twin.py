"""The payments twin behind the app under test, as the grader sees it: official SDK, journal, clock, faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx
from stripe import HTTPClient, StripeClient

from trialbalance.grading.errors import GraderFault
from trialbalance.grading.evidence import Evidence
from trialbalance.grading.journal import Entry, Journal, endpoint_of, refuse_unexpected
from trialbalance.grading.log import Log
from trialbalance.grading.state import Object, ids_of, objects_of
from trialbalance.tasks import Environment
from trialbalance.twin.control import ControlError

_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Mark:
    """A moment: the journal's length and the objects there were."""

    seq: int
    ids: frozenset[str]


class GraderTwin:
    """The twin of one check. What the grader itself asks of it never counts as the app's doing."""

    def __init__(self, environment: Environment, evidence: Evidence, log: Log) -> None:
        self._environment = environment
        self._process = environment.twin
        self._evidence = evidence
        self._log = log
        self._transport = _Transport(log)

    @property
    def secret_key(self) -> str:
        """The app's secret key, drawn for this check."""
        return self._process.secret_key

    @property
    def publishable_key(self) -> str:
        """The app's publishable key, drawn for this check."""
        return self._process.publishable_key

    @property
    def webhook_secret(self) -> str:
        """The secret by which the app checks the signature of events."""
        return self._environment.values["webhook_secret"]

    @property
    def account(self) -> str:
        """The id of the account."""
        return self._process.account

    @property
    def url(self) -> str:
        """Where the host reaches the twin: for SDKs of your own."""
        return self._process.url

    @property
    def stripe(self) -> StripeClient:
        """The official SDK on the account's secret key, in the SDK's own API version."""
        return self.client()

    def client(self, *, version: str | None = None, account: str | None = None) -> StripeClient:
        """The official SDK in another API version, or on behalf of a connected account."""
        self._evidence.add("sdk", version=version or "the SDK's own")
        base = self._process.url
        return StripeClient(
            self.secret_key,
            stripe_version=version,
            stripe_account=account,
            base_addresses={"api": base, "files": base, "connect": base, "meter_events": base},
            http_client=self._transport,
            max_network_retries=0,
        )

    # The control plane

    def seed(self, document: Mapping[str, Any]) -> Object:
        """Play requests into the twin: `{"requests": [{"method", "path", "form", "as"}]}`; returns the
        named answers.
        """
        self._evidence.add("twin", event="seeded", requests=len(document.get("requests", ())))
        return self._guard(lambda: self._process.control.seed(dict(document)))

    def advance(self, to: int) -> int:
        """Move the clock to a second; everything that falls due happens on the way."""
        self._evidence.add("twin", event="clock", to=to)
        return self._guard(lambda: self._process.control.advance(to))

    def now(self) -> int:
        """The twin's current second."""
        return int(self._guard(self._process.control.info)["now"])

    def faults(self, rules: Sequence[Mapping[str, Any]]) -> None:
        """Replace the fault rules; an empty list ends them."""
        self._evidence.add("twin", event="faults", rules=list(rules))
        self._guard(lambda: self._process.control.faults([dict(rule) for rule in rules]))

    def state(self) -> dict[str, Any]:
        """Every object of every account."""
        return self._guard(self._process.control.state)

    # What happened

    def mark(self) -> Mark:
        """This moment, to be passed as `since`."""
        return Mark(self._last_seq(), ids_of(self.state()))

    def journal(self, since: Mark | None = None) -> Journal:
        """What the app and its pages did since a mark, or since this check began; without the grader's own
        requests.
        """
        after = 0 if since is None else since.seq
        entries = self._guard(lambda: self._process.control.journal(after))
        own = self._transport.request_ids
        return Journal(entry for entry in entries if entry.get("request_id") not in own)

    def requests(
        self, method: str | None = None, path: str | None = None, since: Mark | None = None
    ) -> list[Entry]:
        """What the app asked of the API, oldest first; `path` may hold `{id}` placeholders."""
        found = self.journal(since).requests(method, path)
        shown = [f"{endpoint_of(entry)} {entry['status']}" for entry in found]
        self._evidence.add("requests", method=method or "*", path=path or "*", found=shown)
        return found

    def created(self, kind: str, since: Mark | None = None, account: str | None = None) -> list[Object]:
        """Objects of a kind that exist now and did not at the mark, oldest first, in the newest API
        version's shape.
        """
        known = since.ids if since is not None else frozenset()
        found = [item for item in objects_of(self.state(), kind, account) if item["id"] not in known]
        self._evidence.add("objects", of=kind, ids=[item["id"] for item in found])
        return found

    def writes(self, since: Mark | None = None) -> list[str]:
        """The app's successful writes as `POST /v1/customers/{id}`, oldest first."""
        writes = self.journal(since).writes()
        self._evidence.add("writes", writes=writes)
        return writes

    def no_writes_but(self, *allowed: str, since: Mark | None = None) -> None:
        """`Failed` naming each write beyond these: `"POST /v1/refunds"`, `"2 POST /v1/refunds"`, `"* POST
        /v1/customers"`.

        A write that the app repeats with the same idempotency key is one write.
        """
        refuse_unexpected(self.writes(since), allowed)

    def broken(self) -> list[str]:
        """Answers in which the twin itself failed; they make a failed check a fault of ours."""
        return [
            f"{entry['method']} {entry['path']} answered {entry['status']}: {_message(entry)}"
            for entry in self.journal().broken()
        ]

    def close(self) -> None:
        """Close connections."""
        self._transport.close()

    def _last_seq(self) -> int:
        entries = self._guard(lambda: self._process.control.journal(0))
        return int(entries[-1]["seq"]) if entries else 0

    def _guard(self, ask: Callable[[], _Answer]) -> _Answer:
        if not self._process.alive():
            raise GraderFault("the twin's process has died")
        try:
            return ask()
        except ControlError as error:
            raise GraderFault(str(error)) from error


class _Transport(HTTPClient):
    """The SDK's way to the twin, which remembers the ids of its own requests."""

    name = "trialbalance-grader"

    def __init__(self, log: Log) -> None:
        super().__init__()
        self.request_ids: set[str] = set()
        self._log = log
        self._client = httpx.Client(trust_env=False, timeout=60)

    def request(
        self, method: str, url: str, headers: Any, post_data: Any = None, **_: Any
    ) -> tuple[str, int, httpx.Headers]:
        """Send one request of the SDK."""
        content = post_data.encode() if isinstance(post_data, str) else post_data
        try:
            answer = self._client.request(method.upper(), url, headers=headers, content=content)
        except httpx.HTTPError as error:
            raise GraderFault(f"the twin did not answer {method.upper()} {url}: {error!r}") from error
        self.request_ids.add(answer.headers.get("request-id", ""))
        self._log.write(f"grader: {method.upper()} {url} -> {answer.status_code}")
        return answer.text, answer.status_code, answer.headers

    def close(self) -> None:
        """Close connections."""
        self._client.close()


def _message(entry: Entry) -> str:
    response = entry.get("response")
    error = response.get("error") if isinstance(response, dict) else None
    return str(error.get("message")) if isinstance(error, dict) else "no message"
