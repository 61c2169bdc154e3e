# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-8cba1762f8b7: keep out of training data
"""Is the shop's embedded Checkout right?  Each flow is driven once, in a shop with a drawn catalogue, and judged by several checks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from trialbalance.grading import (
    App,
    Database,
    Draw,
    Failed,
    GraderTwin,
    Shopper,
    Submission,
    TrialTwin,
    check,
    every,
    same,
    scenario,
)

import lazybed_flows as flows
import lazybed_shop as lazybed
from lazybed_flows import (
    Asked,
    ClosedWindow,
    Declined,
    Looking,
    OldDatabase,
    Purchase,
    Requests,
    Session,
    Tampering,
    TwoTabs,
    ask,
)
from lazybed_shop import BrowserVisitor, Visitor

TESTS = Path(__file__).resolve().parent


# Sessions, asked for over HTTP


@scenario
def requests(app: App, twin: GraderTwin, draw: Draw) -> Requests:
    shop = lazybed.set_up(app, twin, draw)
    catalogue = shop.catalogue
    one, two, three, four, five = (item.sku for item in catalogue.items)

    def visit(basket: dict[str, int], code: str = "") -> Asked:
        visitor = Visitor(app)
        visitor.fill(basket, code)
        return ask(visitor, twin)

    plain_basket = {two: draw.integer(2, 4), three: 1, five: draw.integer(2, 3)}
    plain = visit(plain_basket)
    free = visit(catalogue.just_free(), catalogue.percent.code)
    percent = visit({one: 1, four: 1}, catalogue.percent.code)
    amount = visit({one: 3}, catalogue.amount.code)

    shrinking = Visitor(app)
    shrinking.fill({one: 3}, catalogue.amount.code)
    shrinking.fill({one: 1})
    stale = ask(shrinking, twin)

    changing = Visitor(app)
    changing.fill({two: 1})
    before = ask(changing, twin)
    changing.fill({two: 0, three: 1, four: 1})
    after = ask(changing, twin)

    empty = ask(Visitor(app), twin)
    scarce = min(catalogue.items, key=lambda item: item.stock)
    lazybed.set_stock(app, scarce.sku, 2)
    short = visit({scarce.sku: 3})
    lazybed.set_stock(app, scarce.sku, scarce.stock)

    trouble = Visitor(app)
    down_basket = {two: 2, four: 1}
    trouble.fill(down_basket)
    twin.faults([{"fault": "reset_before", "endpoint": "POST /v1/checkout/sessions"}])
    down = ask(trouble, twin)
    twin.faults([])
    lazybed.forget_prices(app)
    refused = ask(trouble, twin)

    old = Visitor(app)
    old.fill({two: 1})
    address = {
        "name": "A",
        "line1": "1 B Street",
        "city": "C",
        "postcode": "1000",
        "country": catalogue.countries[0],
    }
    old_status = old.session.post(
        "/checkout/payment-intent", json={"email": draw.email(), **address}
    ).status_code
    return Requests(
        shop, plain_basket, plain, free, percent, amount, stale, before, after, {three: 1, four: 1}, empty, short,
        down, down_basket, trouble.basket(), refused, old_status,
    )  # fmt: skip


@check(
    cites="The session has one line for each product in the basket, under the Stripe product that `sync_catalogue.py` made for it, "
    "with the basket's quantity and the catalogue's price and currency."
)
def one_line_for_each_product(requests: Requests) -> None:
    shop, prices = requests.shop, {item.sku: item.amount for item in requests.shop.catalogue.items}
    requests.plain.made_session()
    wanted = {
        (shop.products[sku], prices[sku], shop.catalogue.currency, quantity)
        for sku, quantity in requests.plain_basket.items()
    }
    found = [(line.product, line.amount, line.currency, line.quantity) for line in requests.plain.lines]
    same(sorted(found), sorted(wanted), "the session's lines (product, price, currency, quantity)")


@check(
    cites="Delivery is charged as the session's shipping and not as goods, by today's rule: the flat charge, or nothing from the "
    "catalogue's threshold, counted before any discount."
)
def delivery_is_shipping(requests: Requests) -> None:
    same(
        requests.plain.total("amount_shipping"), requests.shop.catalogue.flat, "shipping below the threshold"
    )
    same(requests.free.total("amount_shipping"), 0, "shipping from the threshold on, before the discount")


@check(cites="The discount that the basket shows, by percentage or by amount, is taken off in Checkout too.")
def discount_is_taken_off(requests: Requests) -> None:
    catalogue = requests.shop.catalogue
    goods = requests.percent.made_session()["amount_subtotal"]
    same(
        requests.percent.total("amount_discount"),
        goods * catalogue.percent.value // 100,
        "the percentage taken off",
    )
    same(requests.amount.total("amount_discount"), catalogue.amount.value, "the amount taken off")


@check(cites="A code that does not apply any more to the basket that is paid for takes nothing off.")
def stale_code_takes_nothing_off(requests: Requests) -> None:
    same(
        requests.stale.total("amount_discount"),
        0,
        "the discount of a code whose minimum is not reached any more",
    )


@check(
    cites="Checkout asks for a delivery address, and only addresses in the catalogue's countries can be given."
)
def delivers_to_the_catalogues_countries(requests: Requests) -> None:
    collection = requests.plain.made_session()["shipping_address_collection"] or {}
    offered = sorted(collection.get("allowed_countries") or [])
    same(offered, sorted(requests.shop.catalogue.countries), "the countries that Checkout offers")


@check(cites="Cards are the only way to pay, as today.")
def cards_only(requests: Requests) -> None:
    same(
        requests.plain.made_session()["payment_method_types"],
        ["card"],
        "the ways to pay that Checkout offers",
    )


@check(
    cites="Whoever goes back, changes the basket and opens `/checkout` again pays for the basket as it is then."
)
def changed_basket_is_charged(requests: Requests) -> None:
    requests.before.made_session()
    amount = requests.after.made_session()["amount_subtotal"]
    same(
        amount,
        requests.shop.catalogue.subtotal(requests.after_basket),
        "the goods' amount of the changed basket",
    )


@check(
    cites="`POST /checkout/session` answers `400` for an empty basket and `409` when the basket holds more of something than there is "
    "in stock, and creates no session then."
)
def unsellable_baskets_are_refused(requests: Requests) -> None:
    same(requests.empty.status, 400, "the answer for an empty basket")
    same(requests.short.status, 409, "the answer for more than there is in stock")
    same(requests.empty.made + requests.short.made, 0, "the number of sessions made")


@check(
    cites="When Stripe refuses or does not answer, `POST /checkout/session` answers `502`, and the basket stays as it was."
)
def stripe_trouble_is_told(requests: Requests) -> None:
    same(requests.down.status, 502, "the answer while Stripe does not")
    same(requests.refused.status, 502, "the answer when Stripe refuses")
    for asked in (requests.down, requests.refused):
        try:
            error = json.loads(asked.body).get("error")
        except (ValueError, AttributeError):
            error = None
        if not isinstance(error, str) or not error:
            raise Failed("the answer has no error text", body=asked.body)
    same(requests.down_kept, requests.down_basket, "the basket afterwards")


@check(cites="`POST /checkout/payment-intent` is gone and answers `404` or `405`.")
def old_address_is_gone(requests: Requests) -> None:
    if requests.old_status not in (404, 405):
        raise Failed("POST /checkout/payment-intent still answers", status=requests.old_status)


# What the browser may say


@scenario
def tampering(app: App, twin: GraderTwin, shopper: Shopper, draw: Draw) -> Tampering:
    shop = lazybed.set_up(app, twin, draw)
    one, two, three, *_ = (item.sku for item in shop.catalogue.items)
    visitor = BrowserVisitor(shopper)
    visitor.fill({one: 2, three: draw.integer(3, 5)})
    sent: list[str | None] = []
    shopper.page.context.new_page()  # the shopper goes on there
    shopper.page.on(
        "request",
        lambda request: (
            sent.append(request.post_data) if urlsplit(request.url).path == "/checkout/session" else None
        ),
    )
    lazybed.open_checkout(shopper)
    honest = lazybed.sessions(twin)[-1:]
    lies: list[tuple[str, int, list[Session]]] = []
    coupon = twin.stripe.v1.coupons.create({"percent_off": 90, "duration": "once"}).id
    added = {
        "amount": 20, "unit_amount": 20, "price": 20, "total": 20, "subtotal": 20, "shipping": 0, "quantity": 1, "currency": "jpy",
        "discount": 99999, "code": shop.catalogue.percent.code, "coupon": coupon, "sku": two,
        "items": [{"sku": two, "id": two, "quantity": 1, "amount": 20, "unit_amount": 20, "price": 20}],
        "lines": [{"sku": two, "quantity": 1, "amount": 20, "unit_amount": 20}],
        "line_items": [{"quantity": 1, "price_data": {"currency": "usd", "unit_amount": 20, "product_data": {"name": "x"}}}],
        "discounts": [{"coupon": coupon}],
    }  # fmt: skip
    body = sent[0] if sent else None
    lie = {**flows.lied(flows.decoded(body)), **added}
    flat = {name: str(value) for name, value in lie.items() if not isinstance(value, list | dict)}
    for what, path, init in (
        (
            "JSON",
            "/checkout/session",
            {"headers": {"content-type": "application/json"}, "body": json.dumps(lie)},
        ),
        (
            "form",
            "/checkout/session",
            {"headers": {"content-type": "application/x-www-form-urlencoded"}, "body": urlencode(flat)},
        ),
        ("query", f"/checkout/session?{urlencode(flat)}", {}),
    ):
        mark = twin.mark()
        status, _ = visitor.fetch(path, {"method": "POST", **init})
        lies.append((what, status, twin.created("checkout.session", since=mark)))
    made = [*honest, *(session for _, _, found in lies for session in found)]
    return Tampering(
        honest[0] if honest else None, lies, [lazybed.lines_of(twin, session) for session in made]
    )


@check(
    cites="What is bought and what it costs comes from the basket on the server; nothing that a browser sends to `/checkout/session` "
    "changes it."
)
def server_decides(tampering: Tampering) -> None:
    if tampering.honest is None:
        raise Failed("the page made no Checkout Session")
    wanted = flows.costs(tampering.honest, tampering.lines[0])
    lines = iter(tampering.lines[1:])
    for what, status, found in every(tampering.lies, "attempts"):
        if status < 400 and not found:
            continue  # the session of before was handed out again, and that one is right
        for session in found:
            same(flows.costs(session, next(lines)), wanted, f"what a session costs after lies sent as {what}")


# A whole purchase in the browser


@scenario
def purchase(app: App, twin: GraderTwin, shopper: Shopper, database: Database, draw: Draw) -> Purchase:
    shop = lazybed.set_up(app, twin, draw)
    catalogue = shop.catalogue
    one, two, three, *_ = (item.sku for item in catalogue.items)
    delivery = lazybed.draw_delivery(draw, catalogue)
    note = f"Behind the {draw.word()} <gate> & ring twice"
    visitor = BrowserVisitor(shopper)
    visitor.fill({one: draw.integer(1, 3), two: 1, three: draw.integer(2, 3)}, catalogue.percent.code, note)
    shopper.page.context.new_page()  # the shopper goes on there
    addresses: list[str] = []
    shopper.page.on(
        "framenavigated", lambda frame: addresses.append(frame.url) if frame.parent_frame is None else None
    )
    lazybed.open_checkout(shopper)
    page = flows.paying_page(shopper)
    shopper.screenshot("checkout")
    before = lazybed.read_books(database)
    lazybed.pay(shopper, delivery)
    shopper.screenshot("receipt")
    receipt = {
        name: [
            " ".join(text.split())
            for text in shopper.page.locator(f'[data-testid="{name}"]').all_inner_texts()
        ]
        for name in flows.ON_THE_RECEIPT
    }
    session = lazybed.last_paid_session(twin)
    books = lazybed.read_books(database)
    _, basket = visitor.fetch("/basket")
    lazybed.deliver_events(app, twin)
    shopper.open(urlsplit(shopper.url).path)
    shopper.open(f"/checkout/return?session_id={session['id']}")
    lazybed.deliver_events(app, twin)
    repeated = lazybed.read_books(database)
    received = shopper.received()

    refund_problem, refunded = "", 0
    if len(books.paid) == 1:
        done = app.run([lazybed.PYTHON, "scripts/refund_order.py", str(books.paid[0]["number"])])
        refund_problem = "" if done.exit_code == 0 else done.stderr[-300:]
        refunded = sum(refund["amount"] for refund in twin.created("refund"))
    return Purchase(
        shop, delivery, note, addresses, page, session, before.stock, books, repeated, receipt,
        {"lines": basket.count('data-testid="basket-line"')}, received,
        {"secret key": twin.secret_key, "webhook secret": twin.webhook_secret, "publishable key": twin.publishable_key},
        refund_problem, refunded, str(session["payment_intent"]),
    )  # fmt: skip


@check(
    cites='`/checkout` shows Checkout embedded in our page, inside an element with `data-testid="checkout"`, in place of our own form, '
    "and the shopper never leaves `127.0.0.1:4242` on the way to the receipt."
)
def checkout_is_embedded(purchase: Purchase) -> None:
    same(purchase.page, dict.fromkeys(purchase.page, True), "the page to pay on")
    strange = [
        address
        for address in every(purchase.addresses, "pages")
        if not address.startswith("http://127.0.0.1:4242/")
    ]
    if strange:
        raise Failed(
            "the shopper is led away from the shop",
            addresses=[urlsplit(address).hostname for address in strange],
        )


@check(
    cites="When a payment has gone through, the order's `status` is `paid`, and its `currency`, `subtotal`, `discount`, `shipping` and "
    "`total` are what Stripe charged, with the code that gave the discount in `discount_code`."
)
def order_has_what_was_charged(purchase: Purchase) -> None:
    session, order = purchase.session, purchase.books.only
    details = session["total_details"] or {}
    charged = {
        "currency": session["currency"],
        "subtotal": session["amount_subtotal"],
        "discount": details.get("amount_discount", 0),
        "shipping": details.get("amount_shipping", 0),
        "total": session["amount_total"],
        "discount_code": purchase.shop.catalogue.percent.code,
    }
    same({name: order[name] for name in charged}, charged, "the order")


@check(cites="Its `email` is the one that was typed into Checkout.")
def order_has_the_email(purchase: Purchase) -> None:
    same(purchase.books.only["email"], purchase.delivery.email, "the order's e-mail")


@check(
    cites="Its `ship_name` to `ship_country` are the delivery address typed into Checkout, also when the billing address is another."
)
def order_has_the_delivery_address(purchase: Purchase) -> None:
    order, delivery = purchase.books.only, purchase.delivery
    address = {name: order[f"ship_{name}"] for name in ("name", "line1", "city", "postcode", "country")}
    wanted = {
        "name": delivery.name,
        "line1": delivery.line1,
        "city": delivery.city,
        "postcode": delivery.postcode,
        "country": delivery.country,
    }
    same(address, wanted, "the order's delivery address")
    same((order["ship_line2"] or "", order["ship_region"] or ""), ("", ""), "the parts that nobody typed")


@check(cites="Its `note` is the note that was with the basket.")
def order_has_the_note(purchase: Purchase) -> None:
    same(purchase.books.only["note"], purchase.note, "the order's note")


@check(
    cites="`scripts/refund_order.py` gives the money of such an order back, and `payment_reference` is the id of its PaymentIntent."
)
def order_can_be_refunded(purchase: Purchase) -> None:
    same(purchase.books.only["payment_reference"], purchase.intent, "the order's payment_reference")
    if purchase.refund_problem:
        raise Failed("refund_order.py failed", stderr=purchase.refund_problem)
    same(purchase.refunded, purchase.session["amount_total"], "the money given back")


@check(
    cites="The shopper ends on the receipt page, which shows the order's number, e-mail, lines, sums and address under the same "
    "`data-testid`s as now."
)
def receipt_shows_the_order(purchase: Purchase) -> None:
    order, shown = purchase.books.only, purchase.receipt
    sold = purchase.books.sold(order)
    names = {item.sku: item.name for item in purchase.shop.catalogue.items}
    one = {name: order[name] for name in ("subtotal", "discount", "shipping", "total")}
    same(shown["order-number"], [order["number"]], "the number on the receipt")
    same(shown["order-status"], ["paid"], "the status on the receipt")
    same(shown["order-email"], [order["email"]], "the e-mail on the receipt")
    for name, amount in one.items():
        same([flows.minor(text) for text in shown[name]], [amount], f"the {name} on the receipt")
    lines = list(
        zip(shown["line-name"], shown["line-quantity"], map(flows.minor, shown["line-amount"]), strict=False)
    )
    wanted = [
        (names.get(sku, sku), str(quantity), amount * quantity) for sku, (amount, quantity) in sold.items()
    ]
    same(sorted(lines), sorted(wanted), "the lines on the receipt")
    address = " ".join(shown["order-address"])
    for part in ("name", "line1", "postcode", "city"):
        if str(order[f"ship_{part}"]) not in address:
            raise Failed(f"the receipt does not show the address's {part}", shown=address)


@check(
    cites="Stock goes down by what was bought, one mail is queued in `outbox` to the shopper's address, and the basket is empty afterwards."
)
def order_is_fulfilled(purchase: Purchase) -> None:
    order = purchase.books.only
    sold = purchase.books.sold(order)
    every(sold, "order lines")
    left = {sku: stock - sold.get(sku, (0, 0))[1] for sku, stock in purchase.stock_before.items()}
    same(purchase.books.stock, left, "the stock afterwards")
    mails = [(mail["order_number"], mail["recipient"]) for mail in purchase.books.mails]
    same(mails, [(order["number"], order["email"])], "the mails in the outbox (order, recipient)")
    same(purchase.basket["lines"], 0, "the number of lines in the basket")


@check(cites="The secret key and the webhook secret are in nothing that is sent to a browser.")
def secrets_stay_on_the_server(purchase: Purchase) -> None:
    if purchase.secrets["publishable key"] not in purchase.received:
        raise Failed(
            "the publishable key was in nothing that the shop sent, so the page cannot have paid with it"
        )
    for name in ("secret key", "webhook secret"):
        if purchase.secrets[name] in purchase.received:
            raise Failed(f"the {name} was sent to the browser")


# The window that is closed too soon


@scenario
def closed_window(
    app: App, twin: GraderTwin, shopper: Shopper, database: Database, draw: Draw
) -> ClosedWindow:
    shop = lazybed.set_up(app, twin, draw)
    one, two, *_ = (item.sku for item in shop.catalogue.items)
    BrowserVisitor(shopper).fill({one: draw.integer(2, 4), two: draw.integer(1, 3)})
    lazybed.open_checkout(shopper)
    session = lazybed.pay_and_close(shopper, app, twin, lazybed.draw_delivery(draw, shop.catalogue))
    event = lazybed.completed_event(twin)
    unsigned = {
        "missing": app.send_event("/webhooks/stripe", event, signature="missing").status_code,
        "forged": app.send_event("/webhooks/stripe", event, signature="forged").status_code,
    }
    after_unsigned = lazybed.read_books(database)
    statuses = lazybed.deliver_events(app, twin)
    told = lazybed.read_books(database)
    later = []
    for _ in range(2):
        lazybed.deliver_events(app, twin)
        later.append(lazybed.read_books(database))
        shopper.open(f"/checkout/return?session_id={session['id']}")
        later.append(lazybed.read_books(database))
    return ClosedWindow(unsigned, after_unsigned, statuses, told, later)


@check(cites="Calls of `/webhooks/stripe` that Stripe has not signed get `400` and change nothing.")
def unsigned_events_are_refused(closed_window: ClosedWindow) -> None:
    same(
        closed_window.unsigned,
        {"missing": 400, "forged": 400},
        "the answers to events without a valid signature",
    )
    same(closed_window.after_unsigned.paid, [], "the paid orders after events without a valid signature")


@check(
    cites="A shopper who closes the window right after paying gets the order all the same, through `checkout.session.completed`."
)
def closed_window_makes_an_order(closed_window: ClosedWindow) -> None:
    same(
        [status for status in closed_window.statuses if status >= 300],
        [],
        "the answers to signed events that are no success",
    )
    same(len(closed_window.told.paid), 1, "the number of paid orders")


@check(
    cites="All of this happens once for each payment, however often the shopper reloads and Stripe repeats its events."
)
def everything_happens_once(closed_window: ClosedWindow, purchase: Purchase) -> None:
    for first_books, books in (
        (purchase.books, purchase.repeated),
        (next((b for b in closed_window.later if b.paid), closed_window.told), closed_window.later[-1]),
    ):
        same(len(books.paid), 1, "the number of paid orders after repetitions")
        same(books.stock, first_books.stock, "the stock after repetitions")
        same(len(books.mails), len(first_books.mails), "the number of mails after repetitions")


# Two tabs


@scenario
def two_tabs(app: App, twin: GraderTwin, shopper: Shopper, database: Database, draw: Draw) -> TwoTabs:
    shop = lazybed.set_up(app, twin, draw)
    one, two, three, *_ = (item.sku for item in shop.catalogue.items)
    visitor = BrowserVisitor(shopper)
    visitor.fill({one: 1, two: 1})
    shopper.page.context.new_page()  # the shopper goes on there
    lazybed.open_checkout(shopper)
    visitor.fill({one: 4, two: 0, three: 2})
    lazybed.pay(shopper, lazybed.draw_delivery(draw, shop.catalogue))
    session = lazybed.last_paid_session(twin)
    return TwoTabs(shop, lazybed.lines_of(twin, session), lazybed.read_books(database))


@check(
    cites="Its `order_lines` are what was paid for, also when the shopper changed the basket in another tab meanwhile."
)
def order_lines_are_what_was_paid(two_tabs: TwoTabs) -> None:
    skus = {product: sku for sku, product in two_tabs.shop.products.items()}
    prices = {item.amount: item.sku for item in two_tabs.shop.catalogue.items}
    paid = {
        skus.get(line.product, prices.get(line.amount, "")): (line.amount, line.quantity)
        for line in every(two_tabs.lines, "lines")
    }
    same(two_tabs.books.sold(two_tabs.books.only), paid, "the order's lines (price, quantity)")


# A declined card


@scenario
def declined(app: App, twin: GraderTwin, shopper: Shopper, database: Database, draw: Draw) -> Declined:
    shop = lazybed.set_up(app, twin, draw)
    _, two, _, four, _ = (item.sku for item in shop.catalogue.items)
    BrowserVisitor(shopper).fill({two: 1, four: 2})
    delivery = lazybed.draw_delivery(draw, shop.catalogue)
    lazybed.open_checkout(shopper)
    lazybed.fill_checkout(shopper, delivery, lazybed.DECLINED)
    lazybed.press_pay(shopper)
    shopper.see(re.compile("declined", re.IGNORECASE))
    lazybed.deliver_events(app, twin)
    after_decline = lazybed.read_books(database)
    lazybed.pay(shopper, delivery)
    lazybed.deliver_events(app, twin)
    charges = [charge for charge in twin.created("charge") if charge["status"] == "succeeded"]
    return Declined(after_decline, lazybed.read_books(database), len(charges))


@check(
    cites="A card that is declined and then another that is not make one order, also when Stripe has told our webhook about the failed "
    "attempt."
)
def declined_then_paid_is_one_order(declined: Declined) -> None:
    same(len(declined.after_decline.paid), 0, "the number of paid orders after the declined card")
    same(len(declined.after.paid), 1, "the number of paid orders after the good card")
    same(declined.charges, 1, "the number of charges")


# Looking without paying


@scenario
def looking(app: App, twin: GraderTwin, shopper: Shopper, database: Database, draw: Draw) -> Looking:
    shop = lazybed.set_up(app, twin, draw)
    one, two, three, *_ = (item.sku for item in shop.catalogue.items)
    visitor = BrowserVisitor(shopper)
    visitor.fill({one: 2, three: draw.integer(1, 4)}, shop.catalogue.percent.code, f"{draw.word()} door")
    basket = flows.basket_page(shopper)
    before = lazybed.read_books(database)
    lazybed.open_checkout(shopper)
    session = lazybed.last_session(twin)
    shopper.open("/")
    kept = flows.basket_page(shopper)
    after = lazybed.read_books(database)
    shopper.open(f"/checkout/return?session_id={session['id']}")
    app.session().get(f"/checkout/return?session_id={session['id']}")
    return Looking(basket, before, kept, after, lazybed.read_books(database))


@check(
    cites="Looking at `/checkout` and leaving makes no paid order, takes no stock, queues no mail and leaves the basket as it was."
)
def looking_changes_nothing(looking: Looking) -> None:
    every(looking.basket["lines"], "lines in the basket")
    same(looking.after.paid, [], "the paid orders")
    same(looking.after.stock, looking.before.stock, "the stock")
    same(looking.after.mails, [], "the mails in the outbox")
    same(looking.kept, looking.basket, "the basket")


@check(cites="Calling `/checkout/return` with a session that is not paid makes no paid order.")
def unpaid_return_makes_no_order(looking: Looking) -> None:
    same(
        len(looking.after_return.paid),
        0,
        "the number of paid orders after calling /checkout/return without having paid",
    )


# A database from before


@scenario
def old_database(app: App, twin: GraderTwin, shopper: Shopper, database: Database, draw: Draw) -> OldDatabase:
    catalogue = lazybed.draw_catalogue(draw)
    old = lazybed.old_orders(draw, catalogue)
    lazybed.make_old_database(app, (TESTS / "before.sql").read_text("utf-8"), catalogue, old)
    lazybed.script(app, "sync_catalogue.py")
    shop = lazybed.shop_of(catalogue, twin)
    answer = app.get(f"/receipt/{old.token}")
    BrowserVisitor(shopper).fill({shop.catalogue.items[0].sku: 2})
    lazybed.open_checkout(shopper)
    lazybed.pay(shopper, lazybed.draw_delivery(draw, catalogue))
    paid = [order["number"] for order in lazybed.read_books(database).paid]
    exported = flows.exported(lazybed.script(app, "export_orders.py"))
    new = [number for number in paid if number != old.number]
    return OldDatabase(old.number, old.total, answer.status_code, answer.text, exported, new)


@check(
    cites="A database that was in use before works on without a reset: its orders keep their receipts and stay in the export, and new ones "
    "can be made."
)
def old_database_works_on(old_database: OldDatabase) -> None:
    same(old_database.receipt_status, 200, "the answer for an old receipt")
    for words in (old_database.number, f"{old_database.total // 100:,}.{old_database.total % 100:02}"):
        if words not in old_database.receipt:
            raise Failed("the old receipt does not show the order", missing=words)
    same(len(old_database.new), 1, "the number of new paid orders")
    same(
        sorted(old_database.exported), sorted([old_database.number, *old_database.new]), "the exported orders"
    )


# The shop's own tests


@check(
    cites="`.venv/bin/python -m pytest` passes in `/app`, and at least one of its tests gets `200` from `POST /checkout/session` through "
    "Flask's test client."
)
def own_tests_pass(app: App) -> None:
    lazybed.put(app, "/tmp/witness/lazybed_witness.py", (TESTS / "lazybed_witness.py").read_text("utf-8"))
    done = app.run(
        ["/usr/bin/env", "PYTHONPATH=/tmp/witness", lazybed.PYTHON, "-m", "pytest", "-p", "lazybed_witness"],
        timeout=180,
    )
    if done.exit_code != 0:
        raise Failed("the shop's own tests do not pass", exit_code=done.exit_code, output=done.stdout[-800:])
    seen = app.run(["/usr/bin/env", "cat", "/tmp/witness/seen.txt"]).stdout.splitlines()
    if "POST /checkout/session 200" not in seen:
        raise Failed(
            "no test got 200 from POST /checkout/session through Flask's test client", requests=len(seen)
        )


# The test purchase


@check(
    cites="When it works, buy something yourself: with the shop running on port 4242 and our real catalogue, put at least one of every "
    "product into the basket, use the code `EARLYBED`, pay in a browser with a test card, and write the id of the Checkout Session to "
    "`/app/test-purchase.txt`."
)
def test_purchase_was_made(submission: Submission, trial: TrialTwin) -> None:
    written = submission.text().strip()
    session = next((found for found in trial.objects("checkout.session") if found["id"] == written), None)
    if session is None:
        raise Failed("test-purchase.txt does not hold the id of a Checkout Session of the trial")
    same(
        (session["status"], session["payment_status"]),
        ("complete", "paid"),
        "the session's status and payment status",
    )
    if session["ui_mode"] not in ("embedded", "embedded_page"):
        raise Failed("the session was not for embedded Checkout", ui_mode=session["ui_mode"])
    lazybed.require_browser_payment(trial, session)
    lazybed.require_one_of_each(trial, session, json.loads((TESTS / "catalogue.json").read_text("utf-8")))
