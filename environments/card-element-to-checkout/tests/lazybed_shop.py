# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-a9ac8fe43006: keep out of training data
"""What the checks know of the shop: catalogues to draw, setting one up, filling baskets, paying in Checkout, and reading
the books.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Error as PlaywrightError
from trialbalance.grading import App, Database, Draw, Failed, GraderTwin, Shopper, eventually, payment_form
from trialbalance.grading.locate import css

VISA = "4242424242424242"
DECLINED = "4000000000000002"
PYTHON = ".venv/bin/python"
CATALOGUE = "/app/var/another-catalogue.json"
OLD_VERSION = "2022-11-15"
"""The account's API version: how Stripe renders the events it sends."""

_PICTURES = ("british-queen.svg", "chitting-tray.svg", "garden-line.svg", "kerrs-pink.svg", "sarpo-mira.svg")
_PREFIXES = ("Sárpo", "Packie's", "Early & Late", "Grandmère", "№ 7")
_PLACES = {
    "AT": ("Graz", "8010"),
    "BE": ("Namur", "5000"),
    "DE": ("Kassel", "34117"),
    "FI": ("Turku", "20100"),
    "FR": ("Rennes", "35000"),
    "LU": ("Esch", "4002"),
    "NL": ("Zwolle", "8011 AB"),
    "PT": ("Braga", "4700-030"),
}
_SUBMIT = css('[data-testid="hosted-payment-submit-button"]')
_EMAIL = css('[name="email"]', "#email")
_WRITE = "import pathlib, sys; p = pathlib.Path(sys.argv[1]); p.parent.mkdir(exist_ok=True); p.write_text(sys.argv[2], 'utf-8')"
_FETCH = """([path, {form, ...init}]) =>
  fetch(path, form ? {...init, body: new URLSearchParams(form)} : init)
    .then(async (answer) => [answer.status, await answer.text()])"""
_BOOKS = "id, number, status, email, currency, subtotal, discount, discount_code, shipping, total, note, payment_reference"


# The catalogue


@dataclass(frozen=True)
class Item:
    """A product of the catalogue. Prices are multiples of 20, so that every percentage of 5 is exact."""

    sku: str
    name: str
    amount: int
    stock: int


@dataclass(frozen=True)
class Code:
    """A discount code, with the lowest subtotal it is good for."""

    code: str
    kind: str
    value: int
    minimum: int


@dataclass(frozen=True)
class Catalogue:
    """A catalogue that no agent has seen."""

    currency: str
    flat: int
    free_from: int
    countries: tuple[str, ...]
    items: tuple[Item, ...]
    percent: Code
    amount: Code

    def document(self) -> dict[str, Any]:
        """The catalogue as the JSON file that the shop loads."""
        return {
            "currency": self.currency,
            "delivery": {"flat": self.flat, "free_from": self.free_from, "countries": list(self.countries)},
            "products": [
                {
                    "sku": item.sku,
                    "name": item.name,
                    "kind": "Seed potatoes",
                    "pack": "1 kg net",
                    "blurb": "From a catalogue of its own.",
                    "story": "Nothing is known about it.",
                    "picture": _PICTURES[index],
                    "unit_amount": item.amount,
                    "stock": item.stock,
                }
                for index, item in enumerate(self.items)
            ],
            "codes": [vars(code) for code in (self.percent, self.amount)],
        }

    def subtotal(self, basket: Mapping[str, int]) -> int:
        """What a basket's goods cost."""
        prices = {item.sku: item.amount for item in self.items}
        return sum(prices[sku] * quantity for sku, quantity in basket.items())

    def just_free(self) -> dict[str, int]:
        """A basket that reaches the threshold of free delivery, and would not after the percentage."""
        basket: dict[str, int] = {}
        for item in self.items:
            while self.subtotal(basket) < self.free_from and basket.get(item.sku, 0) < 20:
                basket[item.sku] = basket.get(item.sku, 0) + 1
        return basket


