# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-fbccfc0a3aeb: keep out of training data
"""Does the upgraded back office answer as the original does, through the new SDK and the new API version?

Both run side by side on twins that were filled alike; every answer of the upgraded one is compared with the original's.
"""

from __future__ import annotations

from trialbalance.grading import App, Draw, Failed, GraderTwin, Original, check, same, scenario
from trialbalance.grading.left_behind import leaves_the_same
from trialbalance.grading.side_by_side import made_by, nothing_gone, sent_in

from kiln_seen import LINK, Seen, watch

SDK = "23.1.0"
VERSION = "2026-10-28.endive"
NEEDED = ("installed-sdk", "every-request-by-the-new-sdk", "every-request-in-the-new-version")


@scenario
def seen(app: App, twin: GraderTwin, original: Original, draw: Draw) -> Seen:
    return watch(app, twin, original, draw)


# The new SDK


@check(cites="`stripe` 23.1.0 is installed in `/app/node_modules`, and `package.json` and `package-lock.json` name exactly that.")
def installed_sdk(seen: Seen) -> None:
    same(seen.installed, SDK, "the installed version of stripe")
    same(seen.pins, (SDK, SDK), "what package.json and package-lock.json say of stripe")


@check(cites="Every request to Stripe is made by that SDK.")
def every_request_by_the_new_sdk(seen: Seen) -> None:
    made_by(seen.asked, f"Stripe/v1 NodeBindings/{SDK}")


