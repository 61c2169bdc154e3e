# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-52690dcff06f: keep out of training data
"""What the flows of the grader bring home, and how it is read."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from trialbalance.grading import Failed, GraderTwin, Shopper

import lazybed_shop as lazybed
from lazybed_shop import Books, Delivery, Shop, SoldLine, Visitor

Session = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """An answer of `POST /checkout/session`, and the session that was made."""

    status: int
    body: str
    session: Session | None
    lines: list[SoldLine]
    made: int

    def made_session(self) -> Session:
        """The session; `Failed` when none was made."""
        if self.session is None:
            raise Failed(
                "POST /checkout/session made no Checkout Session", status=self.status, body=self.body
            )
        return self.session

    def total(self, name: str) -> int:
        """An amount of the session's `total_details`."""
        return int((self.made_session()["total_details"] or {}).get(name) or 0)


def ask(visitor: Visitor, twin: GraderTwin) -> Asked:
    """`POST /checkout/session` as the page does."""
    mark = twin.mark()
    answer = visitor.session.post("/checkout/session")
    found = twin.created("checkout.session", since=mark)
    session = found[-1] if found else None
    lines = lazybed.lines_of(twin, session) if session else []
    return Asked(answer.status_code, answer.text[:5000], session, lines, len(found))


@dataclass(frozen=True)
class Requests:
    """What `POST /checkout/session` made of several baskets."""

    shop: Shop
    plain_basket: dict[str, int]
    plain: Asked
    free: Asked
    percent: Asked
    amount: Asked
    stale: Asked
    before: Asked
    after: Asked
    after_basket: dict[str, int]
    empty: Asked
    short: Asked
    down: Asked
    down_basket: dict[str, int]
    down_kept: dict[str, int]
    refused: Asked
    old_status: int


@dataclass(frozen=True)
class Tampering:
    """The session for an honest page, and those for a page that lies."""

    honest: Session | None
    lies: list[tuple[str, int, list[Session]]]
    lines: list[list[SoldLine]]


def costs(session: Session, lines: list[SoldLine]) -> dict[str, Any]:
    sold = sorted((line.product, line.amount, line.currency, line.quantity) for line in lines)
    names = ("amount_subtotal", "amount_total", "currency")
    return {"lines": sold, **{name: session[name] for name in names}, **(session["total_details"] or {})}


def decoded(body: str | None) -> dict[str, Any]:
    try:
        found = json.loads(body or "{}")
    except ValueError:
        return {name: values[0] for name, values in parse_qs(body or "").items()}
    return found if isinstance(found, dict) else {}


def lied(value: Any) -> Any:
    """The same with every number made small."""
    if isinstance(value, dict):
        return {name: lied(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [lied(inner) for inner in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return 1
    return "1" if isinstance(value, str) and value.isdigit() else value


@dataclass(frozen=True)
class Purchase:
    """A purchase from the basket to the receipt, and the shop's books after it."""

    shop: Shop
    delivery: Delivery
    note: str
    addresses: list[str]
    page: dict[str, bool]
    session: Session
    stock_before: dict[str, int]
    books: Books
    repeated: Books
    receipt: dict[str, list[str]]
    basket: dict[str, int]
    received: str
    secrets: dict[str, str]
    refund_problem: str
    refunded: int
    intent: str


ON_THE_RECEIPT = (
    "order-number", "order-status", "order-email", "order-address", "receipt-line", "line-quantity", "line-name", "line-amount",
    "subtotal", "discount", "shipping", "total",
)  # fmt: skip


def paying_page(shopper: Shopper) -> dict[str, bool]:
    """Whether the card form is in a frame inside our element, on our page, without a form of our own."""
    page = shopper.page
    place = page.locator('[data-testid="checkout"]')
    framed = place.count() == 1 and place.locator("iframe").count() > 0
    foreign = [frame for frame in page.frames if (urlsplit(frame.url).hostname or "").endswith("stripe.com")]
    card = any(
        frame.locator('[name="cardNumber"], #cardNumber').count() for frame in foreign if frame.parent_frame
    )
    ours = page.main_frame.locator(
        'input[name="email"], input[name="line1"], input[name="postcode"], [data-testid="card-element"]'
    )
    return {
        "on our page": urlsplit(page.url).path == "/checkout" and urlsplit(page.url).hostname == "127.0.0.1",
        "Checkout in the element": framed and card,
        "no form of our own": ours.count() == 0,
    }


def minor(text: str) -> int:
    digits = re.sub(r"[^0-9]", "", text)
    return int(digits) if digits else 0


@dataclass(frozen=True)
class ClosedWindow:
    """A payment of which only Stripe tells the shop: the books after each step."""

    unsigned: dict[str, int]
    after_unsigned: Books
    statuses: list[int]
    told: Books
    later: list[Books] = field(default_factory=list)


@dataclass(frozen=True)
class TwoTabs:
    """A payment while the basket was changed in another tab."""

    shop: Shop
    lines: list[SoldLine]
    books: Books


@dataclass(frozen=True)
class Declined:
    """A declined card, and then a good one."""

    after_decline: Books
    after: Books
    charges: int


@dataclass(frozen=True)
class Looking:
    """A shopper who looks at Checkout and leaves."""

    basket: dict[str, Any]
    before: Books
    kept: dict[str, Any]
    after: Books
    after_return: Books


def basket_page(shopper: Shopper) -> dict[str, Any]:
    """Lines, code and note as the basket page shows them."""
    shopper.open("/basket")
    page = shopper.page
    quantities = page.locator('[data-testid="basket-line"]').evaluate_all(
        "lines => Object.fromEntries(lines.map("
        "(line) => [line.dataset.sku, line.querySelector('[name=quantity]')?.value]))"
    )
    notes = page.locator('[name="note"]').evaluate_all("fields => fields.map((field) => field.value)")
    code = page.locator('[data-testid="discount-code"]').all_inner_texts()
    return {"lines": quantities, "code": code, "note": notes}


@dataclass(frozen=True)
class OldDatabase:
    """A shop that was in use with the card form, after the move."""

    number: str
    total: int
    receipt_status: int
    receipt: str
    exported: list[str]
    new: list[str]


def exported(text: str) -> list[str]:
    """The order numbers of an export."""
    try:
        return [row.get("order") or "" for row in csv.DictReader(io.StringIO(text))]
    except csv.Error as error:
        raise Failed(f"the export is no CSV: {error}") from None
