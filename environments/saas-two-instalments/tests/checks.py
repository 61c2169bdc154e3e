# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-775be801fd8e: keep out of training data
"""Are Kilnbook's two instalments right?  Each flow is driven once, with drawn plans, and judged by several checks."""

from __future__ import annotations

import datetime
from pathlib import Path

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

import kilnbook
import kilnbook_flows as flows
from kilnbook import NOTHING, Post
from kilnbook_flows import Desk, Missing, OldDatabase, Purchase

TESTS = Path(__file__).resolve().parent


@scenario
def desk(app: App, twin: GraderTwin, draw: Draw) -> Desk:
    offer = kilnbook.set_up(app, twin, draw)
    kilnbook.sync(app, offer.document(offer.odd, offer.even, offer.plain))
    post = Post(app, twin)
    unheard = flows.part(lambda: flows.buys_unheard(app, twin, draw, offer, post))
    stranger = twin.stripe.v1.customers.create({"email": draw.email()}).id
    lies = flows.part(lambda: flows.tell_lies(app, twin, draw, offer, stranger))
    trouble = flows.part(lambda: flows.meets_trouble(app, twin, draw, offer, post))
    told = flows.part(lambda: flows.buys_told(app, twin, draw, offer, post))
    return Desk(offer, unheard, lies, trouble, told)


@scenario
def purchase(app: App, twin: GraderTwin, shopper: Shopper, draw: Draw) -> Purchase:
    offer = kilnbook.set_up(app, twin, draw, deliveries=True)
    return flows.buys_in_browser(app, twin, shopper, draw, offer)


@scenario
def missing(app: App, twin: GraderTwin, draw: Draw) -> Missing:
    offer = kilnbook.set_up(app, twin, draw)
    return flows.leaves_it(app, twin, draw, offer, Post(app, twin))


@scenario
def old_database(app: App, twin: GraderTwin, draw: Draw) -> OldDatabase:
    return flows.works_on(app, twin, draw, (TESTS / "before.sql").read_text("utf-8"))


# Paying


@check(
    cites="Each instalment is paid in a Checkout of its own on Stripe's page, in the plan's currency, by card only: the first is half of "
    "the price, the second the rest, and the cent that cannot be halved is in the first."
)
def instalments_are_halves(desk: Desk) -> None:
    offer, seen = desk.offer, desk.unheard.seen
    for what, plan, session, number in (
        ("a price that can be halved", offer.even, seen.other, 0),
        ("the first instalment", offer.odd, seen.chosen.checkout, 0),
        ("the second instalment", offer.odd, desk.told.seen.second, 1),
    ):
        same(
            (session["mode"], session["payment_method_types"]),
            ("payment", ["card"]),
            f"mode and ways to pay of {what}",
        )
        same(
            (session["amount_total"], session["currency"]),
            (plan.halves[number], offer.currency),
            f"amount and currency of {what}",
        )


@check(
    cites="The two payments, and nothing else, pay the first invoice of a subscription to one of the plan's price, the one that "
    "`stripe:sync` made at Stripe: the invoice at Stripe lists both, and no discount, credit or payment out of band is on it."
)
def both_pay_the_first_invoice(desk: Desk) -> None:
    seen = desk.told.seen
    bought, plan, invoice = seen.bought, seen.plan, seen.bought.invoice
    same(bought.price, [(seen.price, 1)], "the subscription's items (price, quantity)")
    same(invoice["billing_reason"], "subscription_create", "why the first invoice was made")
    totals = (
        invoice["total"],
        invoice["amount_paid"],
        invoice["amount_overpaid"],
        invoice["starting_balance"],
    )
    same(
        totals,
        (plan.amount, plan.amount, 0, 0),
        "total, amount paid, amount overpaid and credit of the invoice",
    )
    wanted = [
        ("paid", session["amount_total"], str(session["payment_intent"]))
        for session in (seen.first, seen.second)
    ]
    same(sorted(bought.payments), sorted(wanted), "the invoice's payments (status, amount, payment intent)")


