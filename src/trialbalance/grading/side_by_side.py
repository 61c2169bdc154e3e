"""An app and its original, asked the same things: the machinery of graders in which callers must notice nothing.

Both twins are filled alike (`asking`, `history`), both apps get each `Call` (`Sides.both`), and a group of answers is
compared (`alike`), as is what they leave behind (`left_behind`). The last functions judge what an upgraded app asked of
Stripe. See `Original` and docs/grading.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
import stripe

from trialbalance.grading.alike import Aliases, difference
from trialbalance.grading.app import App
from trialbalance.grading.errors import Failed, GraderFault
from trialbalance.grading.expect import every
from trialbalance.grading.grader_twin import GraderTwin
from trialbalance.grading.original import Original
from trialbalance.grading.state import ids_of, objects_of

SECONDS = 90.0
"""How long one request may take."""

Names = dict[str, str]
"""What there is, by the names that calls use: `{"lot: paid": "pi_…"}`."""
Answer = tuple[int, Any]
"""Status and body; status 0 when there was no answer."""
Ask = Callable[..., dict[str, Any]]
"""`ask(method, path, **form)`: the object, or the error's object when Stripe declined."""
Run = tuple[int, str]
"""Exit code and output of a command."""
Send = Callable[[str, str, Any], Answer]

_GONE = re.compile(r"Unrecognized request URL|unknown parameters?|no longer supported|cannot be expanded")


@dataclass(frozen=True)
class Call:
    """One request.

    `path` and texts of `body` may hold `{name}` of what there is; a name that is not there becomes an id that nobody
    knows. With `keep`, the text at `at` in the answer becomes a name: `keep="bill: plain", at=("last_invoice", "id")`.
    """

    group: str
    method: str
    path: str
    body: Mapping[str, Any] | None = None
    keep: str = ""
    at: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """How failures name it."""
        return f"{self.method} {self.path}" + (f" {dict(self.body)}" if self.body else "")

    def filled(self, names: Names) -> tuple[str, dict[str, Any] | None]:
        """Path and body with the names of one side."""
        if self.body is None:
            return _fill(self.path, names), None
        body = {
            key: _fill(value, names) if isinstance(value, str) else value for key, value in self.body.items()
        }
        return _fill(self.path, names), body


@dataclass(frozen=True)
class Pair:
    """One call and what both apps answered, with new ids renamed."""

    call: Call
    before: Answer
    after: Answer


@dataclass
class Side:
    """One app, with its twin and what is called what there."""

    twin: GraderTwin
    send: Send
    names: Names = field(default_factory=dict)
    aliases: Aliases = field(default_factory=Aliases)

    def ask(self, call: Call) -> Answer:
        """Send one call, and keep what it says."""
        path, body = call.filled(self.names)
        status, answer = self.send(call.method, path, body)
        if call.keep:
            found: Any = answer
            for name in call.at:
                found = found.get(name) if isinstance(found, dict) else None
            self.names[call.keep] = str(found)
        return status, self.aliases.settle(answer)


class Sides:
    """The original (`before`) and the app under test (`after`)."""

    def __init__(self, app: App, twin: GraderTwin, original: Original) -> None:
        self._app, self._original = app, original
        session = app.session()

        def now(method: str, path: str, body: Any) -> Answer:
            response, _ = session.attempt(method, path, json=body, seconds=SECONDS)
            if response is None:
                app.explain("no answer")
                return 0, None
            return _answer(response)

        def then(method: str, path: str, body: Any) -> Answer:
            return _answer(original.attempt(method, path, json=body, seconds=SECONDS))

        self.before = Side(original.twin, then)
        self.after = Side(twin, now)

    def __iter__(self) -> Iterator[Side]:
        return iter((self.before, self.after))

    def begin(self, meter: str = "") -> None:
        """`GraderFault` unless both twins hold the same; the ids of what they hold are never renamed.

        Events are left out, which name the requests that caused them. `meter` may be on prices of one side only.
        """
        state = self.after.twin.state()
        if _held(state, meter) != _held(self.before.twin.state(), meter):
            raise GraderFault("the two twins do not hold the same")
        for side in self:
            side.aliases = Aliases(ids_of(state))

    def run(self, argv: Sequence[str], forget: Sequence[str] = ()) -> tuple[Run, Run]:
        """A command beside both, after `forget`: exit codes and outputs. It must succeed beside the original."""
        for one in (self._app, self._original):
            if forget:
                one.run(forget)
        done = self._original.run(argv)
        if done.exit_code != 0:
            raise GraderFault(f"beside the original: {' '.join(argv)}: {done.stderr[-400:]}")
        ran = self._app.run(argv)
        return (done.exit_code, done.stdout), (ran.exit_code, ran.stdout)

    def both(self, call: Call) -> Pair:
        """Ask both the same."""
        return Pair(call, self.before.ask(call), self.after.ask(call))

    def troubled(self, troubles: Mapping[str, Call]) -> list[Pair]:
        """Ask both while Stripe has a fault: `{"server_error": Call(...)}`."""
        pairs = []
        for fault, call in troubles.items():
            for side in self:
                side.twin.faults([{"fault": fault}])
            pairs.append(self.both(call))
        for side in self:
            side.twin.faults([])
        return pairs

    def lost_refund(self, path: str, payment: str) -> tuple[Answer, int]:
        """The app is asked for a refund of this payment whose answer is lost on the way.

        What its caller hears, and how many refunds of the payment there are then.
        """
        twin = self.after.twin
        twin.faults([{"fault": "reset_after", "endpoint": "POST /v1/refunds", "count": 1}])
        answer = self.after.send("POST", path, {"amount": 1000})
        twin.faults([])
        refunds = objects_of(twin.state(), "refund")
        return answer, sum(1 for item in refunds if item["payment_intent"] == payment)


