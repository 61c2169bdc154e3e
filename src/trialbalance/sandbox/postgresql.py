"""Where this machine has PostgreSQL, which tasks with a server of it need."""

from __future__ import annotations

import re
from pathlib import Path

PLACE = Path("/usr/lib/postgresql")


def find_postgresql(place: Path = PLACE) -> Path | None:
    """The directory of the newest server's programs (`postgres`, `initdb`), or None. Sandboxes see it at the same place."""
    found = [path.parent for path in place.glob("*/bin/initdb") if (path.parent / "postgres").exists()]
    return max(
        found, key=lambda path: [int(part) for part in re.findall(r"\d+", path.parent.name)], default=None
    )
