# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-e8facc4a9f8b: keep out of training data
"""Settings, all of them from environment variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Every request to Stripe names this version, so that the account's default never decides what we get.
STRIPE_API_VERSION = "2026-10-28.endive"


class ConfigError(Exception):
    """A setting is missing or makes no sense; the message says which and what to do."""


@dataclass(frozen=True)
class Config:
    stripe_secret_key: str
    database_path: Path
    host: str
    port: int

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Config:
        key = environment.get("STRIPE_SECRET_KEY", "").strip()
        if not key.startswith("sk_"):
            raise ConfigError("STRIPE_SECRET_KEY must be set to the account's sk_… key")
        port = environment.get("PORT", "4242")
        if not port.isdigit():
            raise ConfigError(f"PORT must be a number, not {port!r}")
        return cls(
            stripe_secret_key=key,
            database_path=Path(environment.get("DATABASE_PATH") or ROOT / "var" / "books.db"),
            host=environment.get("HOST", "127.0.0.1"),
            port=int(port),
        )
