# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-69c466215270: keep out of training data
"""What the flows of the grader bring home."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from trialbalance.grading import App, Draw, Failed, GraderTwin, Shopper
from trialbalance.grading.locate import css

import kilnbook
from kilnbook import Asked, Bought, Entries, Object, Offer, Person, Plan, Post, Standing


_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Part(Generic[_Value]):
    """A part of a flow: what it brought home, or why it could not go on. The other parts are driven all the same."""

    value: _Value | None
    problem: str

    @property
    def seen(self) -> _Value:
        """What it brought home; `Failed` when it could not go on."""
        if self.value is None:
            raise Failed(self.problem)
        return self.value


def part(drive: Callable[[], _Value]) -> Part[_Value]:
    """Drive a part of a flow."""
    try:
        return Part(drive(), "")
    except Failed as failure:
        return Part(None, failure.message)


@dataclass(frozen=True)
class Desk:
    """Everything that can be seen without a browser, of one day; and a renewal."""

    offer: Offer
    unheard: Part[Unheard]
    lies: Part[list[Lie]]
    trouble: Part[Trouble]
    told: Part[Told]


@dataclass(frozen=True)
class Unheard:
    """Somebody who buys without Kilnbook being told anything: no way back, no events."""

    offer: Offer
    refused: dict[str, Asked]
    other: Object
    open_after: dict[str, int]
    chosen: Asked
    left_of_other: dict[str, int]
    unpaid_return: tuple[Standing, Any]
    after_first: tuple[Standing, list[str]]
    second: Asked
    another_plan: Asked
    just_paid: Asked
    with_plan: Asked


def buys_unheard(app: App, twin: GraderTwin, draw: Draw, offer: Offer, post: Post) -> Unheard:
    """Refusals, other choices, both instalments and what is asked for after each."""
    vera, anna = kilnbook.new_owner(app, draw), kilnbook.new_owner(app, draw)
    member = vera.member(app, draw)
    refused = {
        "signed out": kilnbook.ask(twin, app.session(), offer.odd.code),
        "a member": kilnbook.ask(twin, member.session, offer.odd.code),
        "no such plan": kilnbook.ask(twin, vera.session, f"{offer.odd.code}-none"),
        "not on sale": kilnbook.ask(twin, vera.session, offer.gone.code),
    }
    open_after = {}
    other = kilnbook.ask(twin, anna.session, offer.even.code)
    kilnbook.ask(twin, anna.session, offer.plain.code)
    open_after["another plan"] = kilnbook.left(twin, anna.email)["open Checkouts"]
    kilnbook.ask(twin, anna.session, offer.even.code)
    chosen = kilnbook.ask(twin, anna.session, offer.odd.code)
    left_of_other = kilnbook.left(twin, anna.email)
    open_after["yet another"] = left_of_other["open Checkouts"]
    chosen = kilnbook.ask(twin, anna.session, offer.odd.code)
    open_after["the same plan again"] = kilnbook.left(twin, anna.email)["open Checkouts"]
    anna.comes_back(chosen.instalment)
    unpaid_return = (anna.standing(), anna.purchase())
    kilnbook.pay(twin, chosen, "tok_visa")
    after_first = (anna.standing(), kilnbook.statuses_of(twin, anna.email))
    second = kilnbook.ask(twin, anna.session, offer.odd.code)
    another_plan = kilnbook.ask(twin, anna.session, offer.even.code)
    again = kilnbook.ask(twin, anna.session, offer.odd.code)
    open_after["the second instalment again"] = kilnbook.left(twin, anna.email)["open Checkouts"]
    kilnbook.pay(twin, again, "tok_mastercard")
    just_paid = kilnbook.ask(twin, anna.session, offer.odd.code)
    post.deliver()
    return Unheard(
        offer=offer, refused=refused, other=other.instalment, open_after=open_after, chosen=chosen, left_of_other=left_of_other,
        unpaid_return=unpaid_return, after_first=after_first, second=second,
        another_plan=another_plan, just_paid=just_paid,
        with_plan=kilnbook.ask(twin, anna.session, offer.even.code),
    )  # fmt: skip


@dataclass(frozen=True)
class Told:
    """Somebody whose window is closed after each payment, so that only Stripe tells Kilnbook."""

    plan: Plan
    price: str
    customers: list[str]
    first: Object
    second: Object
    statuses: list[int]
    before: Any
    purchase: Any
    began: int
    after_first: tuple[Standing, list[str]]
    unsigned: dict[str, int]
    after_unsigned: Standing
    foreign: tuple[list[int], tuple[Any, Standing], tuple[Any, Standing]]
    standing: Standing
    bought: Bought
    repeated: list[Standing]
    payments_after: int
    after_returns: tuple[Standing, Entries]
    stranger: tuple[Standing, Any]
    renewal: Object
    renewal_card: str


def buys_told(app: App, twin: GraderTwin, draw: Draw, offer: Offer, post: Post) -> Told:
    """Both instalments by events alone, among events that are unsigned, foreign, late and repeated; then a renewal."""
    plan = offer.odd
    ben = kilnbook.new_owner(app, draw)
    before = ben.purchase()
    post.skip()
    began = twin.now()
    first = kilnbook.pay(twin, kilnbook.ask(twin, ben.session, plan.code), "tok_visa")
    statuses = post.deliver()
    after_first = (ben.standing(), kilnbook.statuses_of(twin, ben.email))
    purchase = ben.purchase()
    if not purchase:
        ben.comes_back(first)

    foreign_before = (ben.purchase(), ben.standing())
    kilnbook.sell_glaze(twin, str(ben.team()["id"]), plan, offer.currency)
    foreign_statuses = post.deliver()
    foreign = (foreign_statuses, foreign_before, (ben.purchase(), ben.standing()))

    second = kilnbook.pay(twin, kilnbook.ask(twin, ben.session, plan.code), "tok_mastercard")
    event = next(one for one in post.waiting() if one["type"] == "checkout.session.completed")
    unsigned = {
        "missing": app.send_event(kilnbook.WEBHOOK, event, signature="missing").status_code,
        "forged": app.send_event(kilnbook.WEBHOOK, event, signature="forged").status_code,
    }
    after_unsigned = ben.standing()
    statuses += post.deliver()
    statuses += post.deliver()
    standing = ben.standing()
    if standing == kilnbook.NOTHING:
        ben.comes_back(second)
    bought = kilnbook.bought(twin, ben.email)

    repeated = []
    for one in reversed(kilnbook.events(twin)):
        post.send(one)
        repeated.append(ben.standing())
    for session in (first, second, first):
        ben.comes_back(session)
    payments_after = len(kilnbook.bought(twin, ben.email).payments)
    after_returns = (ben.standing(), ben.activity())
    dora = kilnbook.new_owner(app, draw)
    kilnbook.ask(twin, dora.session, plan.code)
    dora.comes_back(first)
    dora.comes_back(second)
    stranger = (dora.standing(), dora.purchase())

    end = kilnbook.read(twin, "/v1/subscriptions", customer=bought.customer)["data"][0]["items"]["data"][0][
        "current_period_end"
    ]
    twin.advance(end + 3 * kilnbook.HOUR)
    post.skip()
    renewals = [
        one
        for one in kilnbook.read(twin, "/v1/invoices", customer=bought.customer, limit=100)["data"]
        if one["billing_reason"] == "subscription_cycle"
    ]
    return Told(
        plan=plan, price=kilnbook.price_of(twin, plan), customers=kilnbook.customers_of(twin, ben.email), first=first, second=second,
        statuses=statuses, before=before, purchase=purchase, began=began, after_first=after_first, unsigned=unsigned,
        after_unsigned=after_unsigned, foreign=foreign, standing=standing, bought=bought, repeated=repeated, payments_after=payments_after,
        after_returns=after_returns, stranger=stranger, renewal=renewals[0] if renewals else {},
        renewal_card=_card_of(twin, renewals[0]["id"]) if renewals else "",
    )  # fmt: skip


def _card_of(twin: GraderTwin, invoice: str) -> str:
    """The brand of the card that has paid an invoice."""
    rows = kilnbook.read(twin, "/v1/invoice_payments", invoice=invoice, status="paid")["data"]
    if not rows:
        return ""
    intent = kilnbook.read(
        twin, f"/v1/payment_intents/{rows[0]['payment']['payment_intent']}", expand=["latest_charge"]
    )
    return str(intent["latest_charge"]["payment_method_details"]["card"]["brand"])


@dataclass(frozen=True)
class Lie:
    """A request that says more than it should, and where it led."""

    how: str
    status: int
    session: Object | None
    strangers: tuple[str, ...]
    """Customers that it must not be for."""


def tell_lies(app: App, twin: GraderTwin, draw: Draw, offer: Offer, stranger: str) -> list[Lie]:
    """Ask for a plan as somebody who would like it cheaper, and for somebody else."""
    price = kilnbook.price_of(twin, offer.plain)
    lies = {
        "instalment": "2", "instalments": "1", "number": "2", "part": "2", "amount": "51", "amounts": "51", "unit_amount": "51", "price": price,
        "price_id": price, "priceId": price, "currency": "jpy", "quantity": "3", "customer": stranger, "customer_id": stranger,
        "customerId": stranger, "stripeCustomer": stranger, "team": "1", "team_id": "1", "teamId": "1", "mode": "setup", "subscription": "sub_1",
        "invoice": "in_1", "purchase": "1", "discount": "50", "success_url": "https://kilnb00k.example.test/", "return_url":
        "https://kilnb00k.example.test/", "origin": "https://kilnb00k.example.test", "client_reference_id": "1",
    }  # fmt: skip
    nested: Object = {
        **lies, "plan": offer.odd.code, "instalment": 2, "number": 2, "amount": 51, "amounts": [51, 51], "unit_amount": 51, "quantity": 3,
        "teamId": 1, "line_items": [{"price": price, "quantity": 3}], "metadata": {"team": "1"},
    }  # fmt: skip
    found = []
    for how, request in (
        ("form", {"data": {**lies, "plan": offer.odd.code}}),
        ("JSON", {"json": nested}),
        ("query", {"data": {"plan": offer.odd.code}, "params": lies}),
    ):
        asked = kilnbook.ask(twin, kilnbook.new_owner(app, draw).session, offer.odd.code, **request)
        found.append(Lie(how, asked.status, asked.session, (stranger,)))
    return found


@dataclass(frozen=True)
class Trouble:
    """Stripe does not answer, when a Checkout is asked for and when an event comes."""

    answers: dict[str, Asked]
    living: list[str]
    event_status: int
    event_after: Standing
    again: Standing
    payments: int


def meets_trouble(app: App, twin: GraderTwin, draw: Draw, offer: Offer, post: Post) -> Trouble:
    """Somebody who buys all the same."""
    plan = offer.even
    cleo = kilnbook.new_owner(app, draw)
    answers = {}
    for what, endpoint, fault in (
        ("nothing answers", "*", "unavailable"),
        ("no Checkout is opened", "POST /v1/checkout/sessions", "reset_before"),
        ("Checkout is refused", "POST /v1/checkout/sessions", "rate_limit"),
    ):
        twin.faults([{"fault": fault, "endpoint": endpoint}])
        try:
            answers[what] = kilnbook.ask(twin, cleo.session, plan.code)
        finally:
            twin.faults([])
    cleo.comes_back(kilnbook.pay(twin, kilnbook.ask(twin, cleo.session, plan.code)))
    post.deliver()
    second = kilnbook.pay(twin, kilnbook.ask(twin, cleo.session, plan.code))
    event = next(one for one in post.waiting() if one["type"] == "checkout.session.completed")
    twin.faults([{"fault": "unavailable", "endpoint": "*"}])
    try:
        status = app.send_event(kilnbook.WEBHOOK, event).status_code
    finally:
        twin.faults([])
    after = cleo.standing()
    post.send(event)
    post.deliver()
    again = cleo.standing()
    cleo.comes_back(second)
    living = [
        one for one in kilnbook.statuses_of(twin, cleo.email) if one not in ("canceled", "incomplete_expired")
    ]
    payments = len(kilnbook.bought(twin, cleo.email).payments) if "active" in living else 0
    return Trouble(answers, living, status, after, again, payments)


@dataclass(frozen=True)
class Purchase:
    """A purchase in a browser, from the pricing page to the studio."""

    plan: Plan
    between: Standing
    instalments: str
    problem: str
    standing: Standing
    statuses: list[str]
    shown: str


def buys_in_browser(app: App, twin: GraderTwin, shopper: Shopper, draw: Draw, offer: Offer) -> Purchase:
    """Sign up, choose, pay the first, see what is missing, pay the second."""
    plan = offer.odd
    person = kilnbook.new_person(app, draw)
    kilnbook.sign_up_in_browser(shopper, person, f"{draw.word().title()} School")
    shopper.open("/pricing")
    choose = shopper.require([css(f'[data-testid="choose-{plan.code}"]')], "the plan cannot be chosen")
    shopper.screenshot("pricing")
    shopper.press(choose, "choose the plan")
    shopper.pay(email=person.email, name=person.name)
    _go_to_studio(shopper)
    between, instalments, problem, shown = person.standing(), "", "", ""
    try:
        place = shopper.require(
            [css('[data-testid="instalments"]')], "the studio does not tell of the instalments", 15
        )
        instalments = place.inner_text()
        shopper.screenshot("between")
        button = shopper.require([css('[data-testid="pay-instalment"]')], "no way to the second instalment")
        between = person.standing()
        shopper.press(button, "pay the second instalment")
        shopper.pay(card="5555555555554444", email=person.email, name=person.name)
    except Failed as failure:
        problem = failure.message
    try:
        kilnbook.shows_plan(shopper, plan.name)
        shown = plan.name
    except Failed as failure:
        shown = failure.message
    shopper.screenshot("studio")
    return Purchase(
        plan=plan, between=between, instalments=instalments, problem=problem, standing=person.standing(),
        statuses=kilnbook.statuses_of(twin, person.email), shown=shown,
    )  # fmt: skip


def _go_to_studio(shopper: Shopper) -> None:
    """Be on the studio's page, wherever Checkout has led to."""
    try:
        shopper.wait_for_url("/studio")
    except Failed:
        shopper.open("/studio")