@check(
    cites="All of it belongs to one Stripe customer with the e-mail address of the owner who buys, and it stays the team's customer, "
    "however often the team buys."
)
def a_team_is_one_customer(desk: Desk, missing: Missing) -> None:
    seen = desk.told.seen
    same(seen.customers, [seen.bought.customer], "the customers with the owner's e-mail address")
    sessions = [session["customer"] for session in (seen.first, seen.second)]
    same(sessions, seen.customers * 2, "the customer of both Checkouts")
    same(len(missing.customers), 1, "the number of customers of an owner who bought twice")


@check(
    cites="As long as one instalment is missing, the team has no plan, and no subscription of it at Stripe is `active` or `trialing`."
)
def one_instalment_gives_nothing(desk: Desk) -> None:
    for standing, statuses in (desk.unheard.seen.after_first, desk.told.seen.after_first):
        same(standing, NOTHING, "plan and status after the first instalment")
        running = [status for status in statuses if status in ("active", "trialing", "past_due")]
        same(running, [], "the team's running subscriptions after the first instalment")


@check(
    cites="After the second one, the buyer ends on `/studio`, which shows the plan, the subscription is `active`, and `GET /api/me` has "
    "both."
)
def buyers_see_their_plan(purchase: Purchase) -> None:
    same(purchase.between, NOTHING, "plan and status between the instalments")
    if purchase.shown != purchase.plan.name:
        raise Failed("the buyer does not end on the studio's page with the plan", problem=purchase.problem or purchase.shown)
    same(purchase.standing, (purchase.plan.code, "active"), "plan and status after the second instalment")
    same([one for one in purchase.statuses if one == "active"], ["active"], "the active subscriptions")


@check(
    cites="A buyer who closes the window right after paying, the first instalment or the second, has paid it all the same, through "
    "`checkout.session.completed`."
)
def closed_windows_count(desk: Desk) -> None:
    seen = desk.told.seen
    refused = [status for status in every(seen.statuses, "events") if status >= 300]
    same(refused, [], "answers to signed events that are no success")
    same(bool(seen.purchase), True, "whether the first instalment counts after its event")
    same(seen.standing, (seen.plan.code, "active"), "plan and status after the events of both")


@check(
    cites="`POST /api/checkout` leads to the instalment that is due, so the second as soon as the first is paid, also when the buyer has "
    "not come back and no event has come yet."
)
def the_due_instalment_is_asked(desk: Desk) -> None:
    seen = desk.unheard.seen
    same(seen.chosen.instalment["amount_total"], desk.offer.odd.halves[0], "what is asked at first")
    same(
        seen.second.instalment["amount_total"],
        desk.offer.odd.halves[1],
        "what is asked after the first is paid",
    )


@check(
    cites="At any time, at most one Checkout of a team can be paid: when Checkout is opened again, for the same plan or another, the one "
    "of before has expired, unless the same one is handed out again."
)
def one_checkout_can_be_paid(desk: Desk) -> None:
    seen = desk.unheard.seen.open_after
    same(seen, dict.fromkeys(seen, 1), "the number of open Checkouts after one was opened again")


@check(
    cites="Until the first instalment is paid, a team may choose another plan, and then nothing of the choice before can be paid any "
    "more: it has no open Checkout, no open invoice and no subscription that is waiting."
)
def the_choice_before_is_gone(desk: Desk) -> None:
    seen = desk.unheard.seen
    same(seen.chosen.instalment["status"] != "expired", True, "whether the plan that was chosen last can be paid")
    more = {what: number for what, number in seen.left_of_other.items() if number > 1}
    same(more, {}, "what is open at Stripe beside the plan that was chosen last")


@check(
    cites="`POST /api/checkout` answers `409` and opens no Checkout when the team has a plan, also when it has just paid the second "
    "instalment and no event has come yet, and when it has paid the first instalment of another plan."
)
def nothing_is_sold_twice(desk: Desk) -> None:
    seen = desk.unheard.seen
    for what, asked in (
        ("a team that has a plan", seen.with_plan),
        ("a team that has just paid", seen.just_paid),
        ("a team that has paid the first instalment of another plan", seen.another_plan),
    ):
        same(asked.status, 409, f"the answer to {what}")
        same(asked.made.get("checkout.session", 0), 0, f"Checkouts made for {what}")


