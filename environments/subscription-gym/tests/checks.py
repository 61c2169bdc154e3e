# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-6ae754aec1d7: keep out of training data
"""Is every way to be a member billed as it should be?  Flows are driven once, and judged by their checks."""

from __future__ import annotations

from collections.abc import Callable

from trialbalance.grading import App, Draw, Failed, GraderTwin, check, every, scenario

import changing_flows
import joining_flows
import keeping_flows
import order_flows
from desk import Desk, Result

Results = dict[str, Result]
"""What flows came to, by their names."""


def run(flows: tuple[Callable[[Desk], None], ...], app: App, twin: GraderTwin, draw: Draw) -> Results:
    """What flows came to, also those that could not be driven to their end."""
    found: Results = {}
    for flow in flows:
        desk = Desk(app, twin, draw)
        try:
            flow(desk)
        except Failed as failed:
            desk.result.broken = failed
        found[flow.__name__] = desk.result
    return found


def judged(result: Result, name: str) -> None:
    """The verdict that a flow came to about a check."""
    failed = result.judged.get(name, result.broken)
    if failed is not None:
        raise failed
    if name not in result.judged:
        raise RuntimeError(f"no flow has judged {name}")


@scenario
def orders(app: App, twin: GraderTwin, draw: Draw) -> Results:
    flow = order_flows
    return run((flow.card, flow.again, flow.repeated, flow.wrong, flow.declined), app, twin, draw)


@scenario
def joining(app: App, twin: GraderTwin, draw: Draw) -> Results:
    flow = joining_flows
    flows = (flow.join, flow.trying, flow.by_the_day, flow.induction, flow.kiln, flow.team)
    return run(flows, app, twin, draw)


@scenario
def changing(app: App, twin: GraderTwin, draw: Draw) -> Results:
    flow = changing_flows
    flows = (flow.seasons, flow.upgrade, flow.downgrade, flow.leave, flow.quote, flow.switch)
    return run(flows, app, twin, draw)


@scenario
def keeping(app: App, twin: GraderTwin, draw: Draw) -> Results:
    flow = keeping_flows
    return run((flow.pause, flow.arrears, flow.recover), app, twin, draw)


@check(
    cites="The task `card` works as it does today.",
    challenge="orders",
    given=True,
)
def what_was_there_stays(orders: Results) -> None:
    judged(orders["card"], "what-was-there-stays")


@check(
    cites="Each new `request` is an order of its own, even when its task and input are the same as another's: two orders "
    "to join are two memberships.",
    challenge="orders",
)
def new_requests_are_new_orders(orders: Results) -> None:
    judged(orders["again"], "new-requests-are-new-orders")


@check(
    cites="A `request` that was answered with 200 before is answered with the same again and changes nothing in Stripe, "
    "also after the program was restarted.",
    challenge="orders",
)
def repeated_requests_are_one_order(orders: Results) -> None:
    judged(orders["repeated"], "repeated-requests-are-one-order")


@check(
    cites='`400` and `{"error": {"code": "invalid_request", "message": "…"}}` answers an unknown task, a missing '
    "`request`, an input that lacks a field or has one of another kind than is said below, an id that Stripe does "
    "not know, and a `from` that is no price of the membership; nothing in Stripe changes then.",
    challenge="orders",
)
def wrong_orders_are_refused(orders: Results) -> None:
    judged(orders["wrong"], "wrong-orders-are-refused")


@check(
    cites='`402` and `{"error": {"code": "card_declined", "message": "…"}}` answers an order that has to be paid now when'
    " the bank declines: no membership begins, an existing one stays exactly as it was, and nothing is left that "
    "could still be paid.",
    challenge="orders",
)
def declined_cards_change_nothing(orders: Results) -> None:
    judged(orders["declined"], "declined-cards-change-nothing")


@check(
    cites="An order writes what it is about and nothing else: it makes no product, price, coupon, meter, customer or "
    "clock, moves no clock, and leaves other memberships, invoices and customers alone.",
    challenge="orders",
)
def nothing_else_is_written(orders: Results, joining: Results, changing: Results, keeping: Results) -> None:
    given = {"card", "wrong", "declined"}
    flows = {**orders, **joining, **changing, **keeping}
    found = [result for name, result in flows.items() if name not in given and result.orders]
    for result in every(found, "orders that were carried out"):
        if result.extras:
            raise Failed("an order wrote something else", written=result.extras)


@check(
    cites=(
        "Input `{customer, price, quantity}`, answer `{subscription, invoice, status, currency, amount_paid, "
        "period_end}`.",
        "`price` times `quantity` is charged at once, and again at the beginning of each further period, for "
        "good.",
    ),
    challenge="join",
)
def joining_charges_each_period(joining: Results) -> None:
    judged(joining["join"], "joining-charges-each-period")