@dataclass(frozen=True)
class Missing:
    """Second instalments that do not come, or come late."""

    plan: Plan
    began: int
    purchase: Any
    later: tuple[str, int, Any]
    taken_up: Standing
    payable: dict[str, str]
    paid_late: int
    first: Object
    given_back: list[tuple[str, int]]
    standing: Standing
    purchase_after: Any
    left: dict[str, int]
    activity: Entries
    unopened: tuple[list[tuple[str, int]], dict[str, int], int]
    unopened_amount: int
    anew: Part[tuple[int, int]]
    anew_standing: Standing
    late: list[Standing]
    given_back_later: list[tuple[str, int]]
    customers: list[str]


def leaves_it(app: App, twin: GraderTwin, draw: Draw, offer: Offer, post: Post) -> Missing:
    """Fay leaves for good, Gus comes back in time, Hal never opens the second Checkout."""
    plan = offer.odd
    fay, gus, hal = (kilnbook.new_owner(app, draw) for _ in range(3))
    began = twin.now()
    firsts = []
    for one in (fay, gus, hal):
        firsts.append(kilnbook.pay(twin, kilnbook.ask(twin, one.session, plan.code)))
        one.comes_back(firsts[-1])
    post.deliver()
    purchase = fay.purchase()
    seconds = [kilnbook.ask(twin, one.session, plan.code).instalment for one in (fay, gus)]
    twin.advance(began + 20 * kilnbook.HOUR)
    post.deliver()
    again = kilnbook.ask(twin, fay.session, plan.code).instalment
    later = (again["status"], again["amount_total"], fay.purchase())
    gus.comes_back(kilnbook.pay(twin, kilnbook.ask(twin, gus.session, plan.code), "tok_mastercard"))
    post.deliver()
    taken_up = gus.standing()

    twin.advance(began + 23 * kilnbook.HOUR)
    opened = {"opened at once": seconds[0]["id"], "opened again": again["id"]}
    payable = {how: kilnbook.session_of(twin, session)["status"] for how, session in opened.items()}
    paid_late = kilnbook.try_to_pay(twin, again).status_code
    twin.advance(began + 24 * kilnbook.HOUR)
    post.deliver()
    fay.team()
    hal.team()
    over = kilnbook.events(twin)
    given_back = kilnbook.given_back(twin, firsts[0])
    standing, purchase_after = fay.standing(), fay.purchase()
    left = kilnbook.left(twin, fay.email)
    for event in reversed(over):
        post.send(event)
    activity = fay.activity()
    abandoned = [action for action, _ in hal.activity() if action == "plan.abandoned"]
    unopened = (kilnbook.given_back(twin, firsts[2]), kilnbook.left(twin, hal.email), len(abandoned))

    anew = part(lambda: _buys(twin, fay, plan, post))
    anew_standing = fay.standing()
    late = []
    for event in over:
        post.send(event)
        late.append(fay.standing())
    return Missing(
        plan=plan, began=began, purchase=purchase, later=later, taken_up=taken_up, payable=payable, paid_late=paid_late, first=firsts[0],
        given_back=given_back, standing=standing, purchase_after=purchase_after, left=left, activity=activity, unopened=unopened,
        unopened_amount=firsts[2]["amount_total"], anew=anew, anew_standing=anew_standing, late=late,
        given_back_later=kilnbook.given_back(twin, firsts[0]), customers=kilnbook.customers_of(twin, fay.email),
    )  # fmt: skip


