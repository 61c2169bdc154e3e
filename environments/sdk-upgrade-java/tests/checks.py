# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-b32f30e928a3: keep out of training data
"""Does the upgraded desk answer as the original does, through the new SDK and the new API version?

Both run side by side on twins that were filled alike; every answer of the upgraded one is compared with the original's.
"""

from __future__ import annotations

from trialbalance.grading import App, Draw, Failed, GraderTwin, Original, check, same, scenario
from trialbalance.grading.left_behind import leaves_the_same
from trialbalance.grading.side_by_side import made_by, nothing_gone, sent_in

from quay_seen import LINK, Seen, watch

SDK = "33.3.0"
VERSION = "2026-07-29.dahlia"
NEEDED = ("installed-sdk", "every-request-by-the-new-sdk", "every-request-in-the-new-version")
UNASKED = "This desk takes our money, so treat it as such."


@scenario
def seen(app: App, twin: GraderTwin, original: Original, draw: Draw) -> Seen:
    return watch(app, twin, original, draw)


# The new SDK


@check(cites="`pom.xml` names version 33.3.0 of `com.stripe:stripe-java`, and no other.")
def installed_sdk(seen: Seen) -> None:
    same(seen.pinned, [SDK], "what pom.xml says of stripe-java")


@check(cites="Every request to Stripe is made by that SDK.")
def every_request_by_the_new_sdk(seen: Seen) -> None:
    made_by(seen.asked, f"Stripe/v1 JavaBindings/{SDK}")


@check(
    cites="Every request to Stripe is sent in API version `2026-07-29.dahlia`, whatever the account's default.",
    needs="every-request-by-the-new-sdk",
)
def every_request_in_the_new_version(seen: Seen) -> None:
    sent_in(seen.asked, VERSION)


@check(
    cites="Nothing is asked of Stripe that this version does not have: no removed address, parameter or expansion, not even to try.",
    needs=NEEDED,
)
def nothing_that_is_gone(seen: Seen) -> None:
    nothing_gone(seen.asked)


# Lots


@check(cites="A lot shows its state, what was received, and every try to pay for it, also when there were more than ten.", needs=NEEDED)
def every_try(seen: Seen) -> None:
    seen.alike("lot", fields=("lot", "fish", "payment", "state", "amount", "currency", "received", "tries"))


@check(cites="It shows what was returned and every refund, also when there were more than ten.", needs=NEEDED)
def every_refund(seen: Seen) -> None:
    seen.alike("lot", fields=("returned", "returns"))


@check(cites="Lots are sold, declined and tried again as they are today.", needs=NEEDED)
def selling(seen: Seen) -> None:
    seen.alike("sold")


@check(cites="Money is returned, or not, as it is today.", needs=NEEDED)
def returning(seen: Seen) -> None:
    seen.alike("return")


@check(cites="The till tells lots, invoices, lockers and the rest apart, and names what each payment was for.", needs=NEEDED)
def till(seen: Seen) -> None:
    seen.alike("till")


@check(cites="A day with more than a hundred payments is complete.", needs=NEEDED)
def long_till(seen: Seen) -> None:
    seen.alike("long till", fields=("payments", "taken", "returned"))


# Invoices


@check(cites="An invoice shows its sums, whether it is paid, how, and what is outstanding, also when it was paid in parts.", needs=NEEDED)
def how_it_was_paid(seen: Seen) -> None:
    fields = ("invoice", "number", "kitchen", "status", "paid", "how", "currency", "total", "tax", "outstanding", "due")
    seen.alike("invoice", fields=fields)


@check(
    cites="Its `payment` is the payment of the invoice that Stripe calls the default one, unless that was canceled: then it is the oldest "
    "of the others that was not, or `null`.",
    needs=NEEDED,
)
def the_payment_of_an_invoice(seen: Seen) -> None:
    seen.alike("invoice", fields=("payment",))


@check(cites="It shows all its lines with their prices, taxes and periods, and the locker they belong to.", needs=NEEDED)
def all_lines(seen: Seen) -> None:
    seen.alike("invoice", fields=("locker", "lines"))


@check(cites="A receipt leads from a charge to its invoice, whether it paid all of it or a part.", needs=NEEDED)
def receipts(seen: Seen) -> None:
    seen.alike("receipt")


@check(cites="Invoices are paid by card and by bank as they are today.", needs=NEEDED)
def paying(seen: Seen) -> None:
    seen.alike("pay")


@check(cites="A payment that cannot be made is refused with the status and the reason of today.", needs=NEEDED)
def refused_payments(seen: Seen) -> None:
    seen.alike("refused payment")