def draw_catalogue(draw: Draw) -> Catalogue:
    """Five products, two codes and delivery terms that are not the shop's own."""
    names = [f"{draw.choice(_PREFIXES)} {product.name}" for product in draw.products(5)]
    items = tuple(
        Item(f"Q-{number:02}", name, draw.integer(20, 75) * 20, draw.integer(30, 90))
        for number, name in enumerate(names, draw.integer(11, 60))
    )
    percent, amount = draw.coupon(), draw.coupon()
    return Catalogue(
        currency=draw.choice(("gbp", "usd", "chf")),
        flat=draw.integer(35, 60) * 10 + 5,
        free_from=draw.integer(700, 800) * 20,
        countries=tuple(draw.shuffled(sorted(_PLACES))[:5]),
        items=items,
        percent=Code(percent.code, "percent", draw.integer(3, 8) * 5, items[0].amount),
        amount=Code(amount.code, "amount", draw.integer(5, 15) * 20, 2 * items[0].amount),
    )


def set_up(app: App, twin: GraderTwin, draw: Draw) -> Shop:
    """A new shop with a drawn catalogue, that Stripe knows; the app is not started yet."""
    catalogue = draw_catalogue(draw)
    put(app, CATALOGUE, json.dumps(catalogue.document(), ensure_ascii=False))
    script(app, "reset_shop.py")
    script(app, "sync_catalogue.py")
    return shop_of(catalogue, twin)


def shop_of(catalogue: Catalogue, twin: GraderTwin) -> Shop:
    """The shop's catalogue with the Stripe products that stand for it now."""
    products = {product["metadata"].get("sku", ""): product["id"] for product in twin.created("product")}
    missing = [item.sku for item in catalogue.items if item.sku not in products]
    if missing:
        raise Failed("sync_catalogue.py has not told Stripe about every product", missing=missing)
    return Shop(catalogue, products)


@dataclass(frozen=True)
class Shop:
    """A shop that is set up: its catalogue, and the id of the Stripe product of each SKU."""

    catalogue: Catalogue
    products: dict[str, str]


def put(app: App, path: str, text: str) -> None:
    """Write a file in the app's sandbox."""
    done = app.run(["/usr/bin/python3", "-I", "-c", _WRITE, path, text])
    if done.exit_code != 0:
        raise Failed(f"{path} could not be written", stderr=done.stderr[-500:])


def script(app: App, *arguments: str) -> str:
    """Run one of the shop's scripts with the drawn catalogue; returns what it printed."""
    name, *rest = arguments
    done = app.run(["/usr/bin/env", f"CATALOGUE_PATH={CATALOGUE}", PYTHON, f"scripts/{name}", *rest])
    if done.exit_code != 0:
        raise Failed(f"{name} ended with exit code {done.exit_code}", stderr=done.stderr[-500:])
    return done.stdout


# Baskets, over HTTP and in the browser


class Visitor:
    """A shopper without a browser."""

    def __init__(self, app: App) -> None:
        self.session = app.session()

    def post(self, path: str, **form: str | int) -> None:
        """Send one of the shop's forms."""
        answer = self.session.post(path, data={name: str(value) for name, value in form.items()})
        if answer.status_code >= 400:
            raise Failed(f"POST {path} answered {answer.status_code}")

    def fill(self, basket: Mapping[str, int], code: str = "", note: str = "") -> None:
        """Make the basket hold exactly this."""
        for sku, quantity in basket.items():
            self.post("/basket/quantity", sku=sku, quantity=quantity)
        if code:
            self.post("/basket/code", code=code)
        if note:
            self.post("/basket/note", note=note)

    def basket(self) -> dict[str, int]:
        """What the basket page shows, by SKU."""
        page = self.session.get("/basket").text
        found = {}
        for line in re.split(r'(?=<[^<>]*data-testid="basket-line")', page)[1:]:
            tag, field = re.match(r"<[^<>]*>", line), re.search(r'<input[^<>]*name="quantity"[^<>]*>', line)
            sku = re.search(r'data-sku="([^"]*)"', tag[0]) if tag else None
            quantity = re.search(r'value="(\d+)"', field[0]) if field else None
            if sku and quantity:
                found[sku[1]] = int(quantity[1])
        return found


