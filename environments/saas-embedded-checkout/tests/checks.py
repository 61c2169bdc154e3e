# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-a10574d69be5: keep out of training data
"""Is Kilnbook's embedded Checkout right?  Each flow is driven once, with drawn plans and promotions, and judged by several checks."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from trialbalance.grading import (
    App,
    Draw,
    Failed,
    GraderTwin,
    Shopper,
    Submission,
    TrialTwin,
    check,
    every,
    same,
    scenario,
)
from trialbalance.grading.locate import css

import kilnbook
import kilnbook_flows as flows
from kilnbook_flows import ClosedWindow, Desk, OldDatabase, Purchase

TESTS = Path(__file__).resolve().parent
NO_PLAN = (None, None)


# Sessions and promotions, over HTTP


@scenario
def desk(app: App, twin: GraderTwin, draw: Draw) -> Desk:
    offer = kilnbook.set_up(app, twin, draw)
    none, some, long, gone = (plan.code for plan in offer.plans)
    prices = kilnbook.prices_of(twin, offer)
    products = {
        code: str(kilnbook.read(twin, f"/v1/prices/{price}")["product"]) for code, price in prices.items()
    }
    codes = kilnbook.active_codes(twin)
    mark = twin.mark()
    kilnbook.command(app, "stripe:sync")
    made_again = kilnbook.mark_ids(twin, mark)
    kilnbook.sync(app, offer.second)
    later_codes = kilnbook.active_codes(twin)

    words = [one.code for one in (offer.narrow, offer.wide, offer.dear, offer.changed, offer.leaving)]
    typed = kilnbook.type_codes(twin, prices[none], words)
    elsewhere = kilnbook.type_codes(twin, prices[some], [offer.narrow.code])[offer.narrow.code]

    anna = kilnbook.new_owner(app, draw)
    member = anna.member(app, draw)
    refused = {
        "signed out": kilnbook.ask(twin, app.session(), some),
        "a member": kilnbook.ask(twin, member.session, some),
        "no such plan": kilnbook.ask(twin, anna.session, f"{some}-none"),
        "not on sale": kilnbook.ask(twin, anna.session, gone),
    }
    first = kilnbook.ask(twin, anna.session, some)
    second = kilnbook.ask(twin, anna.session, long)
    first_status = kilnbook.read(twin, f"/v1/checkout/sessions/{first.made_session()['id']}")["status"]
    third = kilnbook.ask(twin, anna.session, long)
    asked = {one.made_session()["id"] for one in (first, second, third)}
    open_now = [
        one["id"]
        for one in twin.created("checkout.session")
        if one["id"] in asked and one["status"] == "open"
    ]
    trial = kilnbook.pay_by_script(twin, third)
    just_paid = kilnbook.ask(twin, anna.session, some)
    kilnbook.deliver(app, twin)
    with_plan = kilnbook.ask(twin, anna.session, none)

    ben = kilnbook.new_owner(app, draw)
    bought = kilnbook.ask(twin, ben.session, none)
    plain_lines = flows.lines_of(twin, bought.made_session())
    plain = kilnbook.pay_by_script(twin, bought)
    kilnbook.deliver(app, twin)
    ben_standing = [ben.standing()]
    twin.stripe.v1.subscriptions.cancel(plain["id"])
    kilnbook.deliver(app, twin)
    ben_standing.append(ben.standing())
    again = kilnbook.pay_by_script(twin, kilnbook.ask(twin, ben.session, some))

    lies = flows.tell_lies(app, twin, draw, none, long, str(plain["customer"]), prices[some])

    dora = kilnbook.new_owner(app, draw)
    with flows.stripe_down(twin):
        down = kilnbook.ask(twin, dora.session, some)
    twin.stripe.v1.prices.update(prices[some], {"active": False})
    trouble = {"down": down, "refused": kilnbook.ask(twin, dora.session, some)}
    return Desk(
        offer=offer, prices=prices, codes=codes, products=products, made_again=made_again, later_codes=later_codes, typed=typed, elsewhere=elsewhere,
        refused=refused, trial=trial, trial_session=third.made_session(), plain=plain, plain_lines=plain_lines,
        plain_session=bought.made_session(), first_status=str(first_status), handed_out=open_now, just_paid=just_paid, with_plan=with_plan,
        again=again, ben=ben, ben_standing=ben_standing, ben_customers=kilnbook.customers_of(twin, ben.email), lies=lies, trouble=trouble,
        old_status=flows.old_address(dora, none),
    )  # fmt: skip


@check(
    cites="What is bought is a subscription to one of the plan's price, the one that `stripe:sync` made at Stripe, and cards are the "
    "only way to pay, as today."
)
def the_plans_price_is_bought(desk: Desk) -> None:
    session, plan = desk.plain_session, desk.offer.plans[0]
    same(session["mode"], "subscription", "the session's mode")
    same(session["payment_method_types"], ["card"], "the ways to pay")
    same(desk.plain_lines, [(desk.prices[plan.code], 1)], "the session's lines (price, quantity)")
    items = [(item["price"]["id"], item["quantity"]) for item in desk.plain["items"]["data"]]
    same(items, [(desk.prices[plan.code], 1)], "the subscription's items (price, quantity)")


@check(
    cites="Of what a browser sends to `POST /api/checkout/session`, only `plan` counts: team, customer, price, quantity, trial and "
    "discount are for the server to decide."
)
def server_decides(desk: Desk) -> None:
    plan = desk.offer.plans[0]
    wanted = [(desk.products[plan.code], plan.amount, 1)]
    every([lie for lie in desk.lies if lie.session], "sessions for requests with more in them than a plan")
    for lie in desk.lies:
        if lie.session is None or lie.subscription is None:
            if lie.status < 400:
                raise Failed(
                    "a request with more in it was answered, but no session was made", sent_as=lie.how
                )
            continue
        what = f"after lies sent as {lie.how}"
        items = lie.subscription["items"]["data"]
        sold = [(item["price"]["product"], item["price"]["unit_amount"], item["quantity"]) for item in items]
        same(sold, wanted, f"product, amount and quantity {what}")
        same(
            (lie.session["currency"], lie.session["amount_total"]),
            (desk.offer.currency, plan.amount),
            f"the amount {what}",
        )
        same(lie.subscription["trial_end"], None, f"the end of the trial {what}")
        same(lie.subscription["discounts"], [], f"the discounts {what}")
        same(lie.subscription["customer"] in lie.strangers, False, f"the customer is another team's {what}")
        same(
            str(lie.session["return_url"]).startswith("http://127.0.0.1:4242/"),
            True,
            f"the way back is ours {what}",
        )


@check(
    cites="A team is one Stripe customer, with the e-mail address of the owner who buys, however many subscriptions it has one after "
    "the other."
)
def a_team_is_one_customer(desk: Desk) -> None:
    same(desk.again["customer"], desk.plain["customer"], "the customer of the team's second subscription")
    same(desk.plain["customer"] in desk.ben_customers, True, "the customer has the owner's e-mail address")
    same(desk.ben_customers, [desk.plain["customer"]], "the customers with the owner's e-mail address")


@check(
    cites="`POST /api/checkout/session` answers `401` to whoever is not signed in, `403` to members who are not owners and `400` for a "
    "plan that is not on sale, and creates no session then."
)
def who_may_not_buy_is_refused(desk: Desk) -> None:
    wanted = {"signed out": 401, "a member": 403, "no such plan": 400, "not on sale": 400}
    same({who: asked.status for who, asked in desk.refused.items()}, wanted, "the answers")
    same(sum(asked.made for asked in desk.refused.values()), 0, "the number of sessions made")
    same([who for who, asked in desk.refused.items() if not asked.told], [], "answers without an error text")
    desk.plain_session["id"]


@check(
    cites="It answers `409`, and creates no session, when the team has a plan already, also when it has just paid for it and no event "
    "has come yet; changing plans is what the portal is for."
)
def no_second_plan_is_sold(desk: Desk) -> None:
    same(desk.with_plan.status, 409, "the answer to a team that has a plan")
    same(desk.just_paid.status, 409, "the answer to a team that has just paid")
    same(desk.with_plan.made + desk.just_paid.made, 0, "the number of sessions made")


@check(
    cites="A team cannot pay twice by way of two tabs: when Checkout is opened again, an open session of before has expired, unless the "
    "same one is handed out again."
)
def one_session_can_be_paid(desk: Desk) -> None:
    same(desk.first_status, "expired", "the session of before, when Checkout was opened for another plan")
    same(len(desk.handed_out), 1, "the number of open sessions after Checkout was opened three times")


@check(cites="When Stripe refuses or does not answer, `POST /api/checkout/session` answers `502`.")
def stripe_trouble_is_told(desk: Desk) -> None:
    same(desk.trouble["down"].status, 502, "the answer while Stripe does not")
    same(desk.trouble["refused"].status, 502, "the answer when Stripe refuses")
    same(
        [what for what, asked in desk.trouble.items() if not asked.told], [], "answers without an error text"
    )


@check(cites="`POST /api/checkout` is gone and answers `404` or `405`.")
def old_address_is_gone(desk: Desk) -> None:
    if desk.old_status not in (404, 405):
        raise Failed("POST /api/checkout still answers", status=desk.old_status)


@check(
    cites="`npm run stripe:sync` makes each entry of `promotions` in the plans file a promotion code at Stripe: with its `code`, its "
    "`percent_off` or its `amount_off` in the file's currency, its `duration` with `duration_in_months`, and its `max_redemptions` if it has any."
)
def promotions_are_made(desk: Desk) -> None:
    for promotion in desk.offer.promotions:
        found = desk.codes.get(promotion.code, [])
        same(len(found), 1, f"the number of promotion codes {promotion.code} that can be used")
        coupon = found[0]["coupon"]
        terms = (
            coupon["percent_off"],
            coupon["amount_off"],
            coupon["duration"],
            coupon["duration_in_months"],
        )
        wanted = (promotion.percent, promotion.amount, promotion.duration, promotion.months)
        same(terms, wanted, f"per cent, amount, duration and months of {promotion.code}")
        if promotion.amount is not None:
            same(coupon["currency"], desk.offer.currency, f"the currency of {promotion.code}")
        limits = [
            limit for limit in (found[0]["max_redemptions"], coupon["max_redemptions"]) if limit is not None
        ]
        same(
            sorted(set(limits)),
            [promotion.limit] if promotion.limit else [],
            f"the limit of {promotion.code}",
        )


@check(
    cites="A promotion that names `plans` is good for these plans only, and one that names none is good for all."
)
def promotions_are_for_their_plans(desk: Desk) -> None:
    offer, amount = desk.offer, desk.offer.plans[0].amount
    for promotion in (offer.narrow, offer.wide):
        taken = desk.typed[promotion.code]
        same(
            (taken.taken, taken.off),
            (True, promotion.off(amount)),
            f"what {promotion.code} takes off a plan it is for",
        )
    same(desk.typed[offer.dear.code].off, 0, f"what {offer.dear.code} takes off a plan it is not for")
    same(desk.elsewhere.off, 0, f"what {offer.narrow.code} takes off a plan it is not for")
    for promotion in (offer.narrow, offer.wide, offer.dear):
        (code,) = desk.codes.get(promotion.code) or [{}]
        products = ((code.get("coupon") or {}).get("applies_to") or {}).get("products") or []
        wanted = sorted(desk.products[plan] for plan in promotion.plans)
        same(sorted(products), wanted, f"the products that {promotion.code} is for")


@check(cites="Syncing an unchanged file again makes no second product, price, coupon or promotion code.")
def syncing_again_makes_nothing(desk: Desk) -> None:
    every(desk.codes, "promotion codes")
    same(desk.made_again, dict.fromkeys(desk.made_again, 0), "what a second sync made")


@check(
    cites="A promotion that is not in the file any more cannot be used any more, and one whose terms have changed gives the new ones "
    "under the same code."
)
def changed_promotions_follow(desk: Desk) -> None:
    offer = desk.offer
    same(
        desk.typed[offer.leaving.code].taken,
        False,
        f"{offer.leaving.code}, which has left the file, is taken",
    )
    every(desk.codes.get(offer.leaving.code, []), f"promotion codes {offer.leaving.code} before")
    changed = desk.typed[offer.changed.code]
    wanted = (True, offer.changed.off(offer.plans[0].amount))
    same(
        (changed.taken, changed.off),
        wanted,
        f"what {offer.changed.code} takes off after its terms have changed",
    )
    same(len(desk.later_codes.get(offer.changed.code, [])), 1, f"the number of codes {offer.changed.code}")


@check(
    cites="A team's first subscription begins with the plan's `trial_days`, or without a trial when that is 0, and the card is asked "
    "for in any case."
)
def first_subscription_has_the_trial(desk: Desk) -> None:
    _, _, long, _ = desk.offer.plans
    trial = desk.trial
    same(trial["status"], "trialing", "the subscription's status with a trial")
    same(
        (trial["trial_end"] - trial["trial_start"]) // kilnbook.DAY, long.trial_days, "the days of the trial"
    )
    same(
        (desk.plain["status"], desk.plain["trial_end"]),
        ("active", None),
        "status and trial of a plan without one",
    )
    same(desk.trial_session["payment_method_collection"], "always", "when the card is asked for")


@check(
    cites="A team that has ever had a subscription gets no trial, whatever the plan, also when that was before today."
)
def there_is_one_trial_for_a_team(desk: Desk, old_database: OldDatabase) -> None:
    same(desk.again["trial_end"], None, "the end of the trial of a team's second subscription")
    same(
        old_database.returned["trial_end"],
        None,
        "the end of the trial of a team that had a subscription before today",
    )


# A whole purchase in the browser


@scenario
def purchase(app: App, twin: GraderTwin, shopper: Shopper, draw: Draw) -> Purchase:
    offer = kilnbook.set_up(app, twin, draw, deliveries=True)
    plan = offer.plans[0]
    person = kilnbook.new_person(app, draw)
    shopper.open("/pricing")
    addresses: list[str] = []
    shopper.page.on(
        "framenavigated", lambda frame: addresses.append(frame.url) if frame.parent_frame is None else None
    )
    choose = shopper.require([css(f'[data-testid="choose-{plan.code}"]')], "the plan cannot be chosen")
    shopper.screenshot("pricing")
    shopper.press(choose, "choose the plan")
    for name, value in (
        ("name", person.name),
        ("email", person.email),
        ("password", person.password),
        ("team", f"{draw.word().title()} Lane Studio"),
    ):
        shopper.type_into(
            shopper.require([css(f'form [name="{name}"]')], f"there is no field {name}"), name, value
        )
    shopper.page.locator('form [name="team"]').press("Enter")
    arrived, shown = "", ""
    try:
        kilnbook.checkout_appears(shopper)
        arrived = urlsplit(shopper.url).path
    except Failed:
        kilnbook.open_checkout(shopper, plan.code)
    page = kilnbook.paying_page(shopper, plan.code)
    shopper.screenshot("checkout")
    person.sign_in()
    before = person.standing()
    opened = twin.created("checkout.session")[-1]
    shopper.open(f"/checkout/return?session_id={opened['id']}")
    kilnbook.settle(shopper)
    unpaid_return = person.standing()

    kilnbook.open_checkout(shopper, plan.code)
    try:
        kilnbook.enter_code(shopper, offer.narrow.code)
    except Failed as failure:
        shown = failure.message
    kilnbook.fill_checkout(shopper, person)
    shopper.screenshot("filled")
    kilnbook.press_pay(shopper)
    try:
        kilnbook.shows_plan(shopper, plan.name)
        shown = shown or plan.name
    except Failed as failure:
        shown = failure.message
    shopper.screenshot("studio")
    session = next(iter(kilnbook.completed(twin)), None)
    if session is None:
        raise Failed("no Checkout Session was completed")
    standing, activity = person.standing(), person.activity()
    for _ in range(2):
        shopper.open(f"/checkout/return?session_id={session['id']}")
        kilnbook.settle(shopper)
        kilnbook.deliver(app, twin)
    later = person.activity()
    received = shopper.received()

    other = kilnbook.new_person(app, draw)
    kilnbook.sign_up_in_browser(shopper, other, f"{draw.word().title()} Yard")
    other_before = other.standing()
    shopper.open(f"/checkout/return?session_id={session['id']}")
    kilnbook.settle(shopper)
    details = session["total_details"] or {}
    return Purchase(
        offer=offer, person=person, arrived=arrived, page=page, addresses=addresses, before=before, unpaid_return=unpaid_return,
        session=session, discount=int(details.get("amount_discount") or 0), shown=shown, standing=standing, activity=activity, later=later,
        received=received,
        secrets={"secret key": twin.secret_key, "webhook secret": twin.webhook_secret, "publishable key": twin.publishable_key},
        other_before=other_before, other_after=other.standing(), first_after=person.standing(),
    )  # fmt: skip


@check(
    cites='`/checkout/<plan>` shows Checkout embedded in our page, inside an element with `data-testid="checkout"`, and from the pricing '
    "page to the studio the buyer never leaves `127.0.0.1:4242`."
)
def checkout_is_embedded(purchase: Purchase) -> None:
    same(purchase.page, dict.fromkeys(purchase.page, True), "the page to pay on")
    addresses = every(purchase.addresses, "pages")
    strange = [address for address in addresses if not address.startswith("http://127.0.0.1:4242/")]
    same([urlsplit(address).hostname for address in strange], [], "where the buyer is led away to")


@check(
    cites="On `/pricing`, `choose-<plan>` leads to `/checkout/<plan>`; a visitor without an account signs up on the way, and is then in "
    "Checkout for the plan they chose."
)
def new_visitors_reach_checkout(purchase: Purchase) -> None:
    same(
        purchase.arrived,
        f"/checkout/{purchase.offer.plans[0].code}",
        "where a new visitor is after signing up",
    )


@check(cites="A promotion code can be typed into Checkout, and takes off what it promises.")
def a_code_can_be_typed(purchase: Purchase) -> None:
    amount = purchase.offer.plans[0].amount
    off = purchase.offer.narrow.off(amount)
    same(
        (purchase.discount, purchase.session["amount_total"]),
        (off, amount - off),
        "discount and total of the session",
    )


@check(
    cites="After paying, the buyer ends on `/studio`, which shows the plan, and `GET /api/me` has it with the subscription's status."
)
def buyers_see_their_plan(purchase: Purchase) -> None:
    plan = purchase.offer.plans[0]
    same(purchase.before, NO_PLAN, "plan and status before")
    same(purchase.standing, (plan.code, "active"), "plan and status after paying")
    if "studio shows the plan" in purchase.shown:
        raise Failed("the buyer does not end on the studio's page with the plan", problem=purchase.shown)


@check(cites="Coming to `/checkout/return` with a session that is not paid gives nobody a plan.")
def unpaid_return_gives_nothing(purchase: Purchase) -> None:
    same(purchase.unpaid_return, NO_PLAN, "plan and status after coming back without having paid")


@check(
    cites="Coming to `/checkout/return` with another team's session changes nothing, for neither of the two."
)
def anothers_return_changes_nothing(purchase: Purchase) -> None:
    same(purchase.other_before, NO_PLAN, "plan and status of another team before")
    same(purchase.other_after, NO_PLAN, "plan and status of another team that came back with this session")
    same(purchase.first_after, purchase.standing, "plan and status of the team that paid")


@check(cites="The secret key and the webhook secret are in nothing that is sent to a browser.")
def secrets_stay_on_the_server(purchase: Purchase) -> None:
    if purchase.secrets["publishable key"] not in purchase.received:
        raise Failed(
            "the publishable key was in nothing that Kilnbook sent, so the page cannot have paid with it"
        )
    for name in ("secret key", "webhook secret"):
        if purchase.secrets[name] in purchase.received:
            raise Failed(f"the {name} was sent to the browser")


# The window that is closed too soon, and what comes later


@scenario
def closed_window(app: App, twin: GraderTwin, shopper: Shopper, draw: Draw) -> ClosedWindow:
    offer = kilnbook.set_up(app, twin, draw)
    none, some, *_ = offer.plans
    person = kilnbook.new_person(app, draw)
    kilnbook.sign_up_in_browser(shopper, person, f"{draw.word().title()} Works")
    kilnbook.open_checkout(shopper, some.code)
    session = kilnbook.pay_and_close(shopper, app, twin, person)
    first = kilnbook.events(twin)
    event = next(one for one in first if one["type"] == "checkout.session.completed")
    unsigned = {
        "missing": app.send_event(kilnbook.WEBHOOK, event, signature="missing").status_code,
        "forged": app.send_event(kilnbook.WEBHOOK, event, signature="forged").status_code,
    }
    after_unsigned = person.standing()
    statuses = kilnbook.deliver(app, twin)
    told, activity = person.standing(), person.activity()

    known = [one["id"] for one in kilnbook.events(twin)]
    magazine = kilnbook.sell_magazine(
        twin, str(session["client_reference_id"] or person.team()["id"]), draw.email()
    )
    twin.stripe.v1.subscriptions.update(magazine, {"metadata": {"issue": "41"}})
    foreign_statuses = kilnbook.deliver(app, twin, known)
    foreign = (person.standing(), person.activity())

    known = [one["id"] for one in kilnbook.events(twin)]
    portal = flows.portal_by_hand(shopper, twin, kilnbook.prices_of(twin, offer)[none.code])
    kilnbook.deliver(app, twin, known)
    switched = person.standing()
    known = [one["id"] for one in kilnbook.events(twin)]
    subscription = str(session["subscription"])
    if kilnbook.subscription_of(twin, subscription)["status"] != "canceled":
        twin.stripe.v1.subscriptions.cancel(subscription)
    kilnbook.deliver(app, twin, known)
    ended, end_activity = person.standing(), person.activity()
    replayed = []
    for one in (event, *reversed(first)):
        app.send_event(kilnbook.WEBHOOK, one)
        replayed.append(person.standing())
    return ClosedWindow(
        offer=offer, unsigned=unsigned, after_unsigned=after_unsigned, statuses=statuses, told=told, activity=activity,
        foreign_statuses=foreign_statuses, foreign=foreign, portal={**portal, "customer": session["customer"]}, switched=switched, ended=ended,
        end_activity=end_activity, replayed=replayed,
    )  # fmt: skip


@check(
    cites="A buyer who closes the window right after paying gets the plan all the same, through `checkout.session.completed`."
)
def closed_window_gives_the_plan(closed_window: ClosedWindow) -> None:
    every(closed_window.statuses, "events")
    same(
        [status for status in closed_window.statuses if status >= 300],
        [],
        "answers to signed events that are no success",
    )
    same(
        closed_window.told,
        (closed_window.offer.plans[1].code, "trialing"),
        "plan and status after the events",
    )


@check(cites="Calls of `/api/stripe/webhook` that Stripe has not signed get `400` and change nothing.")
def unsigned_events_are_refused(closed_window: ClosedWindow) -> None:
    same(
        closed_window.unsigned,
        {"missing": 400, "forged": 400},
        "the answers to events without a valid signature",
    )
    same(closed_window.after_unsigned, NO_PLAN, "plan and status after events without a valid signature")


@check(
    cites="Events come repeatedly, late and in any order, and a team's plan is nevertheless what its subscription at Stripe is by now."
)
def late_events_change_nothing(closed_window: ClosedWindow) -> None:
    same(closed_window.ended, NO_PLAN, "plan and status after the subscription has ended")
    for standing in every(closed_window.replayed, "events that come again"):
        same(standing, NO_PLAN, "plan and status after an earlier event has come again")


@check(
    cites="Events of the glaze shop and its magazine, whose sessions have a `client_reference_id` too, are answered with `200` and "
    "change nothing of ours."
)
def foreign_events_change_nothing(closed_window: ClosedWindow) -> None:
    statuses = list(every(closed_window.foreign_statuses, "events of the magazine"))
    same(statuses, [200] * len(statuses), "the answers to events of the magazine")
    same(
        closed_window.foreign,
        (closed_window.told, closed_window.activity),
        "plan, status and activity after them",
    )


@check(
    cites="The activity log has one `plan.started` for each subscription, with the plan's name as its detail, however often the buyer "
    "reloads and Stripe repeats its events."
)
def a_plan_starts_once_in_the_log(closed_window: ClosedWindow, purchase: Purchase) -> None:
    for entries, plan in (
        (purchase.later, purchase.offer.plans[0]),
        (closed_window.end_activity, closed_window.offer.plans[1]),
    ):
        started = [detail for action, detail in entries if action == "plan.started"]
        same(started, [plan.name], "the plans that started, in the activity log")


@check(
    cites="The portal works as before: `POST /api/portal` leads an owner to the portal of their own team, and a change of plan or the "
    "end of it there arrives in the team's plan and in the activity log."
)
def the_portal_works(closed_window: ClosedWindow) -> None:
    portal, plan = closed_window.portal, closed_window.offer.plans[0]
    if portal["problem"]:
        raise Failed(f"the portal does not work: {portal['problem']}")
    same(portal["customers"], [portal["customer"]], "the customers whose portal was opened")
    same(portal["back"], True, "the owner is back on the studio's page")
    same(closed_window.switched[0], plan.code, "the plan after it was changed in the portal")
    same(closed_window.ended, NO_PLAN, "plan and status after the subscription has ended")
    changes = [entry for entry in closed_window.end_activity if entry[0] in ("plan.changed", "plan.ended")]
    same([action for action, _ in changes], ["plan.changed", "plan.ended"], "changes in the activity log")
    same(changes[0][1], plan.name, "the name of the plan it was changed to, in the activity log")


# A database from before


@scenario
def old_database(app: App, twin: GraderTwin, draw: Draw) -> OldDatabase:
    kilnbook.stop_deliveries(twin)
    offer = kilnbook.draw_offer(draw)
    none, some, long, _ = offer.plans
    kilnbook.ready(app)
    people: list[tuple[Any, str | None]] = [
        (flows.old_owner(app, draw), some.code),
        (flows.old_owner(app, draw), None),
    ]
    schema = (TESTS / "before.sql").read_text("utf-8")
    staying, returning = flows.make_old_database(app, twin, draw, schema, offer, people)
    kilnbook.command(app, "db:migrate")
    kilnbook.sync(app, offer.first)
    staying.person.sign_in()
    standing = staying.person.standing()
    kilns = [kiln["name"] for kiln in staying.person.session.call("GET", "/api/kilns")["kilns"]]
    customers = flows.portal_over_http(staying.person, twin)
    item = kilnbook.subscription_of(twin, staying.subscription)["items"]["data"][0]["id"]
    price = kilnbook.prices_of(twin, offer)[long.code]
    twin.stripe.v1.subscriptions.update(staying.subscription, {"items": [{"id": item, "price": price}]})
    kilnbook.deliver(app, twin)
    changed = staying.person.standing()
    returning.person.sign_in()
    returned = kilnbook.pay_by_script(twin, kilnbook.ask(twin, returning.person.session, some.code))
    return OldDatabase(
        offer, standing, kilns, customers, staying.customer, changed, returned, returning.customer
    )  # fmt: skip


@check(
    cites="A database that was in use before works on after `npm run db:migrate`: people sign in, teams keep plan, customer and kilns, "
    "and what happens to their subscriptions arrives."
)
def old_database_works_on(old_database: OldDatabase) -> None:
    _, some, long, _ = old_database.offer.plans
    same(old_database.standing, (some.code, "active"), "plan and status of a team of before")
    same(old_database.kilns, ["Kiln of 31"], "its kilns")
    same(old_database.portal_customers, [old_database.customer], "the customers whose portal was opened")
    same(
        old_database.changed, (long.code, "active"), "its plan and status after its subscription was changed"
    )
    same(
        old_database.returned["customer"],
        old_database.returned_customer,
        "the customer of a team that buys again",
    )


# The project's own checks


@check(cites="`npm run check` and `npm test` pass.", given=True)
def own_checks_pass(app: App) -> None:
    kilnbook.ready(app)
    for command in (["npm", "run", "--silent", "check"], ["npm", "test"]):
        done = app.run(command, timeout=150)
        if done.exit_code != 0:
            raise Failed(f"{' '.join(command)} does not pass", exit_code=done.exit_code)


# The test purchase


@check(
    cites="When it works, buy something yourself: with Kilnbook running on port 4242 and our real plans, sign up in a browser as a new "
    "studio, buy Stoneware with the code `FIRSTFIRE` and a test card, and write the id of the Checkout Session to `/app/test-purchase.txt`."
)
def test_purchase_was_made(submission: Submission, trial: TrialTwin) -> None:
    written = submission.text().strip()
    session = next((found for found in trial.objects("checkout.session") if found["id"] == written), None)
    if session is None:
        raise Failed("test-purchase.txt does not hold the id of a Checkout Session of the trial")
    same(session["status"], "complete", "the session's status")
    if session["ui_mode"] not in ("embedded", "embedded_page"):
        raise Failed("the session was not for embedded Checkout", ui_mode=session["ui_mode"])
    kilnbook.require_browser_payment(trial, session)
    subscription = next(
        (one for one in trial.objects("subscription") if one["id"] == session["subscription"]), None
    )
    if subscription is None:
        raise Failed("no subscription came of the session")
    price = subscription["items"]["data"][0]["price"]
    same(
        (price["lookup_key"], price["unit_amount"]), ("kilnbook_stoneware", 2900), "the price that was bought"
    )
    same(
        subscription["trial_end"] - subscription["trial_start"], 14 * kilnbook.DAY, "the seconds of the trial"
    )
    codes = {code["id"]: code["code"] for code in trial.objects("promotion_code")}
    discounts = [one for one in trial.objects("discount") if one["id"] in subscription["discounts"]]
    same(
        [codes.get(one["promotion_code"]) for one in discounts],
        ["FIRSTFIRE"],
        "the codes of the subscription's discounts",
    )
