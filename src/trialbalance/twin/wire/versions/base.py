"""API versions: one canonical state, one small class per breaking change.

Objects are stored in the newest shape. A request is carried forward, oldest change first; a response or an
event payload is carried back, newest change first, through every change newer than the caller's version.
Source: https://docs.stripe.com/api/versioning and https://docs.stripe.com/changelog
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.ledger.store import ATOMS

if TYPE_CHECKING:
    from trialbalance.twin.wire.call import Call

KNOWN = (
    "2018-11-08",
    "2019-02-11",
    "2019-02-19",
    "2019-03-14",
    "2019-05-16",
    "2019-08-14",
    "2019-09-09",
    "2019-10-08",
    "2019-10-17",
    "2019-11-05",
    "2019-12-03",
    "2020-03-02",
    "2020-08-27",
    "2022-08-01",
    "2022-11-15",
    "2023-08-16",
    "2023-10-16",
    "2024-04-10",
    "2024-06-20",
    "2024-09-30.acacia",
    "2024-10-28.acacia",
    "2024-11-20.acacia",
    "2024-12-18.acacia",
    "2025-01-27.acacia",
    "2025-02-24.acacia",
    "2025-03-31.basil",
    "2025-04-30.basil",
    "2025-05-28.basil",
    "2025-06-30.basil",
    "2025-07-30.basil",
    "2025-08-27.basil",
    "2025-09-30.clover",
    "2025-10-29.clover",
    "2025-11-17.clover",
    "2025-12-15.clover",
    "2026-01-28.clover",
    "2026-02-25.clover",
    "2026-03-25.dahlia",
    "2026-04-22.dahlia",
    "2026-05-27.dahlia",
    "2026-06-24.dahlia",
    "2026-07-29.dahlia",
    "2026-08-26.dahlia",
    "2026-09-30.endive",
    "2026-10-28.endive",
)
"""Every version that may be sent, oldest first."""
_KNOWN = frozenset(KNOWN)

PREVIEW = re.compile(r"^(\d{4}-\d{2}-\d{2})\.preview$")


class VersionChange:
    """One backwards-incompatible change: what requests and responses looked like before `version`.

    Subclasses set the class attributes and override what they need. `response` receives a private copy of
    one object of one of `kinds`; `request` receives the decoded, not yet validated parameters.
    """

    version: ClassVar[str]
    description: ClassVar[str]
    source: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]] = ()
    endpoints: ClassVar[tuple[str, ...]] = ()
    expands: ClassVar[dict[str, dict[str, list[str]]]] = {}
    accepts: ClassVar[dict[str, dict[str, Any]]] = {}
    """Parameters that the change removed: endpoint -> name -> type. Older callers may still send them."""
    removes: ClassVar[tuple[str, ...]] = ()
    """Endpoints that the change removed. Older callers may still call them."""

    def refusal(self, name: str) -> InvalidRequest | None:
        """What a newer caller hears who sends a removed parameter; None for the ordinary unknown-parameter error."""
        return None

    def response(self, call: Call, obj: JsonObject) -> None:
        """Turn one object back into its shape before the change, in place."""

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        """Turn parameters of the older shape into the newer, in place."""


class Versions:
    """The known versions and the changes between them."""

    def __init__(self, changes: list[VersionChange]) -> None:
        self.changes = sorted(changes, key=lambda c: c.version, reverse=True)
        self._refusing = [c for c in self.changes if type(c).refusal is not VersionChange.refusal]
        self._forward: dict[tuple[str, str], list[VersionChange]] = {}
        self._accepted: dict[tuple[str | None, str], dict[str, Any]] = {}
        self._removed = {name: c.version for c in changes for name in c.removes}
        self._newer: dict[str, list[VersionChange]] = {}
        self._by_kind: dict[str, dict[str, list[VersionChange]]] = {}

    def check(self, text: str) -> str:
        """The version a request asked for.

        Raises:
            InvalidRequest: it is none that exists.
        """
        if text in _KNOWN:
            return text
        preview = PREVIEW.match(text)
        before = [v for v in KNOWN if v[:10] <= preview[1]] if preview else []
        if not before:
            raise InvalidRequest(f"Invalid Stripe API version: {text}")
        return before[-1]

    def gone(self, version: str, endpoint: str) -> bool:
        """Whether an endpoint does not exist any more for callers of `version`."""
        removed = self._removed.get(endpoint)
        return removed is not None and removed <= version

    def newer(self, version: str) -> list[VersionChange]:
        """The changes a caller of `version` does not know, newest first."""
        found = self._newer.get(version)
        if found is None:
            found = self._newer[version] = [c for c in self.changes if c.version > version]
        return found

    def by_kind(self, version: str) -> dict[str, list[VersionChange]]:
        """The changes to carry responses back through, by object, newest first."""
        found = self._by_kind.get(version)
        if found is None:
            found = {}
            for change in self.newer(version):
                if type(change).response is VersionChange.response:
                    continue
                for kind in change.kinds:
                    found.setdefault(kind, []).append(change)
            self._by_kind[version] = found
        return found

    def forward(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        """Carry a request's parameters to the newest shape."""
        changes = self._forward.get((call.version, endpoint))
        if changes is None:
            changes = self._forward[call.version, endpoint] = [
                change
                for change in reversed(self.newer(call.version))
                if type(change).request is not VersionChange.request
                and (not change.endpoints or endpoint in change.endpoints)
            ]
        for change in changes:
            change.request(call, endpoint, params)

    def accepted(self, version: str | None, endpoint: str) -> dict[str, Any]:
        """Removed parameters that a caller of `version` may still send; None is the twin itself and may send all."""
        found = self._accepted.get((version, endpoint))
        if found is None:
            found = {}
            for change in self.changes if version is None else self.newer(version):
                found |= change.accepts.get(endpoint, {})
            self._accepted[version, endpoint] = found
        return found

    def refuse_removed(self, version: str, endpoint: str, params: dict[str, Any]) -> None:
        """Refuse parameters that are gone in the caller's version, in the words of the change that removed them."""
        for change in self._refusing if params else ():
            if change.version <= version:
                for name in change.accepts.get(endpoint, ()):
                    error = change.refusal(name) if name in params else None
                    if error is not None:
                        raise error

    def expandable(self, version: str, kind: str, field: str) -> list[str] | None:
        """What a field that only older versions have expands to."""
        for change in self.newer(version):
            found = change.expands.get(kind, {}).get(field)
            if found:
                return found
        return None

    def render(self, call: Call, version: str, value: Any) -> Any:
        """A copy of `value` as a caller of `version` sees it, without the twin's private `_` fields."""
        return _render(call, self.by_kind(version), value)


class Rendered(dict[str, Any]):
    """An object that is shown as it is, whatever version asks: an event keeps the version it was made in."""


def _render(call: Call, changes: dict[str, list[VersionChange]], value: Any) -> Any:
    if type(value) is Rendered:
        return value
    if isinstance(value, dict):
        copy = {
            k: v
            if type(v) in ATOMS
            else v.copy()
            if k == "metadata" and type(v) is dict  # its names are the caller's, underscores and all
            else _render(call, changes, v)
            for k, v in value.items()
            if k >= "a" or k[:1] != "_"
        }
        if changes:
            kind = copy.get("object")
            if type(kind) is str and kind in changes:
                for change in changes[kind]:
                    change.response(call, copy)
        return copy
    if isinstance(value, list):
        return [v if type(v) in ATOMS else _render(call, changes, v) for v in value]
    return value