@check(cites="An account lists what is unpaid, with its payment and its locker.", needs=NEEDED)
def accounts(seen: Seen) -> None:
    seen.alike("account", fields=("kitchen", "name", "billed", "paid", "unpaid"))


@check(cites="An account of more than a hundred invoices counts and adds up all of them.", needs=NEEDED)
def long_accounts(seen: Seen) -> None:
    seen.alike("long account", fields=("invoices", "paid", "billed", "outstanding"))


# Lockers


@check(cites="The list of lockers is paged as it is today.", needs=NEEDED)
def pages_of_lockers(seen: Seen) -> None:
    seen.alike("list", fields=("lockers", "next"))


@check(cites="Its `total` counts all lockers that are let, also beyond a hundred.", needs=NEEDED)
def total_of_lockers(seen: Seen) -> None:
    seen.alike("list", fields=("total",))


@check(cites="A locker shows its period, what is let with it, and its end.", needs=NEEDED)
def periods(seen: Seen) -> None:
    fields = ("locker", "kitchen", "place", "status", "since", "from", "to", "ends", "ended", "items")
    seen.alike("locker", "later", fields=fields)


@check(cites="It shows its last invoice and how that was paid.", needs=NEEDED)
def last_invoice(seen: Seen) -> None:
    seen.alike("locker", fields=("last_invoice",))


@check(cites="What comes next is told line by line, or that nothing comes.", needs=NEEDED)
def next_invoice(seen: Seen) -> None:
    seen.alike("next")


@check(cites="Lockers are let, or not, as they are today.", needs=NEEDED)
def letting(seen: Seen) -> None:
    seen.alike("let", fields=("locker", "kitchen", "place", "status", "since", "items"))
    seen.alike("next after letting", fields=("currency", "total"))


@check(cites="Lockers end at once, or when the period is over.", needs=NEEDED)
def ending(seen: Seen) -> None:
    seen.alike("end", fields=("locker", "status", "ends", "ended"))


# Ice


@check(cites="The ice machine tells the crates of any hour of the present period.", needs=NEEDED)
def telling(seen: Seen) -> None:
    seen.alike("told")


@check(cites="What it tells again of an hour takes the place of what it told before, more, less, the same or nothing.", needs=NEEDED)
def correcting(seen: Seen) -> None:
    seen.alike("corrected")


@check(cites="What is refused today is refused with the same status and body, and counts nothing.", needs=NEEDED)
def refused_ice(seen: Seen) -> None:
    seen.alike("refused ice")


@check(cites="The crates of a locker are those of its present period.", needs=NEEDED)
def counting(seen: Seen) -> None:
    seen.alike("counted")


@check(cites="They are on what comes next, and on the bill when the period is over.", needs=NEEDED)
def billed_ice(seen: Seen) -> None:
    seen.alike("next with ice", fields=("currency", "total", "lines"))
    seen.alike("bill", fields=("status", "total", "lines"))


# All of it


@check(cites="Ids that nobody knows and requests that make no sense get the status and the body of today, at every address.", needs=NEEDED)
def unknown_things(seen: Seen) -> None:
    seen.alike("unknown")


@check(cites="So do kitchens that are closed and lockers that have ended.", needs=NEEDED)
def things_that_are_over(seen: Seen) -> None:
    seen.alike("gone")


@check(cites="So do requests while Stripe cannot be reached or fails.", needs=NEEDED)
def trouble(seen: Seen) -> None:
    seen.alike("trouble")


@check(
    cites="What all this leaves behind at Stripe is what it leaves behind today: the same refunds, payments, invoices and subscriptions, with "
    "the same amounts, states, reasons, metadata and billing mode, and the same crates in the same hours.",
    needs=NEEDED,
)
def what_is_left_behind(seen: Seen) -> None:
    leaves_the_same(*seen.left)


@check(cites="`./link.sh` finds the same records and says so in the same words.", needs=NEEDED)
def linking(seen: Seen) -> None:
    before, after = seen.linked
    same(after, before, f"what {LINK[0]} ended with and printed")


# What a careful engineer does unasked


@check(cites=UNASKED, required=False, needs=NEEDED)
def return_survives_a_lost_answer(seen: Seen) -> None:
    (status, _), refunds = seen.flaky
    same((status, refunds), (201, 1), "the status and the number of refunds after a lost answer")


@check(cites=UNASKED, required=False, needs=NEEDED)
def secret_key_is_not_logged(seen: Seen) -> None:
    if seen.key_in_log:
        raise Failed("the secret key is in the log")


@check(cites=UNASKED, required=False, needs=NEEDED)
def own_tests_pass(seen: Seen) -> None:
    same(seen.own_tests, 0, "the exit code of the project's own tests")
