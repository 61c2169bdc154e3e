"""Seed files: a YAML list of requests that a new twin plays before it serves.

    schema_version: 1
    requests:
      - path: /v1/products
        form: {name: Field notebook}
        as: notebook
      - path: /v1/prices
        form: {product: $notebook.id, currency: usd, unit_amount: 1200}

`state_schema()` is the JSON Schema of such a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from trialbalance.twin.errors import JsonObject


class Request(msgspec.Struct, forbid_unknown_fields=True):
    """One request to play."""

    path: str
    method: Literal["POST", "GET", "DELETE"] = "POST"
    form: dict[str, Any] = {}
    name: str | None = msgspec.field(default=None, name="as")
    account: str | None = None
    merchant: str | None = None
    version: str | None = None


class StateFile(msgspec.Struct, forbid_unknown_fields=True):
    """A seed file."""

    requests: list[Request]
    schema_version: Literal[1] = 1


class StateError(OSError):
    """A seed file that cannot be used: the message says where and what."""


def state_schema() -> JsonObject:
    """The JSON Schema of a seed file."""
    return msgspec.json.schema(StateFile)


def read_state(path: Path) -> JsonObject:
    """Read and check a seed file; returns what `control.play` takes.

    Raises:
        StateError: the file is no YAML, or does not follow the schema.
    """
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        state = msgspec.convert(document, StateFile)
    except yaml.YAMLError as problem:
        raise StateError(f"{path}: not valid YAML: {' '.join(str(problem).split())}") from None
    except msgspec.ValidationError as problem:
        raise StateError(f"{path}: {problem}") from None
    except UnicodeDecodeError:
        raise StateError(f"{path}: not UTF-8 text") from None
    found: JsonObject = msgspec.to_builtins(state)
    for step in found["requests"]:
        for name in [name for name, value in step.items() if value is None]:
            del step[name]
    return found
