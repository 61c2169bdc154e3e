"""Instruments that are out on hire, by the month or by the year."""

from __future__ import annotations

import stripe

from .books import Books
from .invoicing import intent_of
from .lines import discount_of, lines_of
from .problems import Refused

PAGE = 25


def listing(books: Books, after: str | None) -> dict:
    """A page of the hires that are running, newest first, and how many there are altogether."""
    cursor = {"starting_after": after} if after else {}
    page = stripe.Subscription.list(limit=PAGE, expand=["data.discounts.source.coupon"], **cursor)
    return {
        "total": _count(),
        "hires": [_shown(books, found) for found in page.data],
        "next": page.data[-1].id if page.has_more else None,
    }


def _count() -> int:
    count, cursor = 0, {}
    while True:
        page = stripe.Subscription.list(limit=100, **cursor)
        count += len(page.data)
        if not page.has_more:
            return count
        cursor = {"starting_after": page.data[-1].id}


def show(books: Books, hire: str) -> dict:
    """A hire with its last invoice."""
    found = stripe.Subscription.retrieve(hire, expand=["latest_invoice.payments", "discounts.source.coupon"])
    last = found.latest_invoice
    return {
        **_shown(books, found),
        "last_invoice": last
        and {
            "invoice": last.id,
            "number": last.number,
            "paid": last.status == "paid",
            "payment": intent_of(last),
            "total": last.total,
        },
    }


def start(books: Books, account: object, instrument: object, price: object, quantity: object, code: object) -> dict:
    """Hire something out, from now on; the first period is paid at once or nothing happens."""
    if not all(isinstance(given, str) and given for given in (account, instrument, price)):
        raise Refused(422, "account, instrument and price are needed")
    _check_quantity(quantity)
    if getattr(stripe.Customer.retrieve(account), "deleted", False):
        raise Refused(410, "closed")
    promotion = {"discounts": [{"promotion_code": _usable(code).id}]} if code else {}
    made = stripe.Subscription.create(
        customer=account,
        items=[{"price": price, "quantity": quantity}],
        payment_behavior="error_if_incomplete",
        metadata={"instrument": instrument},
        billing_mode={"type": "classic"},
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
        stripe.Subscription.cancel(hire)
    elif when == "period end":
        stripe.Subscription.modify(hire, cancel_at_period_end=True)
    else:
        raise Refused(422, "when", choices=["now", "period end"])
    return show(books, hire)


def next_invoice(hire: str) -> dict:
    """What comes next, as things are now."""
    coming = stripe.Invoice.create_preview(subscription=hire, expand=["discounts.source.coupon"])
    return {
        "hire": hire,
        "at": coming.next_payment_attempt,
        "currency": coming.currency,
        "subtotal": coming.subtotal,
        "total": coming.total,
        "discount": discount_of(coming.discounts),
        "lines": lines_of(coming.lines.data),
    }


def give_discount(books: Books, hire: str, code: object) -> dict:
    """A code replaces whatever discount there was."""
    if not isinstance(code, str) or not code:
        raise Refused(422, "code")
    stripe.Subscription.modify(hire, discounts=[{"promotion_code": _usable(code).id}])
    return show(books, hire)


def take_discount(books: Books, hire: str) -> dict:
    """No discount any more."""
    stripe.Subscription.delete_discount(hire)
    return show(books, hire)


def code(text: str) -> dict:
    """What a code is worth, and whether it still counts."""
    found = _code(text)
    coupon = found.promotion.coupon
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
    found = stripe.PromotionCode.list(code=text, limit=1, expand=["data.promotion.coupon"]).data
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
    items = found["items"].data
    return {
        "hire": found.id,
        "account": found.customer,
        "instrument": books.instrument_of_hire(found.id) or found.metadata.to_dict().get("instrument"),
        "status": found.status,
        "since": found.start_date,
        "from": max(item.current_period_start for item in items),
        "to": min(item.current_period_end for item in items),
        "ends": found.cancel_at,
        "ended": found.ended_at,
        "discount": discount_of(found.discounts),
        "items": [
            {
                "price": item.price.id,
                "each": item.price.unit_amount,
                "every": item.price.recurring.interval,
                "quantity": item.quantity,
            }
            for item in items
        ],
    }
