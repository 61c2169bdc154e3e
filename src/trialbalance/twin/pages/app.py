"""Everything a browser loads: scripts, frames, pages.

Served by path whatever the host, because in a trial `js.`, `checkout.`, `hooks.` and their sisters all lead here.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from trialbalance.twin.pages import adversity, connect_pages, papers
from trialbalance.twin.pages.assets import Asset, assets
from trialbalance.twin.pages.beacon import record, visited
from trialbalance.twin.pages.document import document
from trialbalance.twin.pages.frames import FRAMES

if TYPE_CHECKING:
    from trialbalance.twin.server import Asgi
    from trialbalance.twin.twin import Twin

RELEASES = ("acacia", "basil", "clover", "dahlia", "endive")
FRAME = re.compile(r"^([a-z0-9-]+)-([0-9a-f]{32})\.html$")
CONNECT_VERSIONS = ("v0.1", "v1.0")
FOREVER = "public, max-age=31536000, immutable"


def create(twin: Twin) -> Asgi:
    """The pages' application."""
    pages = Pages(twin)
    return Starlette(
        routes=[
            Route("/{version}/connect.js", pages.connect_js),
            Route("/v3", pages.stripe_js),
            Route("/v3/", pages.stripe_js),
            Route("/{release}/stripe.js", pages.stripe_js),
            Route("/v3/fingerprinted/{hash}/{name:path}", pages.static),
            Route("/v3/{name}", pages.frame),
            Route("/v0.1/{name}", pages.frame),
            Route("/v1.0/{name}", pages.frame),
            Route("/c/pay/{session}", pages.checkout),
            Route("/r/{token}", pages.recovery),
            Route("/i/{account}/{token}", pages.invoice),
            Route("/invoice/{account}/{token}/pdf", pages.invoice_pdf),
            Route("/credit_notes/{account}/{token}/pdf", pages.credit_note_pdf),
            Route("/p/session/{token}", pages.portal),
            Route("/p/login/{token}", pages.portal_login),
            Route("/receipts/payment/{token}", pages.receipt),
            Route("/instructions/{name}", pages.code),
            Route("/pay/{session}", pages.checkout),
            Route("/3d_secure_2/hosted", pages.bank),
            Route("/authorize/{account}/{source}", pages.redirect),
            Route("/b", pages.beacon, methods=["POST", "OPTIONS"]),
            Route("/6", pages.beacon, methods=["POST", "OPTIONS"]),
            *connect_pages.routes(twin),
            Route("/{token}", pages.payment_link),
        ]
    )