def _buys(twin: GraderTwin, person: Person, plan: Plan, post: Post) -> tuple[int, int]:
    """Pay both instalments, each told by its events; their amounts."""
    amounts = []
    for token in ("tok_visa", "tok_mastercard"):
        paid = kilnbook.pay(twin, kilnbook.ask(twin, person.session, plan.code), token)
        amounts.append(int(paid["amount_total"]))
        person.comes_back(paid)
        post.deliver()
    post.deliver()
    return amounts[0], amounts[1]


@dataclass(frozen=True)
class OldDatabase:
    """A database that was in use before, after it."""

    offer: Offer
    standing: Standing
    kilns: list[str]
    portal_customers: list[str]
    customer: str
    changed: Standing
    plain: Object
    plain_lines: list[tuple[str, int]]
    plain_price: str
    plain_standing: Standing
    returned: str
    returned_standing: Standing
    returned_customer: str


def make_old_database(
    app: App, twin: GraderTwin, schema: str, offer: Offer, teams: list[tuple[Person, bool]]
) -> list[tuple[str, str]]:
    """The database as Kilnbook of before has it, with plans that Stripe knows and a team for each of these people: on
    `even`, or without a plan after having had it. Customer and subscription of each.
    """
    stripe = twin.stripe.v1
    rows, price_id = [], ""
    for position, plan in enumerate((offer.even, offer.odd, offer.plain)):
        recurring: Any = {"interval": plan.interval}
        product = stripe.products.create(
            {
                "name": f"Kilnbook {plan.name}",
                "description": plan.entry()["blurb"],
                "metadata": {"kilnbook_plan": plan.code},
            }
        )
        price = stripe.prices.create(
            {
                "product": product.id,
                "unit_amount": plan.amount,
                "currency": offer.currency,
                "recurring": recurring,
                "lookup_key": f"kilnbook_{plan.code}",
            }
        )
        price_id = price_id or price.id
        values = (plan.code, position, plan.name, plan.entry()["blurb"], json.dumps(plan.entry()["highlights"]), plan.kilns, plan.amount,
                  offer.currency, plan.interval, plan.trial_days, product.id, price.id)  # fmt: skip
        rows.append(_row(values))
    statements = [
        "DROP SCHEMA public CASCADE",
        "CREATE SCHEMA public",
        schema,
        "INSERT INTO plans (code, position, name, blurb, highlights, kilns, unit_amount, currency, interval, trial_days, stripe_product,"
        f" stripe_price) VALUES {', '.join(rows)}",
    ]
    found = []
    for number, (person, has_plan) in enumerate(teams, 31):
        customer = stripe.customers.create(
            {
                "email": person.email,
                "payment_method": "pm_card_visa",
                "invoice_settings": {"default_payment_method": "pm_card_visa"},
            }
        )
        subscription = stripe.subscriptions.create({"customer": customer.id, "items": [{"price": price_id}]})
        if not has_plan:
            stripe.subscriptions.cancel(subscription.id)
        plan_columns = (offer.even.code, "active", subscription.id) if has_plan else (None, None, None)
        code, status, kept = plan_columns
        team = (number, f"Studio {number}", code, status, customer.id, kept)
        stored = kilnbook.password_hash(person.password, bytes([number] * 16))
        user = (number, number, "owner", person.name, person.email, stored)
        statements += [
            f"INSERT INTO teams (id, name, plan, subscription_status, stripe_customer, stripe_subscription) VALUES {_row(team)}",
            f"INSERT INTO users (id, team_id, role, name, email, password_hash) VALUES {_row(user)}",
            f"INSERT INTO kilns (team_id, name, litres) VALUES {_row((number, f'Kiln of {number}', 120))}",
            f"INSERT INTO activity (team_id, user_id, action, detail) VALUES {_row((number, number, 'studio.opened', ''))}",
        ]
        found.append((str(customer.id), str(subscription.id)))
    statements += [
        f"SELECT setval('{table}_id_seq', 60)" for table in ("teams", "users", "kilns", "activity")
    ]
    kilnbook.execute(app, *statements)
    return found


