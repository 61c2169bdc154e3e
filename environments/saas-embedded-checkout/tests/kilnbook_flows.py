# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-d4b118042648: keep out of training data
"""What the flows of the grader bring home."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from trialbalance.grading import App, Draw, Failed, GraderTwin, Shopper

from trialbalance.grading.locate import css

import kilnbook
from kilnbook import Asked, Object, Offer, Person, Typed

Standing = tuple[Any, Any]
Entries = list[tuple[str, str]]


@dataclass(frozen=True)
class Desk:
    """What `POST /api/checkout/session` and `stripe:sync` made of one day, without a browser."""

    offer: Offer
    prices: dict[str, str]
    codes: dict[str, list[Object]]
    products: dict[str, str]
    made_again: dict[str, int]
    later_codes: dict[str, list[Object]]
    typed: dict[str, Typed]
    elsewhere: Typed
    refused: dict[str, Asked]
    trial: Object
    trial_session: Object
    plain: Object
    plain_lines: list[tuple[Any, ...]]
    plain_session: Object
    first_status: str
    handed_out: list[str]
    just_paid: Asked
    with_plan: Asked
    again: Object
    ben: Person
    ben_standing: list[Standing]
    ben_customers: list[str]
    lies: list[Lie]
    trouble: dict[str, Asked]
    old_status: int


@dataclass(frozen=True)
class Lie:
    """A request that says more than it should, and what came of it."""

    how: str
    status: int
    session: Object | None
    subscription: Object | None
    strangers: tuple[str, ...]
    """Customers that it must not be for."""


def lines_of(twin: GraderTwin, session: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Price and quantity of a session's lines."""
    found = kilnbook.read(twin, f"/v1/checkout/sessions/{session['id']}/line_items", limit=100)["data"]
    return [(line["price"]["id"], line["quantity"]) for line in found]


def tell_lies(
    app: App, twin: GraderTwin, draw: Draw, plan: str, other: str, stranger: str, price: str
) -> list[Lie]:
    """Ask for a plan as somebody who would like it cheaper, longer, and for somebody else."""
    coupon = twin.stripe.v1.coupons.create({"percent_off": 90, "duration": "forever"}).id
    code = twin.stripe.v1.promotion_codes.create({"promotion": {"type": "coupon", "coupon": coupon}}).id
    flat = {
        "plan": plan, "plan_code": other, "planId": other, "team": "1", "team_id": "1", "teamId": "1", "customer": stranger,
        "customer_id": stranger, "customerId": stranger, "stripeCustomer": stranger, "price": price, "price_id": price, "priceId": price,
        "amount": "1", "unit_amount": "1", "quantity": "3", "currency": "jpy", "trial_days": "700", "trialDays": "700",
        "trial_period_days": "700", "trialPeriodDays": "700", "coupon": coupon, "couponId": coupon, "promotion_code": code,
        "promotionCode": code, "promotion": code, "code": code, "return_url": "https://kilnb00k.example.test/", "returnUrl":
        "https://kilnb00k.example.test/", "origin": "https://kilnb00k.example.test", "client_reference_id": "1", "mode": "setup",
    }  # fmt: skip
    nested = {
        **flat,
        "amount": 1, "quantity": 3, "trialDays": 700, "trial_days": 700, "trial_period_days": 700, "teamId": 1, "team_id": 1, "team": {"id": 1},
        "discounts": [{"coupon": coupon}], "line_items": [{"price": price, "quantity": 3}], "items": [{"price": price, "quantity": 3}],
        "subscription_data": {"trial_period_days": 700}, "metadata": {"team": "1"},
    }  # fmt: skip
    found = []
    for how, request in (
        ("JSON", {"json": nested, "headers": {"origin": "https://kilnb00k.example.test"}}),
        ("form", {"data": flat}),
        ("query", {"json": {"plan": plan}, "params": {**flat, "plan": plan}}),
    ):
        person = kilnbook.new_owner(app, draw)
        asked = kilnbook.ask(twin, person.session, plan, **request)
        if asked.session is None:
            found.append(Lie(how, asked.status, None, None, ()))
            continue
        subscription = kilnbook.pay_by_script(twin, asked)
        found.append(Lie(how, asked.status, asked.session, subscription, (stranger,)))
    return found


