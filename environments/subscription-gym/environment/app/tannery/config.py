"""Where the front desk runs and with which key."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Config:
    """Settings from the environment."""

    secret_key: str
    data: Path = Path("var")
    host: str = "127.0.0.1"
    port: int = 4242

    @classmethod
    def from_environment(cls):
        """KeyError when `STRIPE_SECRET_KEY` is not set."""
        return cls(
            secret_key=os.environ["STRIPE_SECRET_KEY"],
            data=Path(os.environ.get("DATA_DIR", "var")),
            host=os.environ.get("HOST", "127.0.0.1"),
            port=int(os.environ.get("PORT", "4242")),
        )
