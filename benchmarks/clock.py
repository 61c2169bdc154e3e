"""How fast billing goes by: monthly subscriptions with renewals, payments and events, advanced in one call.

    python benchmarks/clock.py                 # a month of 100, 1,000 and 10,000 subscriptions, a year of 1,000
    python benchmarks/clock.py 500 6           # six months of 500

The time per invoice should not grow with the number of subscriptions: advancing looks only at what is due.
"""

from __future__ import annotations

import argparse
import resource
import time

from trialbalance.twin import Twin

DAY = 86_400
MONTH = 2_635_200
"""Thirty days and a half."""


def populate(twin: Twin, count: int) -> None:
    """`count` customers with a card and a monthly subscription each, made over two weeks."""

    def post(path: str, **form: object) -> str:
        answer = twin.request("POST", path, form)
        assert answer.status == 200, answer.body
        return str(answer.json()["id"])

    product = post("/v1/products", name="Seed box")
    price = post(
        "/v1/prices", product=product, unit_amount=1500, currency="usd", **{"recurring[interval]": "month"}
    )
    for number in range(count):
        customer = post("/v1/customers", email=f"c{number}@example.test")
        method = post("/v1/payment_methods/pm_card_visa/attach", customer=customer)
        post(f"/v1/customers/{customer}", **{"invoice_settings[default_payment_method]": method})
        post("/v1/subscriptions", customer=customer, **{"items[0][price]": price})
        if number % max(1, count // 28) == 0:
            twin.advance(twin.now() + DAY // 2)


def run(count: int, months: int) -> None:
    """Print one line for `months` months of `count` subscriptions."""
    twin = Twin(seed=1)
    populate(twin, count)
    table = twin.store.table(twin.account, "invoice").objects
    before = len(table)
    began, busy = time.perf_counter(), time.process_time()
    actions = twin.advance(twin.now() + months * MONTH)
    seconds, busy = time.perf_counter() - began, time.process_time() - busy
    invoices = len(table) - before
    paid = sum(1 for invoice in table.values() if invoice["status"] == "paid") - before
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{count:>6,} subscriptions, {months:>2} months: {seconds:6.1f} s ({busy:.1f} s of CPU), {actions:,} actions, "
        f"{invoices:,} invoices, {paid:,} of them paid: {invoices / seconds:,.0f} a second, "
        f"{busy / invoices * 1000:.2f} ms of CPU each; {memory:,} MB",
        flush=True,
    )


def main() -> None:
    """Measure what is asked for, or the usual table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("subscriptions", type=int, nargs="?")
    parser.add_argument("months", type=int, nargs="?", default=1)
    given = parser.parse_args()
    if given.subscriptions is not None:
        run(given.subscriptions, given.months)
        return
    for size, months in ((100, 1), (1000, 1), (1000, 12), (10_000, 1)):  # memory is the peak so far
        run(size, months)


if __name__ == "__main__":
    main()