@check(
    cites="It answers `401` to whoever is not signed in, `403` to members who are not owners and `400` for a plan that is not on sale, "
    "and makes nothing at Stripe then."
)
def who_may_not_buy_is_refused(desk: Desk) -> None:
    refused = desk.unheard.seen.refused
    wanted = {"signed out": 401, "a member": 403, "no such plan": 400, "not on sale": 400}
    same({who: asked.status for who, asked in refused.items()}, wanted, "the answers")
    same({who: asked.made for who, asked in refused.items()}, {who: {} for who in refused}, "what was made")
    same([who for who, asked in refused.items() if not asked.told], [], "answers without an error text")


@check(
    cites="Of what a browser sends to it, only `plan` counts: team, customer, price, amounts, currency and which instalment it is are for "
    "the server to decide."
)
def server_decides(desk: Desk) -> None:
    lies, plan = desk.lies.seen, desk.offer.odd
    every([lie for lie in lies if lie.session], "Checkouts for requests with more in them than a plan")
    for lie in lies:
        what = f"after lies sent as {lie.how}"
        if lie.session is None:
            same(lie.status >= 400, True, f"no Checkout was opened and an error was told {what}")
            continue
        found = (lie.session["mode"], lie.session["amount_total"], lie.session["currency"])
        same(found, ("payment", plan.halves[0], desk.offer.currency), f"mode, amount and currency {what}")
        same(lie.session["customer"] in lie.strangers, False, f"the customer is somebody else {what}")
        ours = str(lie.session["success_url"]).startswith("http://127.0.0.1:4242/")
        same(ours, True, f"the way back is ours {what}")


@check(
    cites="When Stripe refuses or does not answer, it answers `502`, and the team can try again later and ends up with one subscription."
)
def stripe_trouble_is_told(desk: Desk) -> None:
    seen = desk.trouble.seen
    same(
        {what: asked.status for what, asked in seen.answers.items()},
        dict.fromkeys(seen.answers, 502),
        "the answers",
    )
    same(
        [what for what, asked in seen.answers.items() if not asked.told], [], "answers without an error text"
    )
    same(seen.living, ["active"], "the subscriptions of a team that tried again and paid")


@check(
    cites="The second period and all later ones are paid whole by Stripe, with the card of the first instalment."
)
def renewals_are_paid(desk: Desk) -> None:
    seen = desk.told.seen
    if not seen.renewal:
        raise Failed("there is no invoice of the second period")
    paid = (seen.renewal["status"], seen.renewal["amount_paid"])
    same(paid, ("paid", seen.plan.amount), "status and amount of the second period's invoice")
    same(seen.renewal_card, "visa", "the brand of the card that has paid it")


# What Kilnbook hears of it


@check(
    cites="Coming to `/api/checkout/return` with a session that is not paid, or with another team's session, changes nothing for anybody."
)
def false_returns_change_nothing(desk: Desk) -> None:
    seen, told = desk.unheard.seen, desk.told.seen
    same(seen.unpaid_return, (NOTHING, None), "standing and purchase after coming back without having paid")
    same(
        told.stranger,
        (NOTHING, None),
        "standing and purchase of a team that comes back with another's sessions",
    )
    same(told.after_returns[0], (told.plan.code, "active"), "plan and status of the team that has paid")


@check(cites="Calls of `/api/stripe/webhook` that Stripe has not signed get `400` and change nothing.")
def unsigned_events_are_refused(desk: Desk) -> None:
    seen = desk.told.seen
    same(seen.unsigned, {"missing": 400, "forged": 400}, "the answers to events without a valid signature")
    same(seen.after_unsigned, NOTHING, "plan and status after events without a valid signature")


@check(
    cites="Events come repeatedly, late and in any order: a team's plan is nevertheless what its subscription at Stripe is by now, and "
    "the invoice has its two payments and no more."
)
def late_events_change_nothing(desk: Desk, missing: Missing) -> None:
    seen = desk.told.seen
    for standing in every(seen.repeated, "events that come again"):
        same(standing, (seen.plan.code, "active"), "plan and status after an event has come again")
    same(seen.payments_after, 2, "the number of payments of the invoice after all events have come again")
    for standing in every(missing.late, "events of a purchase that is over"):
        same(standing, (missing.plan.code, "active"), "plan and status after an event of an earlier purchase")


