"""Snapshots of a whole twin: take one, go back to it, begin again, or go on twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialbalance.twin.ledger.store import Snapshot

if TYPE_CHECKING:
    from trialbalance.twin.twin import Twin


class Snapshots:
    """The snapshots of one twin; remembers how it began."""

    def __init__(self, twin: Twin) -> None:
        self._twin = twin
        self._initial = self.take()

    def take(self) -> Snapshot:
        """See `Twin.snapshot`."""
        twin = self._twin
        return twin.store.snapshot(
            twin.ids.counter,
            twin.now(),
            {"idempotency": dict(twin.idempotency.kept), "keys": dict(twin.keys.keys)},
        )

    def restore(self, snapshot: Snapshot) -> None:
        """See `Twin.restore`."""
        twin = self._twin
        twin.store.restore(snapshot)
        twin.ids.counter = snapshot.counter
        twin.clock.move(snapshot.now)
        twin.idempotency.kept = dict(snapshot.extra["idempotency"])
        twin.keys.keys = dict(snapshot.extra["keys"])
        twin.journal.append("restore", twin.now())

    def reset(self) -> None:
        """See `Twin.reset`."""
        twin = self._twin
        now, keys = twin.clock.now(), dict(twin.keys.keys)
        self.restore(self._initial)
        twin.clock.move(now)
        twin.keys.keys = keys

    def carry_over(self, other: Twin) -> None:
        """Give another twin of the same configuration this one's state and keys."""
        twin = self._twin
        other.restore(self.take())
        other.account, other.keys.default_account = twin.account, twin.account
        other.secret_key, other.publishable_key = twin.secret_key, twin.publishable_key


__all__ = ["Snapshots"]