class BrowserVisitor(Visitor):
    """The same in the browser's own session, from a page that stays where it is when another tab is opened."""

    def __init__(self, shopper: Shopper) -> None:
        shopper.open("/about")
        self.page = shopper.page

    def post(self, path: str, **form: str | int) -> None:
        """Send one of the shop's forms from within the page, with the browser's cookies."""
        fields = {name: str(value) for name, value in form.items()}
        status, _ = self.fetch(path, {"method": "POST", "form": fields})
        if status >= 400:
            raise Failed(f"POST {path} answered {status}")

    def fetch(self, path: str, init: Mapping[str, Any] | None = None) -> tuple[int, str]:
        """One request from within the page: status and text; `form` in `init` is sent as a form."""
        try:
            status, text = self.page.evaluate(_FETCH, [path, dict(init or {})])
        except PlaywrightError as error:
            if self.page.is_closed():
                raise
            raise Failed(
                f"{path} does not answer the browser", reason=error.message.splitlines()[0]
            ) from None
        return int(status), str(text)


# Paying in Checkout


@dataclass(frozen=True)
class Delivery:
    """Where the box goes, as typed into Checkout, and whose card pays for it."""

    email: str
    name: str
    line1: str
    city: str
    postcode: str
    country: str
    payer: str


def draw_delivery(draw: Draw, catalogue: Catalogue) -> Delivery:
    """A delivery address in one of the catalogue's countries, and a card of somebody in another one."""
    person, payer = draw.person(), draw.person()
    country = draw.choice(catalogue.countries)
    city, postcode = _PLACES[country]
    return Delivery(
        email=person.email,
        name=person.name,
        line1=f"{draw.integer(1, 190)} {draw.word().title()} Row",
        city=city,
        postcode=postcode,
        country=country,
        payer=payer.name,
    )


def open_checkout(shopper: Shopper) -> None:
    """Open the page to pay on and wait until Stripe's Checkout is there, embedded or not."""
    shopper.open("/checkout")
    page = shopper.page
    place = page.locator('[data-testid="checkout"]')
    shopper.wait_until(
        lambda: place.count() > 0 or urlsplit(page.url).path != "/checkout",
        "there is a place for Checkout",
        8,
    )
    shopper.require([css('[name="cardNumber"]', "#cardNumber")], "Checkout's card form does not appear", 20)


def fill_checkout(shopper: Shopper, delivery: Delivery, card: str = VISA) -> None:
    """Fill everything that Checkout asks for; the card's own address is in the United States."""
    for what, finder, value in (
        ("e-mail", _EMAIL, delivery.email),
        ("delivery name", _named("shippingName"), delivery.name),
        ("delivery street", _named("shippingAddressLine1"), delivery.line1),
        ("delivery postcode", _named("shippingPostalCode"), delivery.postcode),
        ("delivery town", _named("shippingLocality"), delivery.city),
    ):
        if what == "delivery street":
            _choose_country(shopper, "shippingCountry", delivery.country)
        control = shopper.find([finder], 5)
        if control is not None:
            shopper.type_into(control, what, value)
    same = shopper.find([css('[name="billingSameAsShipping"]', '[name="billingAddressSameAsShipping"]')])
    if same is not None and same.is_checked():
        shopper.press(same, "another billing address")
    payment_form.fill_card(shopper, payment_form.Card(card), 15)
    for what, finder, value in (
        ("name on card", _named("billingName"), delivery.payer),
        ("billing street", _named("billingAddressLine1"), "500 Elsewhere Avenue"),
        ("billing town", _named("billingLocality"), "Beverly Hills"),
        ("billing postcode", _named("billingPostalCode"), "90210"),
    ):
        if what == "billing street":
            _choose_country(shopper, "billingCountry", "US")
        control = shopper.find([finder])
        if control is not None:
            shopper.type_into(control, what, value)


