"""What tokens cost, from the dated price file in the package or from one of the user's own.

A model that the file does not know costs `None`, never 0.
"""

import os
import re
import tomllib
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from trialbalance.gateway.conversation import Usage
from trialbalance.gateway.errors import GatewayError

VARIABLE = "TRIALBALANCE_PRICES"
"""Names a price file that is used instead of the package's."""

_MILLION = Decimal(1_000_000)
_DATE = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$")


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars per million tokens; what is left out costs as much as plain input."""

    input: Decimal
    output: Decimal
    cached_input: Decimal | None = None
    cache_write: Decimal | None = None

    def cost(self, usage: Usage) -> float:
        """What these tokens cost, in dollars."""
        plain = usage.prompt_tokens - usage.cached_tokens - usage.cache_write_tokens
        cached = self.input if self.cached_input is None else self.cached_input
        written = self.input if self.cache_write is None else self.cache_write
        total = (
            plain * self.input
            + usage.cached_tokens * cached
            + usage.cache_write_tokens * written
            + usage.completion_tokens * self.output
        )
        return round(float(total / _MILLION), 9)


class Prices:
    """Prices by model name; a dated name (`gpt-5-2025-08-07`) falls back to its plain one."""

    def __init__(self, table: dict[str, Price]) -> None:
        self._table = table

    @classmethod
    def load(cls, path: Path | None = None) -> "Prices":
        """The user's file (the argument, else `TRIALBALANCE_PRICES`), else the package's."""
        chosen = path or (Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None)
        try:
            if chosen is not None:
                text = chosen.read_text()
            else:
                text = files("trialbalance.gateway").joinpath("prices.toml").read_text()
            document: dict[str, Any] = tomllib.loads(text, parse_float=Decimal)
            table = msgspec.convert(document.get("models", {}), dict[str, Price], strict=False)
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
            raise GatewayError(f"price file {chosen or 'prices.toml'}: {error}") from None
        return cls(table)

    def of(self, model: str) -> Price | None:
        """The price of a model; None where it is not known."""
        return self._table.get(model) or self._table.get(_DATE.sub("", model))

    def cost(self, model: str, usage: Usage) -> float | None:
        """What a call cost; None where the model's price is not known."""
        price = self.of(model)
        return None if price is None else price.cost(usage)
