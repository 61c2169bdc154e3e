"""Hosted pages of Connect and files: onboarding, OAuth, the Express dashboard, file contents and links.

Plain documents with forms: they work without scripts.
Source: https://docs.stripe.com/connect/hosted-onboarding
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from trialbalance.twin.connect import applications
from trialbalance.twin.errors import ApiError
from trialbalance.twin.pages.beacon import visited
from trialbalance.twin.resources import files

if TYPE_CHECKING:
    from trialbalance.twin.twin import Twin

FIELDS = (
    ("business_type", "Kind of business (individual or company)", "individual"),
    ("business_name", "Name of the business", "Test business"),
    ("url", "Website", "https://accessible.stripe.com"),
    ("first_name", "First name", "Jenny"),
    ("last_name", "Last name", "Rosen"),
    ("email", "E-mail address", "jenny.rosen@example.test"),
    ("phone", "Phone", "0000000000"),
    ("dob", "Date of birth", "1901-01-01"),
    ("line1", "Street", "address_full_match"),
    ("city", "City", "San Francisco"),
    ("state", "State", "CA"),
    ("postal_code", "Postal code", "94107"),
    ("id_number", "Identity number", "000000000"),
    ("account_number", "Bank account", "000123456789"),
)
"""What the form asks for: name, label, test value."""
STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem;color:#1c2733}"
    "label{display:block;margin:.75rem 0 .2rem}input{width:100%;padding:.5rem;font:inherit;box-sizing:border-box}"
    "button{margin-top:1.25rem;padding:.6rem 1.2rem;font:inherit;color:#fff;background:#1d4f91;border:0;border-radius:4px}"
    "button:focus-visible,input:focus-visible{outline:3px solid #f2a900}.note{color:#56616d}"
)


def routes(twin: Twin) -> list[Route]:
    """The pages' routes."""
    pages = ConnectPages(twin)
    return [
        Route("/setup/{letter}/{account}/{link}", pages.onboarding, methods=["GET", "POST"]),
        Route("/oauth/authorize", pages.authorize),
        Route("/express/{account}/{secret}", pages.express),
        Route("/v1/files/{file}/contents", pages.contents),
        Route("/links/{token}", pages.linked),
    ]