def pay(shopper: Shopper, delivery: Delivery) -> None:
    """Fill and send Checkout with a good card, and wait for the receipt page."""
    fill_checkout(shopper, delivery)
    press_pay(shopper)
    shopper.require([css('[data-testid="receipt"]')], "the receipt page does not appear", 30)


def press_pay(shopper: Shopper) -> None:
    """Press Checkout's own button."""
    shopper.press(shopper.require([_SUBMIT], "Checkout has no button to pay with"), "pay")


def pay_and_close(shopper: Shopper, app: App, twin: GraderTwin, delivery: Delivery) -> dict[str, Any]:
    """Pay, with the window closed before the shop hears of it; returns the paid session."""
    fill_checkout(shopper, delivery)
    shopper.page.context.route(f"{app.url}/**", lambda route: route.abort())
    press_pay(shopper)
    session = eventually(lambda: next(iter(paid_sessions(twin)), None), "the payment goes through", 30)
    shopper.page.goto("about:blank")
    shopper.page.context.unroute(f"{app.url}/**")
    return session


def _named(name: str) -> Any:
    return css(f'[name="{name}"]', f"#{name}")


def _choose_country(shopper: Shopper, name: str, country: str) -> None:
    control = shopper.find([_named(name)])
    if control is None:
        return
    offered = control.evaluate("list => [...list.options].map((option) => option.value)")
    if country in offered:
        control.select_option(value=country)


# What Stripe and the books say


def sessions(twin: GraderTwin) -> list[dict[str, Any]]:
    """Every Checkout Session there is, oldest first."""
    return twin.created("checkout.session")


def last_session(twin: GraderTwin) -> dict[str, Any]:
    """The Checkout Session that was made last; `Failed` when there is none."""
    found = sessions(twin)
    if not found:
        raise Failed("no Checkout Session was made")
    return found[-1]


def last_paid_session(twin: GraderTwin) -> dict[str, Any]:
    """The Checkout Session that was paid last; `Failed` when there is none."""
    found = paid_sessions(twin)
    if not found:
        raise Failed("no Checkout Session was paid")
    return found[-1]


def paid_sessions(twin: GraderTwin) -> list[dict[str, Any]]:
    """The Checkout Sessions that were paid."""
    return [session for session in sessions(twin) if session["payment_status"] == "paid"]


@dataclass(frozen=True)
class SoldLine:
    """One line of a Checkout Session."""

    product: str
    amount: int
    currency: str
    quantity: int


def lines_of(twin: GraderTwin, session: Mapping[str, Any]) -> list[SoldLine]:
    """The lines of a session, as Stripe has them."""
    found = twin.stripe.v1.checkout.sessions.line_items.list(session["id"], {"limit": 100})
    return [
        SoldLine(
            str(line.price.product), line.price.unit_amount or 0, line.price.currency, line.quantity or 0
        )
        for line in found.data
        if line.price is not None
    ]


def deliver_events(app: App, twin: GraderTwin) -> list[int]:
    """Send everything that has happened at Stripe to the shop's webhook, signed; returns the statuses."""
    return [app.send_event("/webhooks/stripe", event).status_code for event in reversed(events(twin))]


def completed_event(twin: GraderTwin) -> dict[str, Any]:
    """The event that tells of a completed Checkout Session."""
    found = [event for event in events(twin) if event["type"] == "checkout.session.completed"]
    if not found:
        raise Failed("no Checkout Session was completed")
    return found[0]


def events(twin: GraderTwin) -> list[dict[str, Any]]:
    """Everything that has happened at Stripe, newest first, as the account's version puts it on the wire."""
    answer = twin.client(version=OLD_VERSION).raw_request("get", "/v1/events", limit=100)
    found: list[dict[str, Any]] = json.loads(answer.body)["data"]
    return found