def alike(pairs: Sequence[Pair], *groups: str, fields: tuple[str, ...] = ()) -> None:
    """`Failed` at the first call of these groups whose answers differ, or whose `fields` do.

    An error's body is always compared whole.
    """
    of_groups = [pair for pair in pairs if pair.call.group in groups]
    for pair in every(of_groups, f"calls of {' and '.join(groups)}"):
        if pair.before[0] != pair.after[0]:
            raise Failed(f"{pair.call.label} has another status", before=pair.before[0], now=pair.after[0])
        before, after = _picked(pair.before[1], fields), _picked(pair.after[1], fields)
        if before != after:
            where, old, new = difference(before, after)
            raise Failed(f"{pair.call.label} does not answer as before: {where}", before=old, now=new)


def asking(twin: GraderTwin, version: str) -> Ask:
    """Fills a twin in this API version; `version=` of a single call takes another one."""
    clients: dict[str, Any] = {}

    def ask(method: str, path: str, *, version: str = version, **form: Any) -> dict[str, Any]:
        if version not in clients:
            clients[version] = twin.client(version=version)
        try:
            answer = clients[version].raw_request(method.lower(), path, **form)
        except stripe.CardError as declined:
            body: Any = declined.json_body or {}
            return dict(body["error"])
        except stripe.StripeError as error:
            raise GraderFault(f"{method} {path}: {error}") from error
        found: dict[str, Any] = json.loads(answer.body)
        return found

    return ask


# What the upgraded app asked of Stripe


def made_by(asked: Sequence[Mapping[str, Any]], agent: str) -> None:
    """`Failed` when a request was not made by the SDK whose User-Agent begins like this."""
    wrong = {
        f"{entry['method']} {entry['path']}: {entry.get('user_agent')}"
        for entry in every(asked, "requests to Stripe")
        if not str(entry.get("user_agent")).startswith(agent)
    }
    if wrong:
        raise Failed("a request was not made by the new SDK", number=len(wrong), first=min(wrong))


def sent_in(asked: Sequence[Mapping[str, Any]], version: str) -> None:
    """`Failed` when a request was sent in another API version."""
    wrong = {
        f"{entry['method']} {entry['path']}: {entry.get('version')}"
        for entry in every(asked, "requests to Stripe")
        if entry.get("version") != version
    }
    if wrong:
        raise Failed("a request was sent in another version", number=len(wrong), first=min(wrong))


def nothing_gone(asked: Sequence[Mapping[str, Any]]) -> None:
    """`Failed` when an address, parameter or expansion was asked for that the version does not have."""
    for entry in every(asked, "requests to Stripe"):
        answer = entry.get("response")
        error = answer.get("error") if isinstance(answer, dict) else None
        if isinstance(error, dict) and _GONE.search(str(error.get("message"))):
            request = f"{entry['method']} {entry['path']}"
            raise Failed("Stripe was asked for what is gone", request=request, said=error["message"])


def _fill(text: str, names: Names) -> str:
    return re.sub(r"\{([^}]+)\}", lambda match: names.get(match[1], "in_nothing"), text)


def _held(state: dict[str, Any], meter: str) -> str:
    kinds = {kind: items for kind, items in state["accounts"][state["account"]].items() if kind != "event"}
    return json.dumps(kinds, sort_keys=True).replace(f'"meter": "{meter}"', '"meter": null')


def _answer(response: httpx.Response) -> Answer:
    try:
        return response.status_code, response.json()
    except ValueError:
        return response.status_code, response.text[:200]


def _picked(body: Any, fields: tuple[str, ...]) -> Any:
    if fields and isinstance(body, dict) and "error" not in body:
        return {name: body.get(name, "<missing>") for name in fields}
    return body
