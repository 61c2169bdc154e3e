"""Everything a browser loads: scripts, frames, pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.applications import Starlette

if TYPE_CHECKING:
    from trialbalance.twin.server import Asgi
    from trialbalance.twin.twin import Twin


def create(twin: Twin) -> Asgi:
    """The pages' application."""
    return Starlette()
