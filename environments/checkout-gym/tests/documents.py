# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-64fcb7b41a8a: keep out of training data
"""The seed of a trial's twin: the agent's account and the merchant's, with one catalogue, and the merchant's pages.

The merchant is another account: no key of the trial reaches it. Its pages are the requests named `page-01` … `page-24`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from challenges import Page, draw_pages

MERCHANT = "press room"
OURS, THEIRS = "ours", "theirs"
SUCCESS = "https://press-room.example.test/thanks"
_REFERENCE = re.compile(r"@([a-z0-9-]+)")
Json = Any


def document(seed: int) -> dict[str, Any]:
    """twin.json of a seed."""
    catalogue, pages = draw_pages(seed)
    requests: list[dict[str, Any]] = []
    for side in (OURS, THEIRS):
        for request in catalogue.requests:
            made = bound(request, side)
            if "as" in request:
                made["as"] = f"{side}-{request['as']}"
            requests.append({**made, "merchant": MERCHANT} if side == THEIRS else made)
    for page in pages:
        form = {**bound(page.form, THEIRS), "success_url": SUCCESS}
        requests.append(
            {"as": f"page-{page.name}", "path": "/v1/checkout/sessions", "form": form, "merchant": MERCHANT}
        )
    return {"seed": seed, "requests": requests}


def bound(value: Json, side: str) -> Json:
    """A form with `@key` as the twin's `$ours-key.id`."""
    if isinstance(value, dict):
        return {key: bound(item, side) for key, item in value.items()}
    if isinstance(value, list):
        return [bound(item, side) for item in value]
    if isinstance(value, str):
        if _REFERENCE.fullmatch(value):
            return f"${side}-{value[1:]}.id"
        return _REFERENCE.sub(rf"${side}-\1.id", value) if value.startswith("/") else value
    return value


def filled(value: Json, ids: dict[str, str]) -> Json:
    """A form with the ids in place of `@key`."""
    if isinstance(value, dict):
        return {key: filled(item, ids) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, ids) for item in value]
    if isinstance(value, str) and _REFERENCE.fullmatch(value):
        return ids[value[1:]]
    return value


def swapped(value: Json, ids: dict[str, str]) -> Json:
    """A form with each text that is an id of one twin as the id of another."""
    if isinstance(value, dict):
        return {key: swapped(item, ids) for key, item in value.items()}
    if isinstance(value, list):
        return [swapped(item, ids) for item in value]
    return ids.get(value, value) if isinstance(value, str) else value


def pages_of(written: dict[str, Any]) -> list[Page]:
    """The pages of a twin.json, with `@key` for ids again."""
    _, pages = draw_pages(written["seed"])
    return pages


def read_document() -> dict[str, Any]:
    """The twin.json that the task's trials begin with."""
    path = Path(__file__).parents[1] / "environment" / "twin.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found
