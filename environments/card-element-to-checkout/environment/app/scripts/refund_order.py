"""Give a shopper all the money back: `refund_order.py LB-2401`."""

import sys

from _shop import ScriptError, run

from lazybed import database, orders
from lazybed.config import Config
from lazybed.money import display
from lazybed.payments import Payments


def main(config: Config) -> None:
    if len(sys.argv) != 2:
        raise ScriptError("say which order: refund_order.py LB-2401")
    if not config.database_path.is_file():
        raise ScriptError(f"there is no shop at {config.database_path}; run reset_shop.py first")
    connection = database.connect(config.database_path)
    order = orders.by_number(connection, sys.argv[1])
    if order is None:
        raise ScriptError(f"there is no order {sys.argv[1]}")
    if order.status != "paid":
        raise ScriptError(f"order {order.number} is {order.status}, not paid")
    Payments(config).refund(order.payment_reference)
    orders.mark_refunded(connection, order)
    connection.close()
    print(f"{order.number}: {display(order.total, order.currency)} given back")


run(main)