class ConnectPages:
    """The handlers of one twin's Connect pages."""

    def __init__(self, twin: Twin) -> None:
        self.twin = twin

    async def onboarding(self, request: Request) -> Response:
        """The form of an account link; sending it tells what is missing and goes back to the platform."""
        link = request.path_params["link"]
        answer = self._ask("GET", f"/v1/account_links/{link}")
        if answer.status != 200:
            return PlainTextResponse("No such account link.", status_code=404)
        page = answer.json()
        if request.method == "GET":
            visited(self.twin, request, "onboarding", page["account"])
        if page["expired"]:
            return RedirectResponse(page["refresh_url"] or "/", status_code=303)
        if request.method == "GET":
            return _document("Tell about your business", self._form(page))
        sent = dict(parse_qsl((await request.body()).decode("utf-8")))
        visited(self.twin, request, "onboarding", page["account"], "submit")
        details = {name: sent[name] for name, _, _ in FIELDS if sent.get(name)}
        done = self._ask("POST", f"/v1/account_links/{link}/submit", {"details": details})
        outcome = "complete" if done.status == 200 else "refused"
        visited(self.twin, request, "onboarding", page["account"], outcome)
        if done.status != 200:
            message = escape(done.json()["error"]["message"])
            return _document(
                "Tell about your business", f'<p role="alert">{message}</p>{self._form(page)}', 400
            )
        return RedirectResponse(done.json()["url"] or "/", status_code=303)

    async def authorize(self, request: Request) -> Response:
        """Connect a ready standard account, and go back with a code."""
        query = request.query_params
        target = query.get("redirect_uri") or ""
        form: dict[str, Any] = {
            "client_id": query.get("client_id") or "",
            "scope": query.get("scope") or "read_only",
            "stripe_user": {
                name[12:-1]: value
                for name, value in query.items()
                if name.startswith("stripe_user[") and value
            },
        }
        visited(self.twin, request, "oauth", form["client_id"] or None)
        answer = self._ask("POST", "/oauth/connect", {name: value for name, value in form.items() if value})
        state = {"state": query["state"]} if query.get("state") else {}
        if answer.status != 200:
            error = answer.json()
            if not target or error.get("error") == "invalid_client":
                own = applications.identifier(self.twin)
                return _document("Connect", f"<p>{escape(error['error_description'])}</p><p>{own}</p>", 400)
            return RedirectResponse(f"{target}?{urlencode({**error, **state})}", status_code=303)
        if not target:
            return _document("Connected", f"<p>{escape(answer.json()['code'])}</p>")
        shown = {"scope": answer.json()["scope"], **state, "code": answer.json()["code"]}
        return RedirectResponse(f"{target}?{urlencode(shown)}", status_code=303)

    async def express(self, request: Request) -> Response:
        """The dashboard behind a login link: the account and its balance."""
        account = self.twin.store.find(self.twin.account, "account", request.path_params["account"])
        if account is None:
            return PlainTextResponse("No such account.", status_code=404)
        visited(self.twin, request, "express", account["id"])
        rows = self.twin.store.all(account["id"], "_balance")
        lines = "".join(
            f"<li>{escape(row['id'].upper())}: {sum(row['available'].values())} available, "
            f"{sum(row['pending'].values())} pending</li>"
            for row in rows
        )
        name = escape(account["settings"]["dashboard"]["display_name"] or account["id"])
        return _document("Express dashboard", f"<p>{name}</p><ul>{lines or '<li>No balance yet</li>'}</ul>")

    async def contents(self, request: Request) -> Response:
        """A file's content, to whoever has the secret key."""
        headers = {name.lower(): value for name, value in request.headers.items()}
        try:
            key = self.twin.keys.authenticate(headers, None, self.twin.now())
        except ApiError as error:
            return PlainTextResponse(error.message, status_code=error.status)
        if key.kind == "publishable":
            return PlainTextResponse("A secret key is needed.", status_code=403)
        account = headers.get("stripe-account") or key.account
        found = files.content(self.twin, account, request.path_params["file"])
        return _file(found)

    async def linked(self, request: Request) -> Response:
        """A file behind a public link that has not expired."""
        url = request.path_params["token"]
        for (account, kind), table in self.twin.store.tables.items():
            if kind != "file_link":
                continue
            for link in table.objects.values():
                if link["url"].endswith(f"/links/{url}") and not link["expired"]:
                    return _file(files.content(self.twin, account, link["file"]))
        return PlainTextResponse("This link does not exist or has expired.", status_code=404)

    def _ask(self, method: str, path: str, form: dict[str, Any] | None = None) -> Any:
        return self.twin.request(
            method, path, form=form or {}, key=self.twin.publishable_key, source="browser"
        )

    def _form(self, page: dict[str, Any]) -> str:
        due = "".join(f"<li><code>{escape(field)}</code></li>" for field in page["due"])
        inputs = "".join(
            f'<label for="{name}">{label}</label><input id="{name}" name="{name}" value="{escape(value)}">'
            for name, label, value in FIELDS
        )
        return (
            f'<p class="note">Account {escape(page["account"])} still has to tell:</p><ul>{due}</ul>'
            f'<form method="post">{inputs}<button type="submit">Agree and submit</button></form>'
        )


def _document(title: str, body: str, status: int = 200) -> HTMLResponse:
    return HTMLResponse(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>'
        f"<body><main><h1>{title}</h1>{body}</main></body></html>",
        status_code=status,
    )


def _file(found: tuple[bytes, str, str] | None) -> Response:
    if found is None:
        return PlainTextResponse("No such file.", status_code=404)
    content, kind, name = found
    return Response(
        content,
        media_type=kind,
        headers={"content-disposition": f'inline; filename="{name.replace(chr(34), "")}"'},
    )
