"""What the scripts share: finding the shop's code and settings, and ending with one clear line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from lazybed.catalogue import CatalogueError  # noqa: E402
from lazybed.config import Config, ConfigError  # noqa: E402
from lazybed.payments import PaymentTrouble  # noqa: E402


class ScriptError(Exception):
    """The script cannot go on; the message says why."""


def run(main: Callable[[Config], None]) -> None:
    try:
        main(Config.from_environment())
    except (ScriptError, ConfigError, CatalogueError, PaymentTrouble) as error:
        print(f"{Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        sys.exit(1)