class Pages:
    """The handlers of one twin's pages."""

    def __init__(self, twin: Twin) -> None:
        self.twin = twin

    async def stripe_js(self, request: Request) -> Response:
        """Stripe.js: one script, whatever the release; some names differ by release."""
        release = request.path_params.get("release", "v3")
        if release not in (*RELEASES, "v3"):
            return PlainTextResponse("Not found", status_code=404)
        return _send(request, assets().script("stripe-js", release), "public, max-age=60", cors=True)

    async def connect_js(self, request: Request) -> Response:
        """Connect.js, at the addresses that the npm package loads."""
        version = request.path_params["version"]
        if version not in CONNECT_VERSIONS:
            return PlainTextResponse("Not found", status_code=404)
        script = assets().script("connect-js", version)
        return _send(request, script, "public, max-age=60", cors=True)

    async def static(self, request: Request) -> Response:
        """One static file."""
        found = assets().files.get(request.path_params["name"])
        if found is None or request.path_params["hash"] != assets().hash:
            return PlainTextResponse("Not found", status_code=404)
        return _send(request, found, FOREVER, cors=True)

    async def frame(self, request: Request) -> Response:
        """A document that Stripe.js shows in a frame."""
        match = FRAME.match(request.path_params["name"])
        if match is None or match[2] != assets().hash:
            return PlainTextResponse("Not found", status_code=404)
        if match[1] == "embedded-checkout-inner":
            struck = await self._struck("checkout", framed=True)
            return self._checkout_document(struck, framed=True)
        found = FRAMES.get(match[1])
        if found is None:
            return PlainTextResponse("Not found", status_code=404)
        title, entry, styles = found
        struck = await self._struck(match[1], framed=True)
        note = {"now": self.twin.now(), **struck}
        return document(title, entry, styles=styles, framed=True, note=note)

    async def _struck(self, page: str, *, framed: bool) -> dict[str, Any]:
        """The difficulties of one document, for its note; slow ones are over when this returns."""
        drawn = self.twin.adversity.draw(page, framed=framed)
        if not drawn:
            return {}
        await asyncio.sleep(adversity.delay_of(drawn))
        return {"adversity": drawn, "adversity_page": page}

    async def checkout(self, request: Request) -> Response:
        """The hosted Checkout page of a session."""
        identifier = request.path_params["session"]
        account = owner(self.twin, "checkout.session", identifier)
        visited(self.twin, request, "checkout", identifier if account else None)
        note = self._note(account, session=identifier)
        note |= await self._struck("checkout", framed=False) if account else {}
        return self._checkout_document(note=note, status=200 if account else 404)

    async def bank(self, request: Request) -> Response:
        """The test bank of a 3-D Secure challenge, in a frame or on its own."""
        query = request.query_params
        kind = "setup_intent" if "setup_intent" in query else "payment_intent"
        note = {
            "account": query.get("merchant"),
            "intent": query.get(kind),
            "key": query.get("publishable_key"),
            "kind": kind,
            "locale": query.get("locale"),
            "page": "3ds",
            "secret": query.get(f"{kind}_client_secret"),
            "source": query.get("source"),
        }
        return self._bank_document(note)

    async def redirect(self, request: Request) -> Response:
        """The test page of a payment method that leads away from the shop."""
        account, source = request.path_params["account"], request.path_params["source"]
        found = self.twin.store.find(account, "_authorisation", source)
        note: dict[str, Any] = {
            "account": account,
            "key": self.twin.publishable_key,
            "page": "redirect",
            "source": source,
        }
        if found is not None:
            intent = self.twin.store.find(account, found["kind"], found["intent"])
            session = self.twin.store.find(
                account, "checkout.session", str((intent or {}).get("_session") or "")
            )
            note |= {
                "intent": found["intent"],
                "kind": found["kind"],
                "locale": session["locale"] if session else None,
                "secret": intent["client_secret"] if intent else None,
            }
        return self._bank_document(note)

    async def payment_link(self, request: Request) -> Response:
        """A payment link: a Checkout page that makes its session when it opens."""
        token = request.path_params["token"]
        found = owner(self.twin, "payment_link_token", token)
        if not token.startswith("test_") or found is None:
            return PlainTextResponse("Not found", status_code=404)
        visited(self.twin, request, "payment_link", None)
        return self._checkout_document(note=self._note(found, link=token))

    async def recovery(self, request: Request) -> Response:
        """The way back into a session that expired."""
        token = request.path_params["token"]
        found = indexed_owner(self.twin, "checkout.session", token)
        visited(self.twin, request, "recovery", None)
        return self._checkout_document(note=self._note(found, recovery=token), status=200 if found else 404)

    async def invoice(self, request: Request) -> Response:
        """The hosted page of an invoice."""
        account, token = request.path_params["account"], request.path_params["token"]
        found = next(self.twin.store.all(account, "invoice", _token=token), None)
        visited(self.twin, request, "invoice", found["id"] if found else None)
        struck = await self._struck("invoice", framed=False) if found else {}
        return self._sheet("Invoice", "invoice/main.js", account if found else None, token, found, **struck)

    async def portal(self, request: Request) -> Response:
        """The customer portal."""
        token = request.path_params["token"]
        account = indexed_owner(self.twin, "billing_portal.session", token)
        session = (
            next(self.twin.store.all(account, "billing_portal.session", _token=token), None)
            if account
            else None
        )
        visited(self.twin, request, "portal", session["id"] if session else None)
        note = self._note(account, token=token, session=session["id"] if session else None)
        note |= await self._struck("portal", framed=False) if session else {}
        return _portal_document("portal/main.js", note, found=session is not None)

    async def portal_login(self, request: Request) -> Response:
        """Where customers ask for a link to their portal."""
        token = request.path_params["token"]
        account = next(
            (
                account
                for account, kind in list(self.twin.store.tables)
                if kind == "billing_portal.configuration"
                for found in self.twin.store.all(account, kind)
                if found["active"] and str(found["login_page"]["url"]).endswith(f"/{token}")
            ),
            None,
        )
        visited(self.twin, request, "portal_login", None)
        return _portal_document(
            "portal/login.js", self._note(account, token=token), found=account is not None
        )

    async def receipt(self, request: Request) -> Response:
        """The receipt of a charge."""
        token = request.path_params["token"]
        charge = token.partition("-")[0]
        account = owner(self.twin, "charge", charge)
        visited(self.twin, request, "receipt", charge if account else None)
        return self._sheet("Receipt", "receipt/main.js", account, token, None)

    def _sheet(
        self,
        title: str,
        entry: str,
        account: str | None,
        token: str,
        found: dict[str, Any] | None,
        **more: Any,
    ) -> HTMLResponse:
        note = self._note(account, token=token, invoice=found["id"] if found else None, **more)
        answer = document(title, entry, styles=("ui/base.css", "ui/sheet.css"), note=note)
        answer.status_code = 200 if account else 404
        return answer

    def _note(self, account: str | None, **known: Any) -> dict[str, Any]:
        """What a page knows from the start: the publishable key, and whose page it is."""
        note = {
            "key": self.twin.page_key(account or self.twin.account),
            "now": self.twin.now(),
            **known,
        }
        if account and account != self.twin.account:
            note["account"] = account
        return note

    async def invoice_pdf(self, request: Request) -> Response:
        """An invoice as a file."""
        return _file(papers.invoice(self.twin, **request.path_params), "application/pdf")

    async def credit_note_pdf(self, request: Request) -> Response:
        """A credit note as a file."""
        return _file(papers.credit_note(self.twin, **request.path_params), "application/pdf")

    async def code(self, request: Request) -> Response:
        """The picture of a code to scan."""
        return _file(papers.code(request.path_params["name"].partition(".")[0]), "image/svg+xml")

    def _bank_document(self, note: dict[str, Any]) -> HTMLResponse:
        return document(
            "Test bank",
            "bank/main.js",
            styles=("ui/base.css", "bank/bank.css"),
            note={**note, "now": self.twin.now()},
            framed=True,
        )

    def _checkout_document(
        self, note: dict[str, Any] | None = None, *, framed: bool = False, status: int = 200
    ) -> HTMLResponse:
        answer = document(
            "Checkout",
            "checkout/main.js",
            styles=("ui/base.css", "checkout/checkout.css"),
            note=note,
            framed=framed,
            body_class="embedded" if framed else "hosted",
        )
        answer.status_code = status
        return answer

    async def beacon(self, request: Request) -> Response:
        """What a page saw, into the journal."""
        if request.method == "POST":
            record(self.twin, await request.body(), request)
        return Response(
            status_code=204,
            headers={
                "access-control-allow-origin": "*",
                "access-control-allow-headers": "*",
                "access-control-max-age": "600",
            },
        )


