"""The confirmation mail, put in the outbox for the post run to send."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from .money import display

if TYPE_CHECKING:
    from .orders import Order


def queue_confirmation(connection: sqlite3.Connection, order: Order) -> None:
    connection.execute(
        "INSERT INTO outbox (order_number, recipient, subject, body) VALUES (?, ?, ?, ?)",
        (order.number, order.email, f"Your Lazybed order {order.number}", confirmation(order)),
    )


def confirmation(order: Order) -> str:
    goods = [
        f"  {line.quantity} × {line.name}: {display(line.amount, order.currency)}" for line in order.lines
    ]
    sums = [f"  Goods: {display(order.subtotal, order.currency)}"]
    if order.discount:
        sums.append(f"  Discount ({order.discount_code}): {display(-order.discount, order.currency)}")
    sums.append(f"  Delivery: {display(order.shipping, order.currency)}")
    sums.append(f"  Paid: {display(order.total, order.currency)}")
    return "\n".join(
        [
            f"Dear {order.address.name},",
            "",
            f"thank you. Order {order.number} is written in the book:",
            "",
            *goods,
            "",
            *sums,
            "",
            "The box leaves Drumgarrow on the next dry Tuesday. Open it the day it comes, and stand",
            "the tubers rose end up somewhere light and cool.",
            "",
            "Orla, for all at Lazybed",
        ]
    )