@check(
    cites="An event that cannot be dealt with because Stripe does not answer gets no `2xx`, so that Stripe sends it again, and then all "
    "is well."
)
def events_wait_for_stripe(desk: Desk) -> None:
    seen = desk.trouble.seen
    same(seen.event_after, NOTHING, "plan and status while Stripe does not answer")
    same(200 <= seen.event_status < 300, False, "the event was answered with success")
    same(seen.again, (desk.offer.even.code, "active"), "plan and status after the event has come again")
    same(seen.payments, 2, "the number of payments of the invoice")


@check(
    cites="Events of the glaze shop, whose Checkouts have a `client_reference_id` and `metadata` too, are answered with `200` and change "
    "nothing of ours."
)
def foreign_events_change_nothing(desk: Desk) -> None:
    statuses, before, after = desk.told.seen.foreign
    same(bool(before[0]), True, "a purchase is under way")
    same(
        list(every(statuses, "events of the glaze shop")), [200] * len(statuses), "the answers to its events"
    )
    same(after, before, "purchase, plan and status after them")


@check(
    cites="The activity log has one `plan.started` for each subscription, with the plan's name as its detail, however often the buyer "
    "reloads and Stripe repeats its events."
)
def a_plan_starts_once_in_the_log(desk: Desk) -> None:
    seen = desk.told.seen
    started = [detail for action, detail in seen.after_returns[1] if action == "plan.started"]
    same(started, [seen.plan.name], "the plans that started, in the activity log")


# When the second instalment does not come


@check(
    cites="Between the two, `purchase` in `GET /api/me` says what is paid and what is not, and `/studio` shows both amounts as our pages "
    "write them, like €395.48."
)
def the_buyer_is_told(desk: Desk, purchase: Purchase) -> None:
    seen, offer = desk.told.seen, desk.offer
    same(seen.before, None, "the purchase before anything is paid")
    first, second = offer.odd.halves
    wanted = {
        "plan": offer.odd.code,
        "currency": offer.currency,
        "instalments": [{"amount": first, "paid": True}, {"amount": second, "paid": False}],
    }
    told = {name: value for name, value in (seen.purchase or {}).items() if name in wanted}
    same(told, wanted, "the purchase between the instalments")
    for amount in purchase.plan.halves:
        if kilnbook.shown(amount) not in purchase.instalments:
            raise Failed("the studio does not show an instalment", amount=amount, shown=purchase.instalments)


@check(
    cites="A purchase is over 23 hours after its first Checkout was opened, as `endsAt` says, and from that second on no Checkout of it "
    "can be paid, not even by somebody who has had the page open for long."
)
def no_checkout_outlives_its_purchase(missing: Missing) -> None:
    ends = str((missing.purchase or {}).get("endsAt"))
    try:
        second = round(datetime.datetime.fromisoformat(ends).timestamp())
    except ValueError:
        raise Failed("endsAt is no moment of ISO 8601", endsAt=ends) from None
    same(second - missing.began, 23 * kilnbook.HOUR, "the seconds from the first Checkout to endsAt")
    if "open" in missing.payable.values():
        raise Failed("a Checkout can be paid when its purchase is over", **missing.payable)
    same(missing.paid_late >= 400, True, "a payment that came too late was refused")


@check(
    cites="Until then a buyer who has left can take it up again: `pay-instalment` leads to the second Checkout, and paying it completes "
    "the purchase."
)
def it_can_be_taken_up_again(missing: Missing, purchase: Purchase) -> None:
    second = missing.plan.halves[1]
    same(missing.later[:2], ("open", second), "status and amount of the Checkout twenty hours later")
    same(bool(missing.later[2]), True, "whether the purchase is under way twenty hours later")
    same(
        missing.taken_up,
        (missing.plan.code, "active"),
        "plan and status of a team that paid twenty hours later",
    )
    same(purchase.problem, "", "the way from the studio through the second Checkout")


