"""Instruments that are out on hire, by the month or by the year."""

from __future__ import annotations

from . import past as stripe

from .books import Books
from .lines import discount_of, line_of
from .problems import Refused

PAGE = 25


def listing(books: Books, after: str | None) -> dict:
    """A page of the hires that are running, newest first, and how many there are altogether."""
    cursor = {"starting_after": after} if after else {}
    page = stripe.Subscription.list(limit=PAGE, include=["total_count"], **cursor)
    return {
        "total": page.total_count,
        "hires": [_shown(books, found) for found in page.data],
        "next": page.data[-1].id if page.has_more else None,
    }


def show(books: Books, hire: str) -> dict:
    """A hire with its last invoice."""
    found = stripe.Subscription.retrieve(hire, expand=["latest_invoice"])
    last = found.latest_invoice
    return {
        **_shown(books, found),
        "last_invoice": last
        and {
            "invoice": last.id,
            "number": last.number,
            "paid": last.paid,
            "payment": last.payment_intent,
            "total": last.total,
        },
    }


def start(books: Books, account: object, instrument: object, price: object, quantity: object, code: object) -> dict:
    """Hire something out, from now on; the first period is paid at once or nothing happens."""
    if not all(isinstance(given, str) and given for given in (account, instrument, price)):
        raise Refused(422, "account, instrument and price are needed")
    _check_quantity(quantity)
    if stripe.Customer.retrieve(account).get("deleted"):
        raise Refused(410, "closed")
    promotion = {"promotion_code": _usable(code).id} if code else {}
    made = stripe.Subscription.create(
        customer=account,
        items=[{"price": price, "quantity": quantity}],
        payment_behavior="error_if_incomplete",
        metadata={"instrument": instrument},
        **promotion,
    )
    books.write_hire(made.id, account, instrument)
    return show(books, made.id)


def change(books: Books, hire: str, quantity: object) -> dict:
    """More or fewer of the same; the difference goes onto the next invoice."""
    _check_quantity(quantity)
    found = stripe.Subscription.retrieve(hire)
    item = found["items"].data[0]
    stripe.Subscription.modify(hire, items=[{"id": item.id, "quantity": quantity}])
    return show(books, hire)


def end(books: Books, hire: str, when: object) -> dict:
    """Stop now, or when what is paid for is over."""
    if when == "now":
        stripe.Subscription.delete(hire)
    elif when == "period end":
        stripe.Subscription.modify(hire, cancel_at_period_end=True)
    else:
        raise Refused(422, "when", choices=["now", "period end"])
    return show(books, hire)


def next_invoice(hire: str) -> dict:
    """What comes next, as things are now."""
    coming = stripe.Invoice.upcoming(subscription=hire)
    return {
        "hire": hire,
        "at": coming.next_payment_attempt,
        "currency": coming.currency,
        "subtotal": coming.subtotal,
        "total": coming.total,
        "discount": discount_of(coming.discount),
        "lines": [line_of(line) for line in coming.lines.data],
    }


def give_discount(books: Books, hire: str, code: object) -> dict:
    """A code replaces whatever discount there was."""
    if not isinstance(code, str) or not code:
        raise Refused(422, "code")
    stripe.Subscription.modify(hire, promotion_code=_usable(code).id)
    return show(books, hire)


def take_discount(books: Books, hire: str) -> dict:
    """No discount any more."""
    stripe.Subscription.delete_discount(hire)
    return show(books, hire)


def code(text: str) -> dict:
    """What a code is worth, and whether it still counts."""
    found = _code(text)
    coupon = found.coupon
    return {
        "code": found.code,
        "good": found.active,
        "until": found.expires_at,
        "used": found.times_redeemed,
        "name": coupon.name,
        "percent": coupon.percent_off,
        "amount": coupon.amount_off,
        "duration": coupon.duration,
    }


def _code(text: str):
    found = stripe.PromotionCode.list(code=text, limit=1).data
    if not found:
        raise Refused(404, "not found")
    return found[0]


def _usable(text: str):
    found = _code(text)
    if not found.active:
        raise Refused(409, "code is over")
    return found


def _check_quantity(quantity: object) -> None:
    if not isinstance(quantity, int) or isinstance(quantity, bool) or not 1 <= quantity <= 50:
        raise Refused(422, "quantity")


def _shown(books: Books, found) -> dict:
    return {
        "hire": found.id,
        "account": found.customer,
        "instrument": books.instrument_of_hire(found.id) or found.metadata.get("instrument"),
        "status": found.status,
        "since": found.start_date,
        "from": found.current_period_start,
        "to": found.current_period_end,
        "ends": found.cancel_at,
        "ended": found.ended_at,
        "discount": discount_of(found.discount),
        "items": [
            {
                "price": item.price.id,
                "each": item.price.unit_amount,
                "every": item.price.recurring.interval,
                "quantity": item.quantity,
            }
            for item in found["items"].data
        ],
    }