def _portal_document(entry: str, note: dict[str, Any], *, found: bool) -> HTMLResponse:
    answer = document(
        "Billing", entry, styles=("ui/base.css", "ui/sheet.css", "portal/portal.css"), note=note
    )
    answer.status_code = 200 if found else 404
    return answer


def owner(twin: Twin, kind: str, identifier: str) -> str | None:
    """The account that holds an object."""
    for (account, held), table in twin.store.tables.items():
        if held == kind and identifier in table.objects:
            return account
    return None


def indexed_owner(twin: Twin, kind: str, token: str) -> str | None:
    """The account that has an object of a kind with a token."""
    for account, held in list(twin.store.tables):
        if held == kind and next(twin.store.all(account, kind, _token=token), None) is not None:
            return account
    return None


def _file(body: bytes | None, kind: str) -> Response:
    if body is None:
        return PlainTextResponse("Not found", status_code=404)
    return Response(body, media_type=kind, headers={"x-content-type-options": "nosniff"})


def _send(request: Request, asset: Asset, cache: str, *, cors: bool = False) -> Response:
    headers = {"cache-control": cache, "vary": "Accept-Encoding", "x-content-type-options": "nosniff"}
    if cors:
        headers["access-control-allow-origin"] = "*"
        headers["cross-origin-resource-policy"] = "cross-origin"
    body = asset.body
    if "gzip" in request.headers.get("accept-encoding", ""):
        body, headers["content-encoding"] = asset.compressed, "gzip"
    return Response(body, headers=headers, media_type=asset.type)