@check(
    cites="When it is over and the second instalment is missing, the first one is given back whole and once, nothing of it is left at "
    "Stripe that is waiting or can be paid, `purchase` is `null`, and the activity log has one `plan.abandoned`."
)
def what_was_paid_comes_back(missing: Missing) -> None:
    paid = missing.first["amount_total"]
    same(missing.given_back, [("succeeded", paid)], "what was given back (status, amount)")
    same(missing.given_back_later, [("succeeded", paid)], "what was given back by the end (status, amount)")
    same((missing.standing, missing.purchase_after), (NOTHING, None), "standing and purchase after the end")
    same(missing.left, dict.fromkeys(missing.left, 0), "what is open at Stripe after the end")
    abandoned = [detail for action, detail in missing.activity if action == "plan.abandoned"]
    same(abandoned, [missing.plan.name], "the plans that were abandoned, in the activity log")
    refunds, left, noted = missing.unopened
    same(
        refunds,
        [("succeeded", missing.unopened_amount)],
        "what was given back to a team that never opened the second",
    )
    same(
        (left, noted),
        (dict.fromkeys(left, 0), 1),
        "what is open at Stripe, and entries in the log, for that team",
    )


@check(cites="After that the team can buy again, beginning with a first instalment.")
def the_team_can_buy_again(missing: Missing) -> None:
    same(missing.anew.seen, missing.plan.halves, "the instalments of the new purchase")
    same(missing.anew_standing, (missing.plan.code, "active"), "plan and status after both")


# Around it


@check(cites="A plan without `instalments` is bought as today.", given=True)
def plain_plans_are_sold_as_before(old_database: OldDatabase) -> None:
    plain, plan = old_database.plain, old_database.offer.plain
    same((plain["mode"], plain["payment_method_types"]), ("subscription", ["card"]), "mode and ways to pay")
    same(old_database.plain_lines, [(old_database.plain_price, 1)], "the lines (price, quantity)")
    same(old_database.plain_standing, (plan.code, "trialing"), "plan and status after buying it")


@check(
    cites="A database that was in use before works on after `npm run db:migrate`: people sign in, teams keep plan, customer and kilns, "
    "what happens to their subscriptions arrives, and a team that had a plan once can buy one in instalments."
)
def old_database_works_on(old_database: OldDatabase) -> None:
    offer = old_database.offer
    same(old_database.standing, (offer.even.code, "active"), "plan and status of a team of before")
    same(old_database.kilns, ["Kiln of 31"], "its kilns")
    same(old_database.portal_customers, [old_database.customer], "the customers whose portal was opened")
    same(old_database.changed, (offer.plain.code, "active"), "its plan after its subscription was changed")
    same(old_database.returned, old_database.returned_customer, "the customer of a team that buys again")
    same(
        old_database.returned_standing,
        (offer.odd.code, "active"),
        "plan and status of the team that buys again",
    )


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
    "studio, buy Porcelain by paying both instalments with test cards, and write the id of the subscription's first invoice to "
    "`/app/test-invoice.txt`."
)
def test_purchase_was_made(submission: Submission, trial: TrialTwin) -> None:
    written = submission.text().strip()
    invoice = next((found for found in trial.objects("invoice") if found["id"] == written), None)
    if invoice is None:
        raise Failed("test-invoice.txt does not hold the id of an invoice of the trial")
    same(
        (invoice["status"], invoice["billing_reason"]),
        ("paid", "subscription_create"),
        "status and reason of the invoice",
    )
    payments = [
        one
        for one in trial.objects("invoice_payment")
        if one["invoice"] == written and one["status"] == "paid"
    ]
    amounts = sorted((one["amount_paid"] for one in payments), reverse=True)
    same(amounts, [39_548, 39_547], "the amounts that pay the invoice")
    intents = [one["payment"].get("payment_intent") for one in payments]
    sessions = [one for one in trial.objects("checkout.session") if one["payment_intent"] in intents]
    same(len(sessions), 2, "the number of Checkouts that have paid it")
    for session in sessions:
        kilnbook.require_browser_payment(trial, session)
    line = invoice["lines"]["data"] if isinstance(invoice.get("lines"), dict) else []
    keys = {price["id"]: price["lookup_key"] for price in trial.objects("price")}
    prices = [keys.get((one.get("pricing") or {}).get("price_details", {}).get("price")) for one in line]
    if line:
        same(prices, ["kilnbook_porcelain"], "the prices on the invoice")
