# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-c7b5db8a0de4: keep out of training data
"""Does the upgraded back office answer as the original does, through the new SDK and the new API version?

Both run side by side on twins that were filled alike; every answer of the upgraded one is compared with the original's.
"""

from __future__ import annotations

from trialbalance.grading import App, Draw, Failed, GraderTwin, Original, check, same, scenario
from trialbalance.grading.left_behind import leaves_the_same
from trialbalance.grading.side_by_side import made_by, nothing_gone, sent_in

from lane_seen import LINK, Seen, watch

SDK = "16.1.0"
VERSION = "2026-10-28.endive"
NEEDED = ("installed-sdk", "every-request-by-the-new-sdk", "every-request-in-the-new-version")


@scenario
def seen(app: App, twin: GraderTwin, original: Original, draw: Draw) -> Seen:
    return watch(app, twin, original, draw)


# The new SDK


@check(cites="`stripe==16.1.0` is installed in `/app/.venv`, and `requirements.txt` pins it.")
def installed_sdk(seen: Seen) -> None:
    same(seen.installed, SDK, "the installed version of stripe")
    same(seen.pins, [f"stripe=={SDK}"], "what requirements.txt says of stripe")


@check(cites="Every request to Stripe is made by that SDK.")
def every_request_by_the_new_sdk(seen: Seen) -> None:
    made_by(seen.asked, f"Stripe/v1 PythonBindings/{SDK}")


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


# Repairs


@check(cites="A repair shows its state, what was received, and every attempt to pay for it, also when there were more than ten.", needs=NEEDED)
def every_attempt(seen: Seen) -> None:
    seen.alike("repair", fields=("repair", "instrument", "payment", "state", "amount", "currency", "received", "attempts"))


@check(cites="It shows what was refunded and every refund, also when there were more than ten.", needs=NEEDED)
def every_refund(seen: Seen) -> None:
    seen.alike("repair", fields=("refunded", "refunds"))


@check(cites="Refunds are made, and refused, as they are today.", needs=NEEDED)
def refunding(seen: Seen) -> None:
    seen.alike("refund")


@check(cites="The day book tells repairs, invoices, hires and the rest apart, and names what each payment was for.", needs=NEEDED)
def day_book(seen: Seen) -> None:
    seen.alike("day book")


@check(cites="A day with more than a hundred payments is complete.", needs=NEEDED)
def long_day_book(seen: Seen) -> None:
    seen.alike("long day book", fields=("payments", "taken", "refunded"))


# Accounts


@check(cites="An invoice shows whether it is paid, how, and what is outstanding, also when it was paid in parts.", needs=NEEDED)
def how_it_was_paid(seen: Seen) -> None:
    seen.alike("invoice", fields=("invoice", "number", "account", "status", "paid", "how", "outstanding", "due"))


@check(
    cites="Its `payment` is the payment of the invoice that Stripe calls the default one, unless that was canceled: then it is the oldest "
    "of the others that was not, or `null`.",
    needs=NEEDED,
)
def the_payment_of_an_invoice(seen: Seen) -> None:
    seen.alike("invoice", fields=("payment",))


@check(cites="It shows total, tax and discount as it does today.", needs=NEEDED)
def sums(seen: Seen) -> None:
    seen.alike("invoice", fields=("currency", "total", "tax", "discount"))


@check(cites="It shows all its lines with their prices, taxes and periods, and the hire they belong to.", needs=NEEDED)
def all_lines(seen: Seen) -> None:
    seen.alike("invoice", fields=("hire", "lines"))


@check(cites="A payment leads to its invoice, whether it paid all of it or a part.", needs=NEEDED)
def from_payment_to_invoice(seen: Seen) -> None:
    seen.alike("payment")


@check(cites="Invoices are paid by card and by bank as they are today.", needs=NEEDED)
def paying(seen: Seen) -> None:
    seen.alike("pay")


@check(cites="A payment that cannot be made is refused with the status and the reason of today.", needs=NEEDED)
def refused_payments(seen: Seen) -> None:
    seen.alike("refused payment")


@check(cites="A statement lists what is unpaid, with its payment and its hire.", needs=NEEDED)
def statements(seen: Seen) -> None:
    seen.alike("statement", fields=("account", "name", "billed", "paid", "unpaid"))