def _row(values: tuple[Any, ...]) -> str:
    return f"({', '.join(_quoted(value) for value in values)})"


def _quoted(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


def works_on(app: App, twin: GraderTwin, draw: Draw, schema: str) -> OldDatabase:
    """Migrate a database of before; a team keeps its plan, one buys again, and somebody new buys a plain plan."""
    kilnbook.stop_deliveries(twin)
    offer = kilnbook.draw_offer(draw)
    kilnbook.ready(app)
    staying, returning = (kilnbook.new_person(app, draw) for _ in range(2))
    (customer, subscription), (returned_customer, _) = make_old_database(
        app, twin, schema, offer, [(staying, True), (returning, False)]
    )
    kilnbook.command(app, "db:migrate")
    kilnbook.sync(app, offer.document(offer.even, offer.odd, offer.plain))
    post = Post(app, twin)
    staying.sign_in()
    standing = staying.standing()
    kilns = [str(kiln["name"]) for kiln in staying.session.call("GET", "/api/kilns").get("kilns", [])]
    mark = twin.mark()
    staying.session.post("/api/portal")
    portals = [str(one["customer"]) for one in twin.created("billing_portal.session", since=mark)]
    item = kilnbook.read(twin, f"/v1/subscriptions/{subscription}")["items"]["data"][0]["id"]
    twin.stripe.v1.subscriptions.update(
        subscription, {"items": [{"id": item, "price": kilnbook.price_of(twin, offer.plain)}]}
    )
    post.deliver()
    changed = staying.standing()

    ida = kilnbook.new_owner(app, draw)
    plain = kilnbook.ask(twin, ida.session, offer.plain.code)
    lines = kilnbook.read(twin, f"/v1/checkout/sessions/{plain.checkout['id']}/line_items")["data"]
    plain_lines = [(line["price"]["id"], line["quantity"]) for line in lines]
    kilnbook.pay(twin, plain)
    post.deliver()

    returning.sign_in()
    returned = ""
    for _ in range(2):
        asked = kilnbook.ask(twin, returning.session, offer.odd.code)
        if asked.session is not None and asked.session["mode"] == "payment":
            returned = str(kilnbook.pay(twin, asked)["customer"])
            post.deliver()
    post.deliver()
    return OldDatabase(
        offer=offer, standing=standing, kilns=kilns, portal_customers=portals, customer=customer, changed=changed, plain=plain.checkout,
        plain_lines=plain_lines, plain_price=kilnbook.price_of(twin, offer.plain), plain_standing=ida.standing(), returned=returned,
        returned_standing=returning.standing(), returned_customer=returned_customer,
    )  # fmt: skip
