"""Multipart bodies: file uploads, as `files.stripe.com` takes them.

Source: https://docs.stripe.com/api/files/create
"""

from __future__ import annotations

import logging
from typing import Any

from python_multipart import MultipartParser
from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import parse_options_header

from trialbalance.twin.errors import InvalidRequest

logging.getLogger("python_multipart").setLevel(logging.ERROR + 1)  # what is malformed is answered, not logged


class Upload(dict[str, Any]):
    """One uploaded file: `filename`, `content` (bytes), `type`."""


def parse(body: bytes, content_type: str) -> list[tuple[str, Any]]:
    """The pairs of a multipart body; a part with a filename becomes an `Upload`."""
    _, options = parse_options_header(content_type)
    boundary = options.get(b"boundary")
    if not boundary:
        raise InvalidRequest("Invalid multipart body: the boundary is missing.")
    pairs: list[tuple[str, Any]] = []
    state: dict[str, Any] = {"headers": {}, "field": b"", "value": b"", "data": b""}

    def on_part_begin() -> None:
        state.update(headers={}, field=b"", value=b"", data=b"")

    def on_header_field(data: bytes, start: int, end: int) -> None:
        state["field"] += data[start:end]

    def on_header_value(data: bytes, start: int, end: int) -> None:
        state["value"] += data[start:end]

    def on_header_end() -> None:
        state["headers"][state["field"].lower()] = state["value"]
        state.update(field=b"", value=b"")

    def on_part_data(data: bytes, start: int, end: int) -> None:
        state["data"] += data[start:end]

    def on_part_end() -> None:
        _, found = parse_options_header(state["headers"].get(b"content-disposition", b""))
        name = found.get(b"name", b"").decode()
        if b"filename" in found:
            kind = state["headers"].get(b"content-type", b"application/octet-stream").decode()
            pairs.append(
                (name, Upload(filename=found[b"filename"].decode(), content=state["data"], type=kind))
            )
        else:
            pairs.append((name, state["data"].decode("utf-8")))

    parser = MultipartParser(
        boundary,
        {
            "on_part_begin": on_part_begin,
            "on_header_field": on_header_field,
            "on_header_value": on_header_value,
            "on_header_end": on_header_end,
            "on_part_data": on_part_data,
            "on_part_end": on_part_end,
        },
    )
    try:
        parser.write(body)
        parser.finalize()
    except (MultipartParseError, UnicodeDecodeError) as problem:
        raise InvalidRequest(f"Invalid multipart body: {problem}") from None
    return pairs