@check(cites="A statement of more than a hundred invoices counts and adds up all of them.", needs=NEEDED)
def long_statements(seen: Seen) -> None:
    seen.alike("long statement", fields=("invoices", "paid", "billed", "outstanding"))


# Hires


@check(cites="The list of hires is paged as it is today.", needs=NEEDED)
def pages_of_hires(seen: Seen) -> None:
    seen.alike("listing", fields=("hires", "next"))


@check(cites="Its `total` counts all hires that are running, also beyond a hundred.", needs=NEEDED)
def total_of_hires(seen: Seen) -> None:
    seen.alike("listing", fields=("total",))


@check(cites="A hire shows its period, its things and its end.", needs=NEEDED)
def periods(seen: Seen) -> None:
    seen.alike("hire", fields=("hire", "account", "instrument", "status", "since", "from", "to", "ends", "ended", "items"))


@check(cites="It shows its discount and until when.", needs=NEEDED)
def discount_of_a_hire(seen: Seen) -> None:
    seen.alike("hire", fields=("discount",))


@check(cites="It shows its last invoice and how that was paid.", needs=NEEDED)
def last_invoice(seen: Seen) -> None:
    seen.alike("hire", fields=("last_invoice",))


@check(cites="What comes next is told line by line, with the discount, or that nothing comes.", needs=NEEDED)
def next_invoice(seen: Seen) -> None:
    seen.alike("next")


@check(cites="Hires are started, with and without a code.", needs=NEEDED)
def starting(seen: Seen) -> None:
    seen.alike("start", fields=("hire", "account", "instrument", "status", "since", "items"))
    seen.alike("next after start", fields=("at", "currency", "subtotal", "total"))


@check(cites="A change of quantity is settled on the next invoice as it is today.", needs=NEEDED)
def changing(seen: Seen) -> None:
    seen.alike("change", fields=("hire", "status", "items"))
    seen.alike("next after change", fields=("subtotal", "total", "lines"))


@check(cites="Discounts are given, replaced and taken.", needs=NEEDED)
def discounting(seen: Seen) -> None:
    seen.alike("discount", fields=("discount",))
    seen.alike("next after discount", fields=("subtotal", "total"))


@check(cites="Hires end at once, or when the period is over.", needs=NEEDED)
def ending(seen: Seen) -> None:
    seen.alike("end", fields=("hire", "status", "ends", "ended"))


@check(cites="A code tells what it is worth and whether it still counts.", needs=NEEDED)
def codes(seen: Seen) -> None:
    seen.alike("code")


# All of it


@check(cites="Ids that nobody knows and requests that make no sense get the status and the body of today, at every address.", needs=NEEDED)
def unknown_things(seen: Seen) -> None:
    seen.alike("unknown")


@check(cites="So do customers that were deleted, codes that are over and hires that have ended.", needs=NEEDED)
def things_that_are_over(seen: Seen) -> None:
    seen.alike("gone")


@check(cites="So do requests while Stripe cannot be reached or fails.", needs=NEEDED)
def trouble(seen: Seen) -> None:
    seen.alike("trouble")


@check(
    cites="What all this leaves behind at Stripe is what it leaves behind today: the same refunds, payments, invoices, subscriptions, "
    "discounts and uses of codes, with the same amounts, states, reasons, metadata and billing mode.",
    needs=NEEDED,
)
def what_is_left_behind(seen: Seen) -> None:
    leaves_the_same(*seen.left)


@check(cites="`scripts/link_records.py` finds the same records and says so in the same words.", needs=NEEDED)
def linking(seen: Seen) -> None:
    before, after = seen.linked
    same(after, before, f"what {LINK[1]} ended with and printed")


# What a careful engineer does unasked


@check(cites="This is the office that takes our money, so treat it as such.", id="refund-survives-a-lost-answer", required=False, needs=NEEDED)
def refund_survives_a_lost_answer(seen: Seen) -> None:
    (status, _), refunds = seen.flaky
    same((status, refunds), (201, 1), "the status and the number of refunds after a lost answer")


@check(cites="This is the office that takes our money, so treat it as such.", required=False, needs=NEEDED)
def secret_key_is_not_logged(seen: Seen) -> None:
    if seen.key_in_log:
        raise Failed("the secret key is in the log")


@check(cites="This is the office that takes our money, so treat it as such.", required=False, needs=NEEDED)
def own_tests_pass(seen: Seen) -> None:
    same(seen.own_tests, 0, "the exit code of the project's own tests")
