"""HTML documents of the pages: a shell with its styles, its modules and what it must know from the start.

The shell holds no script of its own, so that a policy without inline scripts guards every page.
"""

from __future__ import annotations

import json
from html import escape
from typing import Any

from starlette.responses import HTMLResponse

from trialbalance.twin.pages.assets import assets

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src * data: blob:; font-src 'self'; "
    "connect-src 'self' https://*.stripe.com; frame-src 'self' https://*.stripe.com; form-action *; base-uri 'none'"
)


def document(
    title: str,
    entry: str,
    *,
    styles: tuple[str, ...],
    note: dict[str, Any] | None = None,
    framed: bool = False,
    language: str = "en",
    body_class: str = "",
) -> HTMLResponse:
    """A document that runs the module `entry`.

    Args:
        note: what the page knows from the start, as JSON.
        framed: whether other sites may show it in a frame.
    """
    files = assets()
    more = ""
    if note and "adversity" in note:
        more = f'<script type="module" src="{files.url("ui/adversity.js")}"></script>'
    preload = "".join(f'<link rel="modulepreload" href="{files.url(name)}">' for name in files.graph(entry))
    sheets = "".join(f'<link rel="stylesheet" href="{files.url(name)}">' for name in styles)
    data = json.dumps(note or {}, separators=(",", ":"), sort_keys=True).replace("<", "\\u003c")
    html = (
        f'<!doctype html><html lang="{escape(language)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="robots" content="noindex"><meta name="build" content="{files.hash}"><title>{escape(title)}</title>'
        f'<link rel="icon" href="{files.url("ui/icon.svg")}">{sheets}{preload}'
        f'<script type="application/json" id="note">{data}</script>'
        f'<script type="module" src="{files.url(entry)}"></script>{more}</head>'
        f'<body class="{escape(body_class)}"><div id="root"></div><noscript>This page needs JavaScript.</noscript>'
        "</body></html>"
    )
    ancestors = "*" if framed else "'none'"
    return HTMLResponse(
        html,
        headers={
            "content-security-policy": f"{POLICY}; frame-ancestors {ancestors}",
            "cache-control": "no-store",
            "x-content-type-options": "nosniff",
            "referrer-policy": "strict-origin-when-cross-origin",
        },
    )
