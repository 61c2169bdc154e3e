"""Write our own records anew from what is noted at Stripe: which repair, account and hire is which.

Run it on a fresh machine, or whenever the books were lost:  .venv/bin/python scripts/link_records.py
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bellows.app import connect
from bellows.books import Books
from bellows.config import Config
from bellows.past import Listed, v1


def main() -> None:
    config = Config.from_environment()
    connect(config)
    books = Books(config.database_path)
    for customer in Listed(v1().customers.list, {"limit": 100}).auto_paging_iter():
        books.write_account(customer.id, customer.metadata.get("known_as") or customer.get("name") or customer.id)
    for intent in Listed(v1().payment_intents.list, {"limit": 100}).auto_paging_iter():
        number = intent.metadata.get("repair")
        if number:
            books.write_repair(number, intent.metadata.get("instrument", "?"), intent.id)
    for found in Listed(v1().subscriptions.list, {"limit": 100, "status": "all"}).auto_paging_iter():
        books.write_hire(found.id, found.customer, found.metadata.get("instrument", "?"))
    for table, count in books.counts().items():
        print(f"{count} {table}")


if __name__ == "__main__":
    main()
