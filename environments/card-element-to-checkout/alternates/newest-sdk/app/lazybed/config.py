"""Settings, all of them from environment variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Every request to Stripe names this version, so that the account's default never decides what we get.
STRIPE_API_VERSION = "2026-08-26.dahlia"


class ConfigError(Exception):
    """A setting is missing or makes no sense; the message says which and what to do."""


@dataclass(frozen=True)
class Config:
    stripe_secret_key: str
    stripe_publishable_key: str
    stripe_webhook_secret: str
    database_path: Path
    catalogue_path: Path
    cookie_secret: str
    host: str
    port: int
    shop_url: str

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Config:
        def required(name: str, prefix: str) -> str:
            value = environment.get(name, "").strip()
            if not value:
                raise ConfigError(f"{name} is not set; put the {prefix}… value of the test account there")
            if not value.startswith(prefix):
                raise ConfigError(f"{name} must start with {prefix}")
            return value

        port_text = environment.get("PORT", "4242")
        if not port_text.isdigit():
            raise ConfigError(f"PORT must be a number, not {port_text!r}")
        port = int(port_text)
        return cls(
            stripe_secret_key=required("STRIPE_SECRET_KEY", "sk_"),
            stripe_publishable_key=required("STRIPE_PUBLISHABLE_KEY", "pk_"),
            stripe_webhook_secret=required("STRIPE_WEBHOOK_SECRET", "whsec_"),
            database_path=Path(environment.get("DATABASE_PATH") or ROOT / "var" / "shop.db"),
            catalogue_path=Path(environment.get("CATALOGUE_PATH") or ROOT / "data" / "catalogue.json"),
            cookie_secret=environment.get("COOKIE_SECRET") or "only-for-the-kitchen-table",
            host=environment.get("HOST", "127.0.0.1"),
            port=port,
            shop_url=environment.get("SHOP_URL", f"http://127.0.0.1:{port}").rstrip("/"),
        )
