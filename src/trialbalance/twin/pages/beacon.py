"""Page events: what a customer's browser did, written into the journal.

Pages send them to `/b`, as the official pages send theirs. An entry has `page`, `event`, `session`, `referrer` (the
origin of the site that embeds the page or led to it), `origin` (of the page itself) and `detail`. What a browser
says of itself it could also say wrongly; `referrer_header` and `fetch_dest` are what its request said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec
from starlette.requests import Request

from trialbalance.twin.ledger.journal import mask

if TYPE_CHECKING:
    from trialbalance.twin.twin import Twin

MOST_BYTES = 20_000


class PageEvent(msgspec.Struct, forbid_unknown_fields=True):
    """One event as a page sends it."""

    page: str
    event: str
    session: str | None = None
    referrer: str | None = None
    embedder: str | None = None
    detail: dict[str, Any] = {}


def record(twin: Twin, body: bytes, request: Request) -> None:
    """Write the events of one request; what is not an event is left out."""
    if len(body) > MOST_BYTES:
        return
    try:
        events = msgspec.json.decode(body, type=list[PageEvent])
    except (msgspec.DecodeError, msgspec.ValidationError):
        return
    for event in events[:100]:
        twin.journal.append(
            "page",
            twin.now(),
            page=event.page,
            event=event.event,
            session=event.session,
            referrer=event.referrer,
            embedder=event.embedder,
            origin=request.headers.get("origin"),
            detail=mask(event.detail),
        )
        _follow(twin, event, request)


def _follow(twin: Twin, event: PageEvent, request: Request) -> None:
    """A page that was told to be loaded again is loaded again: the customer got over it."""
    waiting, session = twin.adversity.waiting, event.session
    if session is None:
        return
    if event.event == "adversity" and event.detail.get("kind") == "expired_session":
        waiting.add(session)
    elif event.event == "load" and session in waiting:
        waiting.remove(session)
        twin.journal.append(
            "page",
            twin.now(),
            page=event.page,
            event="adversity_recovered",
            session=session,
            referrer=event.referrer,
            embedder=event.embedder,
            origin=request.headers.get("origin"),
            detail={"kind": "expired_session"},
        )


def visited(twin: Twin, request: Request, page: str, session: str | None, event: str = "document") -> None:
    """A page's document was asked for, or its plain form was sent: by whom, as far as the request says."""
    referrer = request.headers.get("referer")
    twin.journal.append(
        "page",
        twin.now(),
        page=page,
        event=event,
        session=session,
        referrer=origin_of(referrer),
        embedder=None,
        origin=None,
        detail={
            "fetch_dest": request.headers.get("sec-fetch-dest"),
            "fetch_site": request.headers.get("sec-fetch-site"),
            "known": session is not None,
            "user_agent": request.headers.get("user-agent", ""),
        },
    )


def origin_of(url: str | None) -> str | None:
    """Scheme, host and port of an address."""
    if not url:
        return None
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme and parts.netloc else None