@check(
    cites="Every request to Stripe is sent in API version `2026-10-28.endive`, whatever the account's default.",
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


# Sales


@check(cites="A sale shows its state, what was received, and every attempt to pay for it, also when there were more than ten.", needs=NEEDED)
def every_attempt(seen: Seen) -> None:
    seen.alike("sale", fields=("sale", "what", "payment", "state", "amount", "currency", "received", "attempts"))


@check(cites="It shows what was given back and every refund, also when there were more than ten.", needs=NEEDED)
def every_refund(seen: Seen) -> None:
    seen.alike("sale", fields=("given_back", "refunds"))


@check(cites="Refunds are made, and refused, as they are today.", needs=NEEDED)
def refunding(seen: Seen) -> None:
    seen.alike("refund")


@check(cites="The takings tell sales, invoices, benches and the rest apart, and name what each payment was for.", needs=NEEDED)
def takings(seen: Seen) -> None:
    seen.alike("takings")


@check(cites="A day with more than a hundred payments is complete.", needs=NEEDED)
def long_takings(seen: Seen) -> None:
    seen.alike("long takings", fields=("payments", "taken", "given_back"))


# Invoices


@check(cites="An invoice shows its sums, whether it is paid, how, and what is outstanding, also when it was paid in parts.", needs=NEEDED)
def how_it_was_paid(seen: Seen) -> None:
    fields = ("invoice", "number", "studio", "status", "paid", "how", "currency", "total", "tax", "outstanding", "due")
    seen.alike("invoice", fields=fields)


@check(
    cites="Its `payment` is the payment of the invoice that Stripe calls the default one, unless that was canceled: then it is the oldest "
    "of the others that was not, or `null`.",
    needs=NEEDED,
)
def the_payment_of_an_invoice(seen: Seen) -> None:
    seen.alike("invoice", fields=("payment",))


@check(cites="It shows all its lines with their prices, taxes and periods, and the bench they belong to.", needs=NEEDED)
def all_lines(seen: Seen) -> None:
    seen.alike("invoice", fields=("bench", "lines"))


@check(cites="A payment leads to its invoice, whether it paid all of it or a part.", needs=NEEDED)
def from_payment_to_invoice(seen: Seen) -> None:
    seen.alike("payment")


@check(cites="Invoices are paid by card and by bank as they are today.", needs=NEEDED)
def paying(seen: Seen) -> None:
    seen.alike("pay")


@check(cites="A payment that cannot be made is refused with the status and the reason of today.", needs=NEEDED)
def refused_payments(seen: Seen) -> None:
    seen.alike("refused payment")


@check(cites="A statement lists what is unpaid, with its payment and its bench.", needs=NEEDED)
def statements(seen: Seen) -> None:
    seen.alike("statement", fields=("studio", "name", "billed", "paid", "unpaid"))


@check(cites="A statement of more than a hundred invoices counts and adds up all of them.", needs=NEEDED)
def long_statements(seen: Seen) -> None:
    seen.alike("long statement", fields=("invoices", "paid", "billed", "outstanding"))


# Benches


@check(cites="The list of benches is paged as it is today.", needs=NEEDED)
def pages_of_benches(seen: Seen) -> None:
    seen.alike("list", fields=("benches", "next"))


@check(cites="Its `total` counts all benches that are let, also beyond a hundred.", needs=NEEDED)
def total_of_benches(seen: Seen) -> None:
    seen.alike("list", fields=("total",))


@check(cites="A bench shows its period, what is let with it, and its end.", needs=NEEDED)
def periods(seen: Seen) -> None:
    fields = ("bench", "studio", "place", "status", "since", "from", "to", "ends", "ended", "items")
    seen.alike("bench", "later", fields=fields)


@check(cites="It shows its last invoice and how that was paid.", needs=NEEDED)
def last_invoice(seen: Seen) -> None:
    seen.alike("bench", fields=("last_invoice",))


@check(cites="What comes next is told line by line, or that nothing comes.", needs=NEEDED)
def next_invoice(seen: Seen) -> None:
    seen.alike("next")


@check(cites="Benches end at once, or when the period is over.", needs=NEEDED)
def ending(seen: Seen) -> None:
    seen.alike("end", fields=("bench", "status", "ends", "ended"))


# Firings


@check(cites="Firings are reported as they are today, for now and for an earlier moment of the period.", needs=NEEDED)
def reporting(seen: Seen) -> None:
    seen.alike("reported")


@check(cites="What was reported under a reference counts once, however often it is sent.", needs=NEEDED)
def repeated_reports(seen: Seen) -> None:
    seen.alike("repeated")


@check(cites="Reports that are refused today are refused in the same words, and count nothing.", needs=NEEDED)
def refused_reports(seen: Seen) -> None:
    seen.alike("refused report")


@check(cites="The firings of a bench are those of its present period.", needs=NEEDED)
def counting(seen: Seen) -> None:
    seen.alike("counted")


@check(cites="They are on what comes next, and on the bill when the period is over.", needs=NEEDED)
def billed_firings(seen: Seen) -> None:
    seen.alike("next with firings", fields=("currency", "total", "lines"))
    seen.alike("bill", fields=("status", "total", "lines"))


# All of it


@check(cites="Ids that nobody knows and requests that make no sense get the status and the body of today, at every address.", needs=NEEDED)
def unknown_things(seen: Seen) -> None:
    seen.alike("unknown")


@check(cites="So do studios that have left and benches that have ended.", needs=NEEDED)
def things_that_are_over(seen: Seen) -> None:
    seen.alike("gone")


@check(cites="So do requests while Stripe cannot be reached or fails.", needs=NEEDED)
def trouble(seen: Seen) -> None:
    seen.alike("trouble")


@check(
    cites="What all this leaves behind at Stripe is what it leaves behind today: the same refunds, payments, invoices and subscriptions, with "
    "the same amounts, states, reasons, metadata and billing mode, and the same firings at the same moments.",
    needs=NEEDED,
)
def what_is_left_behind(seen: Seen) -> None:
    leaves_the_same(*seen.left)


@check(cites="`scripts/link-records.ts` finds the same records and says so in the same words.", needs=NEEDED)
def linking(seen: Seen) -> None:
    before, after = seen.linked
    same(after, before, f"what {LINK[1]} ended with and printed")


# What a careful engineer does unasked


@check(cites="This is the service that takes our money, so treat it as such.", id="refund-survives-a-lost-answer", required=False, needs=NEEDED)
def refund_survives_a_lost_answer(seen: Seen) -> None:
    (status, _), refunds = seen.flaky
    same((status, refunds), (201, 1), "the status and the number of refunds after a lost answer")


@check(cites="This is the service that takes our money, so treat it as such.", required=False, needs=NEEDED)
def secret_key_is_not_logged(seen: Seen) -> None:
    if seen.key_in_log:
        raise Failed("the secret key is in the log")


@check(cites="This is the service that takes our money, so treat it as such.", required=False, needs=NEEDED)
def own_tests_pass(seen: Seen) -> None:
    same(seen.own_tests, 0, "the exit code of the project's own tests")


@check(cites="This is the service that takes our money, so treat it as such.", required=False, needs=NEEDED)
def types_fit(seen: Seen) -> None:
    same(seen.types, 0, "the exit code of the project's own type check")