@check(
    cites=(
        "Input `{customer, price, days}`, answer `{subscription, status, trial_end}`.",
        "For `days` times 24 hours nothing is charged; then the membership goes on like any other, with its "
        "periods counted from there.",
    ),
    challenge="trial",
)
def trials_are_free_and_then_paid(joining: Results) -> None:
    judged(joining["trying"], "trials-are-free-and-then-paid")


@check(
    cites="A member without a card may try as well; when there is still none at the end, the membership ends at that "
    "second and nothing is owed.",
    challenge="trial",
)
def trials_without_a_card_end(joining: Results) -> None:
    judged(joining["trying"], "trials-without-a-card-end")


@check(
    cites=(
        "Input `{customer, price, day, coupon}` with a monthly `price`, `day` from 1 to 31 and `coupon` an id or "
        "null, answer `{subscription, invoice, amount_paid, next_payment}`, the last one a moment.",
        "Each payment is due on the `day`-th of the month, or on the last day of a month that has no such day, "
        "always at the time of the day at which the member joined.",
        "From joining to the first such day only this share of the price is charged, to the second, and at once.",
    ),
    challenge="by-the-day",
)
def payments_fall_on_the_day(joining: Results) -> None:
    judged(joining["by_the_day"], "payments-fall-on-the-day")


@check(
    cites="The coupon comes off from the first invoice on, for as long as the coupon says.",
    challenge="by-the-day",
)
def coupons_last_as_they_say(joining: Results) -> None:
    judged(joining["by_the_day"], "coupons-last-as-they-say")


@check(
    cites=(
        "Input `{customer, price, fee, fee_quantity}` with a one-time price `fee`, answer `{subscription, "
        "invoice, amount_paid}`.",
        "The first invoice, paid at once, has the membership and `fee_quantity` times the fee; all later ones "
        "only have the membership.",
    ),
    challenge="induction",
)
def fees_are_charged_once(joining: Results) -> None:
    judged(joining["induction"], "fees-are-charged-once")


@check(
    cites=(
        "Input `{customer, price, usage_price}`, answer `{subscription, invoice, amount_paid}`.",
        "`price` is paid in advance, `usage_price` belongs to a meter.",
        "At once only `price` is charged; each renewal charges it again, together with what was used in the "
        "period that has just ended.",
    ),
    challenge="kiln",
)
def usage_is_charged_afterwards(joining: Results) -> None:
    judged(joining["kiln"], "usage-is-charged-afterwards")


@check(
    cites=(
        "Input `{customer, meter, readings}` with at least one reading `{id, value, at}`, texts, whole numbers "
        "and moments, answer `{counted}`, a number.",
        "Each reading is told to Stripe's meter for this customer and its moment, by the names that the meter "
        "asks for, and is billed by whatever is priced on the meter.",
        "A reading whose `id` has been told before, in this order or another one, is not told again; `counted` "
        "says how many were told by this order.",
    ),
    challenge="kiln",
)
def readings_count_once(joining: Results) -> None:
    judged(joining["kiln"], "readings-count-once")


@check(
    cites=(
        "Input `{customer, first, then}` with two of `{price, periods}`, answer `{subscription, schedule, "
        "invoice, amount_paid}`.",
        "In `then`, `periods` may be null.",
        "The `first` price is paid for so many of its periods from now on, and then the price in `then`, whose "
        "periods begin at the very second at which the others end.",
    ),
    challenge="seasons",
)
def seasons_follow_each_other(changing: Results) -> None:
    judged(changing["seasons"], "seasons-follow-each-other")


@check(
    cites="After so many periods of `then` the membership ends without another invoice; with null it goes on.",
    challenge="seasons",
)
def seasons_end_when_told(changing: Results) -> None:
    judged(changing["seasons"], "seasons-end-when-told")


@check(
    cites=(
        "Input `{subscription, from, to}`, two prices, answer `{subscription, invoice, amount_paid}`.",
        "The item with the price `from` gets the price `to` now, and the difference for the rest of the period, "
        "to the second, is charged at once on an invoice of its own.",
    ),
    challenge="upgrade",
)
def upgrades_charge_the_difference(changing: Results) -> None:
    judged(changing["upgrade"], "upgrades-charge-the-difference")


@check(
    cites="Quantities, the other items and the day of payment stay.",
    challenge="upgrade",
)
def upgrades_leave_the_rest(changing: Results) -> None:
    judged(changing["upgrade"], "upgrades-leave-the-rest")


@check(
    cites=(
        "Input `{subscription, from, to}`, answer `{subscription, effective_at}`, a moment.",
        "Until the current period ends nothing changes, and nothing is charged or given back; from then on the "
        "item with the price `from` has the price `to`.",
    ),
    challenge="downgrade",
)
def downgrades_wait(changing: Results) -> None:
    judged(changing["downgrade"], "downgrades-wait")


@check(
    cites="Quantities, the other items, the coupon and the day of payment stay, and the membership goes on for good.",
    challenge="downgrade",
)
def downgrades_leave_the_rest(changing: Results) -> None:
    judged(changing["downgrade"], "downgrades-leave-the-rest")