@dataclass(frozen=True)
class Purchase:
    """A purchase by somebody new, from the pricing page to the studio."""

    offer: Offer
    person: Person
    arrived: str
    page: dict[str, bool]
    addresses: list[str]
    before: Standing
    unpaid_return: Standing
    session: Object
    discount: int
    shown: str
    standing: Standing
    activity: Entries
    later: Entries
    received: str
    secrets: dict[str, str]
    other_before: Standing
    other_after: Standing
    first_after: Standing


@dataclass(frozen=True)
class ClosedWindow:
    """A payment of which only Stripe tells Kilnbook, and what comes after it."""

    offer: Offer
    unsigned: dict[str, int]
    after_unsigned: Standing
    statuses: list[int]
    told: Standing
    activity: Entries
    foreign_statuses: list[int]
    foreign: tuple[Standing, Entries]
    portal: dict[str, Any]
    switched: Standing
    ended: Standing
    end_activity: Entries
    replayed: list[Standing]


@dataclass(frozen=True)
class OldTeam:
    """A team of before, at Stripe and with its owner."""

    person: Person
    customer: str
    subscription: str


@dataclass(frozen=True)
class OldDatabase:
    """A database that was in use before the move, after it."""

    offer: Offer
    standing: Standing
    kilns: list[str]
    portal_customers: list[str]
    customer: str
    changed: Standing
    returned: Object
    returned_customer: str


def portal_by_hand(shopper: Shopper, twin: GraderTwin, price: str) -> dict[str, Any]:
    """Go to the portal from the studio, switch to another price and come back; what was seen on the way."""
    mark = twin.mark()
    found: dict[str, Any] = {"opened": False, "customers": [], "back": False, "problem": ""}
    try:
        shopper.open("/studio")
        manage = shopper.require([css('[data-testid="manage"]')], "the studio has no way to the portal", 15)
        shopper.press(manage, "manage")
        home = css('[data-testid="subscriptions"] button.primary')
        update = shopper.require([home], "the portal does not show the subscription", 20)
        found["opened"] = True
        shopper.screenshot("portal")
        shopper.press(update, "update subscription")
        choice = shopper.require(
            [css(f'input[name="price"][value="{price}"]')], "the plan is not in the portal", 15
        )
        shopper.press(choice, "the other plan")
        confirm = css('[data-testid="confirm"]:not([disabled])')
        shopper.press(shopper.require([confirm], "the switch cannot be confirmed", 15), "confirm")
        shopper.require([home], "the portal does not finish the switch", 20)
        back = shopper.require([css('[data-testid="return-to-business-link"]')], "there is no way back", 10)
        shopper.press(back, "back")
        shopper.wait_for_url("/studio")
        found["back"] = shopper.url.startswith("http://127.0.0.1:4242/studio")
    except Failed as failure:
        found["problem"] = failure.message
    found["customers"] = [one["customer"] for one in twin.created("billing_portal.session", since=mark)]
    return found


def old_owner(app: App, draw: Draw) -> Person:
    """Somebody whose account was made before."""
    return kilnbook.new_person(app, draw)


