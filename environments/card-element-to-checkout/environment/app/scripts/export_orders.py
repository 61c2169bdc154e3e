"""Print every order that was paid for as CSV, for the books."""

import csv
import sys

from _shop import ScriptError, run

from lazybed import database, orders
from lazybed.config import Config

COLUMNS = (
    "order", "status", "paid_at", "email", "country", "subtotal", "discount", "code", "shipping", "total",
    "currency", "payment_reference",
)  # fmt: skip


def main(config: Config) -> None:
    if not config.database_path.is_file():
        raise ScriptError(f"there is no shop at {config.database_path}; run reset_shop.py first")
    connection = database.connect(config.database_path)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    for order in orders.kept(connection):
        writer.writerow(
            [
                order.number, order.status, order.paid_at, order.email, order.address.country, order.subtotal,
                order.discount, order.discount_code or "", order.shipping, order.total, order.currency,
                order.payment_reference,
            ]  # fmt: skip
        )
    connection.close()


run(main)
