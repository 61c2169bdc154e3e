"""`python -m lazybed`: serve the shop."""

from __future__ import annotations

import sys

from waitress import serve

from . import create_app
from .config import Config, ConfigError


def main() -> int:
    try:
        config = Config.from_environment()
    except ConfigError as error:
        print(f"lazybed: {error}", file=sys.stderr)
        return 2
    print(f"Lazybed is open on {config.shop_url}", flush=True)
    serve(create_app(config), host=config.host, port=config.port, threads=8, ident=None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
