# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-0038a8e8e8ee: keep out of training data
"""Write our own records anew from what is noted at Stripe: which repair, account and hire is which.

Run it on a fresh machine, or whenever the books were lost:  .venv/bin/python scripts/link_records.py
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import stripe

from bellows.app import connect
from bellows.books import Books
from bellows.config import Config


def noted(thing, name: str) -> str | None:
    """A word of an object's metadata."""
    return thing.metadata.to_dict().get(name)


def main() -> None:
    config = Config.from_environment()
    connect(config)
    books = Books(config.database_path)
    for customer in stripe.Customer.list(limit=100).auto_paging_iter():
        books.write_account(customer.id, noted(customer, "known_as") or customer.name or customer.id)
    for intent in stripe.PaymentIntent.list(limit=100).auto_paging_iter():
        number = noted(intent, "repair")
        if number:
            books.write_repair(number, noted(intent, "instrument") or "?", intent.id)
    for found in stripe.Subscription.list(limit=100, status="all").auto_paging_iter():
        books.write_hire(found.id, found.customer, noted(found, "instrument") or "?")
    for table, count in books.counts().items():
        print(f"{count} {table}")


if __name__ == "__main__":
    main()
