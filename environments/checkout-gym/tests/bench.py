# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-49a411280b3d: keep out of training data
"""The canonicaliser: what the API makes of parameters, and what the page then shows.

It asks a twin of the same kind, version and clock as the trial's, with the same catalogue. So defaults are the API's own,
parameters that the API refuses make no page, and two sets of parameters with one page are one and the same.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from trialbalance.twin import Twin
from trialbalance.twin.config import TwinConfig
from trialbalance.twin.control import play

from challenges import CLOCK
from documents import OURS, SUCCESS, swapped
from shown import Facts, Page, facts_of

VERSION = "2026-03-25.dahlia"
ADDRESS = {
    "country": "US",
    "state": "WA",
    "city": "Seattle",
    "line1": "5 Pike Street",
    "postal_code": "98101",
}
"""Where a customer says to live when taxes are looked for."""


class Refused(Exception):
    """The API refuses the parameters: there is no page. The message is the API's."""


class Broken(Exception):
    """The twin failed; that is our fault and nobody's score."""


class Bench:
    """A twin with the catalogue, on which pages are made to be looked at."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        config = TwinConfig(seed=1, api_version=VERSION, clock=CLOCK, frozen=True, site="stripe")
        self.twin = Twin(config=config)
        ours = [request for request in document["requests"] if "merchant" not in request]
        named = play(self.twin, {"requests": ours})
        prefix = f"{OURS}-"
        self.ids = {name.removeprefix(prefix): made["id"] for name, made in named.items() if "id" in made}
        self._usual: dict[tuple[str, str], frozenset[str]] = {}

    def translation(self, answers: list[dict[str, Any]]) -> dict[str, str]:
        """The bench's id for each id of a trial, by the answers to the trial's seed in their order."""
        found = {}
        for request, answer in zip(self.document["requests"], answers, strict=True):
            name = request.get("as", "")
            if name.startswith(f"{OURS}-") and "id" in answer:
                found[answer["id"]] = self.ids[name.removeprefix(f"{OURS}-")]
        return found

    def facts(self, form: dict[str, Any], ids: dict[str, str] | None = None) -> Facts:
        """The facts of the page that parameters make. `ids` translates those of a trial.

        Raises:
            Refused: there is no page.
        """
        page, taxed = self.pages(form, ids)
        return facts_of(page, taxed, self.shop, self.usual_methods(page))

    def pages(self, form: dict[str, Any], ids: dict[str, str] | None = None) -> tuple[Page, Page | None]:
        """The page, and where taxes are automatic the page after an address."""
        session = self.session(form, ids)
        path = f"/v1/payment_pages/{session['id']}"
        page = self.ask("POST", f"{path}/init", {"browser_locale": "en-US"})
        if not page["automatic_tax"]["enabled"]:
            return page, None
        given: dict[str, Any] = {"customer_details": {"address": ADDRESS}}
        countries = (page["shipping_address_collection"] or {}).get("allowed_countries", ["US"])
        if "US" in countries and page["shipping_address_collection"]:
            given["shipping"] = {"name": "Ada", "address": ADDRESS}
        return page, self.ask("POST", path, given)

    def session(self, form: dict[str, Any], ids: dict[str, str] | None = None) -> dict[str, Any]:
        """The session that parameters make; where they go afterwards is nobody's concern."""
        sent = without_nothing(swapped(form, ids or {}))
        if sent.get("ui_mode", "hosted_page") == "hosted_page":
            sent = {"success_url": SUCCESS, **sent}
        return self.ask("POST", "/v1/checkout/sessions", sent)

    def usual_methods(self, page: Page) -> frozenset[str]:
        """What a page of this mode and currency offers when nobody says anything."""
        key = (page["mode"], page["currency"] or "usd")
        if key not in self._usual:
            price: dict[str, Any] = {
                "currency": key[1],
                "unit_amount": 5000,
                "product_data": {"name": "Anything"},
            }
            if key[0] == "subscription":
                price["recurring"] = {"interval": "month"}
            form: dict[str, Any] = {"mode": key[0], "currency": key[1]}
            if key[0] != "setup":
                form["line_items"] = [{"price_data": price, "quantity": 1}]
            types = self.session(form)["payment_method_types"]
            self._usual[key] = frozenset(types) - {"link"}
        return self._usual[key]

    @cached_property
    def shop(self) -> str:
        """The name on pages without a brand."""
        return self.twin.config.display_name

    def ask(self, method: str, path: str, form: dict[str, Any]) -> dict[str, Any]:
        """One request.

        Raises:
            Refused: the API says no.
            Broken: the twin does.
        """
        try:
            answer = self.twin.request(method, path, form)
        except (TypeError, ValueError, RecursionError) as problem:
            raise Refused(f"these are no parameters: {problem}") from None
        body: dict[str, Any] = answer.json()
        if answer.status == 200:
            return body
        message = body.get("error", {}).get("message", "no message")
        if answer.status in (400, 402, 403, 404, 409, 501):
            raise Refused(message)
        raise Broken(f"{method} {path}: {answer.status} {message}")


def without_nothing(value: Any) -> Any:
    """A form without nulls: they say nothing."""
    if isinstance(value, dict):
        return {key: without_nothing(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_nothing(item) for item in value]
    return value