@dataclass(frozen=True)
class Books:
    """What the packing shed and the accountant read."""

    paid: list[dict[str, Any]]
    stock: dict[str, int]
    mails: list[dict[str, Any]]
    lines: dict[int, dict[str, tuple[int, int]]] = field(default_factory=dict)

    @property
    def only(self) -> dict[str, Any]:
        """The only paid order."""
        if len(self.paid) != 1:
            raise Failed(f"there are {len(self.paid)} paid orders, not one", orders=self.paid)
        return self.paid[0]

    def sold(self, order: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
        """Unit amount and quantity by SKU."""
        return self.lines.get(order["id"], {})


def read_books(database: Database) -> Books:
    """Paid orders with their lines, stock and mails, as they are now."""
    address = ", ".join(
        f"ship_{name}" for name in ("name", "line1", "line2", "city", "region", "postcode", "country")
    )
    paid = database.rows(f"SELECT {_BOOKS}, {address} FROM orders WHERE status = 'paid' ORDER BY id")
    lines: dict[int, dict[str, tuple[int, int]]] = {}
    for line in database.rows(
        "SELECT order_id, sku, unit_amount, quantity FROM order_lines ORDER BY order_id, sku"
    ):
        lines.setdefault(line["order_id"], {})[str(line["sku"])] = (
            whole(line["unit_amount"], "order_lines.unit_amount"),
            whole(line["quantity"], "order_lines.quantity"),
        )
    stock = {
        str(row["sku"]): whole(row["stock"], "products.stock")
        for row in database.rows("SELECT sku, stock FROM products ORDER BY sku")
    }
    mails = database.rows("SELECT order_number, recipient, subject, body FROM outbox ORDER BY id")
    return Books(paid, stock, mails, lines)


def whole(value: object, column: str) -> int:
    """The whole number of a column; `Failed` when something else is in it."""
    if not isinstance(value, int):
        raise Failed(f"{column} is no whole number", value=str(value))
    return value


# Reaching into the shop's database from inside its sandbox


_CHANGE = """
import json, pathlib, sqlite3, sys
path, steps = pathlib.Path(sys.argv[1]), json.loads(sys.argv[2])
if steps.get("new"):
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
shop = sqlite3.connect(path, timeout=15)
if steps.get("script"):
    shop.executescript(steps["script"])
for sql, rows in steps["statements"]:
    shop.executemany(sql, rows)
shop.commit()
"""


def change_database(
    app: App, statements: list[tuple[str, list[list[Any]]]], script: str = "", new: bool = False
) -> None:
    """Run statements on the shop's database; with `new`, on an empty one, after `script`."""
    steps = json.dumps({"new": new, "script": script, "statements": statements}, ensure_ascii=False)
    done = app.run(["/usr/bin/python3", "-I", "-c", _CHANGE, "/app/var/shop.db", steps])
    if done.exit_code != 0:
        raise Failed("the shop's database cannot be changed", stderr=done.stderr[-500:])


def set_stock(app: App, sku: str, stock: int) -> None:
    """As if the packing shed had counted."""
    change_database(app, [("UPDATE products SET stock = ? WHERE sku = ?", [[stock, sku]])])


def forget_prices(app: App) -> None:
    """As if the catalogue's Stripe products and prices belonged to another account: Stripe refuses them."""
    change_database(
        app,
        [
            (
                "UPDATE products SET stripe_price = ?, stripe_product = ?",
                [["price_1NotOfThisAccount00", "prod_NotOfThisAccount"]],
            )
        ],
    )


@dataclass(frozen=True)
class OldOrder:
    """An order from the time of the card form."""

    number: str
    token: str
    total: int
    email: str


def old_orders(draw: Draw, catalogue: Catalogue) -> OldOrder:
    """A paid order of before."""
    return OldOrder(
        number=f"LB-{draw.integer(2405, 2480)}",
        token=f"receipt-{draw.word()}-{draw.word()}",
        total=catalogue.items[0].amount * 2 + catalogue.flat,
        email=draw.email(),
    )


def make_old_database(app: App, schema: str, catalogue: Catalogue, order: OldOrder) -> None:
    """The database as a shop with the card form has it: the catalogue, a paid order, and one that was never paid."""
    document = catalogue.document()
    delivery = document["delivery"]
    first = catalogue.items[0]
    order_id = int(order.number.removeprefix("LB-")) - 2400
    columns = (
        "id, number, status, basket, receipt_token, email, currency, subtotal, discount, shipping, total, ship_name, ship_line1,"
        " ship_city, ship_postcode, ship_country, payment_reference, created_at, paid_at"
    )
    place = ["Old Customer", "1 Old Road", "Oldtown", "1000", catalogue.countries[0]]
    sums = [catalogue.currency, first.amount * 2, 0, catalogue.flat, order.total]
    paid = [order_id, order.number, "paid", "b", order.token, order.email, *sums, *place, "pi_3OldPayment00001", "2025-03-01T10:00:00Z",
            "2025-03-01T10:01:00Z"]  # fmt: skip
    pending = [order_id - 1, f"LB-{order_id + 2399}", "pending", "c", f"{order.token}-2", order.email, *sums, *place,
               "pi_3OldPayment00002", "2025-03-01T09:00:00Z", None]  # fmt: skip
    marks = ", ".join("?" * len(paid))
    change_database(
        app,
        [
            (
                "INSERT INTO settings VALUES (?, ?)",
                [
                    ["currency", catalogue.currency],
                    ["delivery_flat", str(delivery["flat"])],
                    ["delivery_free_from", str(delivery["free_from"])],
                    ["countries", " ".join(delivery["countries"])],
                ],
            ),
            (
                "INSERT INTO products (sku, position, name, kind, pack, blurb, story, picture, unit_amount, stock)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    [
                        p["sku"],
                        index,
                        p["name"],
                        p["kind"],
                        p["pack"],
                        p["blurb"],
                        p["story"],
                        p["picture"],
                        p["unit_amount"],
                        p["stock"],
                    ]
                    for index, p in enumerate(document["products"])
                ],
            ),
            (
                "INSERT INTO codes (code, kind, value, minimum) VALUES (?, ?, ?, ?)",
                [[c["code"], c["kind"], c["value"], c["minimum"]] for c in document["codes"]],
            ),
            (f"INSERT INTO orders ({columns}) VALUES ({marks})", [pending, paid]),
            (
                "INSERT INTO order_lines VALUES (?, ?, ?, ?, ?)",
                [[order_id, first.sku, first.name, first.amount, 2]],
            ),
        ],
        script=schema,
        new=True,
    )


