"""How long a twin takes to be ready, to snapshot, fork, restore and reset, as its state grows.

python benchmarks/twin_state.py [--sizes 100 1000 10000 100000]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

_STARTED = time.perf_counter()

from trialbalance.twin import Twin  # noqa: E402 - how long this takes is measured

_IMPORTED = time.perf_counter() - _STARTED

REPEAT = 7


def best(action: Callable[[], object]) -> float:
    """The best of a few runs, in milliseconds."""
    times = []
    for _ in range(REPEAT):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return min(times) * 1000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="*", default=[100, 1_000, 10_000, 100_000])
    arguments = parser.parse_args()
    started = time.perf_counter()
    Twin(seed=0)
    first = (time.perf_counter() - started) * 1000
    table = Table(title="State")
    for name in ("objects", "Twin()", "snapshot ms", "restore ms", "fork ms", "reset ms"):
        table.add_column(name, justify="right")
    ready = best(lambda: Twin(seed=1))
    twin = Twin(seed=1)
    for size in arguments.sizes:
        while sum(len(t.objects) for t in twin.store.tables.values()) < size:
            twin.request("POST", "/v1/customers", {"email": "a@example.test"})
        kept = twin.snapshot()
        row = [best(twin.snapshot), best(lambda kept=kept: twin.restore(kept)), best(twin.fork)]  # type: ignore[misc]
        reset = best(twin.reset)
        twin.restore(kept)
        table.add_row(f"{size:,}", f"{ready:.2f} ms", *(f"{value:.2f}" for value in row), f"{reset:.2f}")
    console = Console()
    console.print(
        f"from trialbalance.twin import Twin: {_IMPORTED * 1000:.0f} ms; the first Twin() after it: {first:.1f} ms"
    )
    console.print(table)


if __name__ == "__main__":
    main()
