"""The inspector: what a twin holds and what happened, live, in a browser. Served by the control plane only."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).with_name("inspector.html")


def page() -> bytes:
    """The inspector's page: one file, no external request."""
    return PAGE.read_bytes()