@check(
    cites=(
        "Input `{subscription, when}` with `now` or `period_end`, answer `{subscription, status, ends_at}`.",
        "With `now` the membership ends at once; nothing is given back and nothing more is charged, not even for "
        "what was used.",
    ),
    challenge="leave",
)
def leaving_now_gives_and_takes_nothing(changing: Results) -> None:
    judged(changing["leave"], "leaving-now-gives-and-takes-nothing")


@check(
    cites="With `period_end` it stays active until the second at which the current period ends, and then ends without "
    "another invoice.",
    challenge="leave",
)
def leaving_later_ends_with_the_period(changing: Results) -> None:
    judged(changing["leave"], "leaving-later-ends-with-the-period")


@check(
    cites=(
        "Input `{subscription, from, to}`, answer `{currency, due_now, next_amount, next_payment}`.",
        "`due_now` is what the `upgrade` with the same input would charge if it were ordered now, `next_amount` "
        "what the following renewal would then come to, `next_payment` when; and nothing in Stripe changes.",
    ),
    challenge="quote",
)
def quotes_say_what_it_costs(changing: Results) -> None:
    judged(changing["quote"], "quotes-say-what-it-costs")


@check(
    cites="`due_now` is what the `upgrade` with the same input would charge if it were ordered now, `next_amount` what "
    "the following renewal would then come to, `next_payment` when; and nothing in Stripe changes.",
    challenge="quote",
)
def quotes_change_nothing(changing: Results) -> None:
    judged(changing["quote"], "quotes-change-nothing")


@check(
    cites=(
        "Input `{subscription, until}`, a moment or null, answer `{subscription, status, until}`.",
        "Invoices of periods that begin during the pause are void: they are never paid and never owed. The days "
        "of payment stay as they are.",
        "The pause ends by itself at `until`; with null it lasts until it is ended.",
    ),
    challenge="pause",
)
def pauses_are_void(keeping: Results) -> None:
    judged(keeping["pause"], "pauses-are-void")


@check(
    cites=(
        "Input `{subscription}`, answer `{subscription, status, next_payment}`.",
        "The pause ends now; the next payment is that of the next period, and nothing is charged for what was "
        "paused.",
    ),
    challenge="pause",
)
def pauses_can_be_ended(keeping: Results) -> None:
    judged(keeping["pause"], "pauses-can-be-ended")


@check(
    cites=(
        "Input `{customer, price, seats, currency}`, answer `{subscription, invoice, currency, amount_paid}`.",
        "So many seats are charged at once and in each period in the currency asked for, by the tiers that the "
        "price has for it; a currency that the price does not have is an invalid request.",
    ),
    challenge="team",
)
def teams_pay_by_tiers(joining: Results) -> None:
    judged(joining["team"], "teams-pay-by-tiers")


@check(
    cites=(
        "Input `{subscription}`, answer `{status, currency, owed, invoices, next_attempt, ended_because}`, with "
        "invoices as `{invoice, amount, attempts}`.",
        "`invoices` are all open ones of the membership, oldest first, each with what remains to be paid and how "
        "often that was tried, and `owed` is their sum.",
        "`next_attempt` is the moment of the next one to be tried, or null; `ended_because` is Stripe's reason "
        "for which the membership was canceled, or null.",
    ),
    challenge="arrears",
)
def arrears_are_told(keeping: Results) -> None:
    judged(keeping["arrears"], "arrears-are-told")


@check(
    cites=(
        "Input `{subscription, payment_method}`, a new card that no customer has yet, answer `{subscription, "
        "status, paid, amount_paid}`, with `paid` as a list of `{invoice, amount}`.",
        "Everything open of this membership is paid with the new card, oldest first, and later renewals of it are"
        " too.",
    ),
    challenge="arrears",
)
def recoveries_pay_what_is_open(keeping: Results) -> None:
    judged(keeping["recover"], "recoveries-pay-what-is-open")


@check(
    cites="Other open invoices of the same member are not paid.",
    challenge="arrears",
)
def recoveries_leave_other_debts(keeping: Results) -> None:
    judged(keeping["recover"], "recoveries-leave-other-debts")


@check(
    cites=(
        "Input `{subscription, price}` for a membership with one item, where `price` has another interval, answer"
        " `{subscription, invoice, amount_paid, credit, period_end}`.",
        "A new period begins now, for which the whole new price is charged at once, less what is left of the old "
        "period, to the second; the quantity stays.",
    ),
    challenge="switch",
)
def switches_begin_a_new_period(changing: Results) -> None:
    judged(changing["switch"], "switches-begin-a-new-period")


@check(
    cites="When more is left than the new price costs, nothing is charged; the rest is `credit`, otherwise 0, and pays "
    "later invoices until it is used up.",
    challenge="switch",
)
def switches_keep_credit(changing: Results) -> None:
    judged(changing["switch"], "switches-keep-credit")