# The trial's own purchase


def require_browser_payment(trial: Any, session: Mapping[str, Any]) -> None:
    """`Failed` unless the session was paid on Checkout's page, embedded in the shop's, in a browser."""
    pages = [
        entry
        for entry in trial.journal.entries
        if entry.get("kind") == "page" and entry.get("session") == session["id"]
    ]
    if not pages:
        raise Failed("the session was never opened in a browser")
    origins = sorted({str(entry.get("referrer") or "") for entry in pages})
    if not any(re.match(r"https?://(127\.0\.0\.1|localhost):4242(/|$)", origin) for origin in origins):
        raise Failed("the session was not opened from the shop on port 4242", referrers=origins)


def require_one_of_each(trial: Any, session: Mapping[str, Any], document: Mapping[str, Any]) -> None:
    """`Failed` unless every product of the shop's own catalogue was bought, with a discount of EARLYBED's size."""
    names = {product["id"]: product["name"] for product in trial.objects("product")}
    bought = {
        names.get(_product_of(trial, line), "")
        for line in trial.objects("item")
        if line.get("_session") == session["id"]
    }
    missing = [product["name"] for product in document["products"] if product["name"] not in bought]
    if missing:
        raise Failed("not every product was bought", missing=missing)
    code = next(code for code in document["codes"] if code["code"] == "EARLYBED")
    discount = (session["total_details"] or {}).get("amount_discount") or 0
    wanted = session["amount_subtotal"] * code["value"] // 100
    if discount != wanted:
        raise Failed("EARLYBED was not taken off", discount=discount, wanted=wanted)


def _product_of(trial: Any, line: Mapping[str, Any]) -> str:
    price = line["price"]
    if isinstance(price, str):
        price = next((found for found in trial.objects("price") if found["id"] == price), {})
    product = price.get("product")
    return str(product["id"] if isinstance(product, dict) else product)
