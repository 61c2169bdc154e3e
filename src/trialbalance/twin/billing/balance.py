"""How an invoice's total meets the customer's credit balance.

The balance is negative when the customer has money with us. Credit pays for positive totals, a negative total becomes
credit, and what is due but too small to be charged is put on the balance for next time.

Source: https://docs.stripe.com/billing/customer/balance
"""

from __future__ import annotations

from typing import NamedTuple


class Settlement(NamedTuple):
    """What is due for an invoice now, and the customer's balance afterwards."""

    amount_due: int
    ending_balance: int
    too_small: bool = False

    def change(self, balance: int) -> int:
        """What to add to a balance that stood at `balance`."""
        return self.ending_balance - balance


def settle(total: int, balance: int, minimum: int) -> Settlement:
    """Apply a balance to a total; `minimum` is the smallest amount that can be charged.

    Example:
        >>> settle(-334, 0, 50)
        Settlement(amount_due=0, ending_balance=-334, too_small=False)
        >>> settle(1000, -334, 50)
        Settlement(amount_due=666, ending_balance=0, too_small=False)
        >>> settle(4, 0, 50)
        Settlement(amount_due=0, ending_balance=4, too_small=True)
    """
    due = total + balance
    if total <= 0 or due <= 0:
        return Settlement(0, due)
    if due < minimum:
        return Settlement(0, due, too_small=True)
    return Settlement(due, 0)