def make_old_database(
    app: App, twin: GraderTwin, draw: Draw, schema: str, offer: Offer, teams: list[tuple[Person, str | None]]
) -> list[OldTeam]:
    """The database as Kilnbook of before has it, with plans that Stripe knows and a team for each of these people: on
    a plan, or without one after having had the offer's first plan.
    """
    stripe = twin.stripe.v1
    prices, rows = {}, []
    for position, plan in enumerate(offer.plans):
        product = stripe.products.create(
            {
                "name": f"Kilnbook {plan.name}",
                "description": plan.entry()["blurb"],
                "metadata": {"kilnbook_plan": plan.code},
            }
        )
        recurring: Any = {"interval": plan.interval}
        price = stripe.prices.create(
            {
                "product": product.id,
                "unit_amount": plan.amount,
                "currency": offer.currency,
                "recurring": recurring,
                "lookup_key": f"kilnbook_{plan.code}",
            }
        )
        prices[plan.code] = price.id
        values = (plan.code, position, plan.name, plan.entry()["blurb"], json.dumps(plan.entry()["highlights"]), plan.kilns, plan.amount,
                  offer.currency, plan.interval, plan.trial_days, product.id, price.id)  # fmt: skip
        rows.append(f"({', '.join(_quoted(value) for value in values)})")
    statements = [
        "DROP SCHEMA public CASCADE",
        "CREATE SCHEMA public",
        schema,
        "INSERT INTO plans (code, position, name, blurb, highlights, kilns, unit_amount, currency, interval, trial_days, stripe_product,"
        f" stripe_price) VALUES {', '.join(rows)}",
    ]
    found = []
    for number, (person, plan_code) in enumerate(teams, 31):
        customer = stripe.customers.create(
            {
                "email": person.email,
                "payment_method": "pm_card_visa",
                "invoice_settings": {"default_payment_method": "pm_card_visa"},
            }
        )
        had = plan_code or offer.plans[0].code
        subscription = stripe.subscriptions.create(
            {"customer": customer.id, "items": [{"price": prices[had]}]}
        )
        if plan_code is None:
            stripe.subscriptions.cancel(subscription.id)
        status = "active" if plan_code else None
        kept = subscription.id if plan_code else None
        team = (number, f"Studio {number}", plan_code, status, customer.id, kept)
        salt = bytes([number] * 16)
        user = (
            number,
            number,
            "owner",
            person.name,
            person.email,
            kilnbook.password_hash(person.password, salt),
        )
        statements += [
            f"INSERT INTO teams (id, name, plan, subscription_status, stripe_customer, stripe_subscription) VALUES ({_row(team)})",
            f"INSERT INTO users (id, team_id, role, name, email, password_hash) VALUES ({_row(user)})",
            f"INSERT INTO kilns (team_id, name, litres) VALUES ({_row((number, f'Kiln of {number}', 120))})",
            f"INSERT INTO activity (team_id, user_id, action, detail) VALUES ({_row((number, number, 'studio.opened', ''))})",
        ]
        found.append(OldTeam(person, customer.id, subscription.id))
    statements += [
        f"SELECT setval('{table}_id_seq', 60)" for table in ("teams", "users", "kilns", "activity")
    ]
    kilnbook.execute(app, *statements)
    return found


def _row(values: tuple[Any, ...]) -> str:
    return ", ".join(_quoted(value) for value in values)


def _quoted(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


def portal_over_http(person: Person, twin: GraderTwin) -> list[str]:
    """`POST /api/portal`; the customers of the portal sessions that came of it."""
    mark = twin.mark()
    person.session.post("/api/portal")
    return [str(one["customer"]) for one in twin.created("billing_portal.session", since=mark)]


def old_address(person: Person, plan: str) -> int:
    """What the address of hosted Checkout answers."""
    headers = {"content-type": "application/x-www-form-urlencoded"}
    return person.session.post(
        "/api/checkout", content=urlencode({"plan": plan}), headers=headers
    ).status_code


@contextlib.contextmanager
def stripe_down(twin: GraderTwin) -> Any:
    """Stripe breaks the line when a session is asked for."""
    twin.faults([{"fault": "reset_before", "endpoint": "POST /v1/checkout/sessions"}])
    try:
        yield
    finally:
        twin.faults([])
