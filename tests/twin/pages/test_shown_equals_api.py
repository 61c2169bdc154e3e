"""What the Checkout page shows is what the API says, to the cent and to the word, whatever the session is.

Sessions are drawn at random; the page's document is read with eyes that know nothing of the page's own data; what it
shows is compared with the session, its line items and its shipping rates as the official SDK retrieves them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from tests.twin.pages.site import Site, serve

pytestmark = pytest.mark.browser

PLACES = {"usd": 2, "eur": 2, "gbp": 2, "jpy": 0, "kwd": 3}
PIXEL = bytes.fromhex(
    "47494638396101000100800000ffffff00000021f90401000000002c00000000010001000002024401003b"
)
LETTERS = st.characters(codec="utf-8", categories=("Lu", "Ll", "Lo", "Nd"), exclude_characters="\x00")
words = st.lists(st.text(LETTERS, min_size=1, max_size=9), min_size=1, max_size=4).map(" ".join)
BUTTONS = {
    "auto": "Pay",
    "pay": "Pay",
    "book": "Book",
    "donate": "Donate",
    "subscribe": "Subscribe",
    None: "Pay",
}
READ = """() => {
  const text = (node) => node ? node.textContent.trim() : null;
  const one = (selector, inside = document) => inside.querySelector(selector);
  const all = (selector, read) => [...document.querySelectorAll(selector)].map(read);
  const shown = (selector) => one(selector) !== null && one(selector).checkVisibility();
  return {
    lines: all('[data-testid="line-items"] .line', (line) => ({
      name: text(one('.name', line)), sum: text(one('.sum', line)), about: text(one('.about', line)),
      image: one('img', line)?.getAttribute('src') ?? null, each: [...line.querySelectorAll('.each')].map(text),
      quantity: one('.stepper input', line)?.value ?? null})),
    sums: all('[data-testid="order-summary"] .sum-row',
      (row) => [row.dataset.testid, text(one('dt', row)), text(one('dd', row))]),
    due: text(one('[data-testid="amount-due"]')),
    rates: all('[name=shippingRate]', (input) => ({
      id: input.value, chosen: input.checked, name: one('.what', input.parentNode).firstChild.textContent,
      when: text(one('small', input.parentNode)), cost: text(one('.cost', input.parentNode))})),
    fields: all('input[id^=custom-], select[id^=custom-]', (field) => ({
      name: field.name, kind: field.tagName, value: field.value, most: field.maxLength,
      label: text(one(`label[for="${field.id}"]`)),
      options: [...(field.options ?? [])].map((option) => [option.value, option.textContent])})),
    button: text(one('[data-testid="hosted-payment-submit-button"]')), body: document.body.innerText,
    email: one('#email')?.value ?? null, fixed: text(one('.fixed span')),
    phone: shown('#phoneNumber'), terms: shown('#termsOfServiceConsentCheckbox'),
    news: shown('#promotionalConsentCheckbox'), promotion: shown('[data-testid="promotion-code-open"]'),
    shipping: shown('[data-testid="shipping-address"]'),
    back: one('[data-testid="business-link"]')?.getAttribute('href') ?? null,
    countries: all('[data-testid="shipping-address"] select[name$="ountry"] option', (option) => option.value).sort(),
  };
}"""


@dataclass
class Desk:
    """A twin with a page that is used again and again, and objects that sessions may name."""

    site: Site
    page: Page
    coupons: dict[str, str]
    rates: list[str]


@pytest.fixture(scope="module")
def desk(chromium: Browser) -> Iterator[Desk]:
    with serve(display_name="Ackers") as site:
        v1 = site.client.v1
        coupons = {
            "percent": v1.coupons.create({"percent_off": 12.5, "duration": "forever", "name": "Spring"}).id
        }
        for currency in PLACES:
            off = {"amount_off": 250, "currency": currency, "duration": "once", "name": f"Off {currency}"}
            coupons[currency] = v1.coupons.create(off).id  # type: ignore[arg-type]
        rates = [
            v1.tax_rates.create({"display_name": name, "percentage": percentage, "inclusive": inclusive}).id
            for name, percentage, inclusive in (("VAT", 19, True), ("Sales tax", 8.875, False))
        ]
        page = chromium.new_page(locale="en-US")
        page.route(
            "https://pictures.example/**", lambda route: route.fulfill(body=PIXEL, content_type="image/gif")
        )
        yield Desk(site, page, coupons, rates)
        page.close()


amounts = st.integers(min_value=100, max_value=9_999_999)


@st.composite
def sessions(draw: st.DrawFn) -> dict[str, Any]:
    """Parameters of a session; `coupon` and `tax` are turned into objects of the desk."""
    maybe = st.booleans()
    currency = draw(st.sampled_from(sorted(PLACES)))
    mode = draw(st.sampled_from(["payment", "payment", "subscription", "setup"]))
    money = amounts.map(lambda n: n * 10 if currency == "kwd" else n)
    params: dict[str, Any] = {"mode": mode, "success_url": "https://shop.example/ok"}
    if draw(maybe):
        params["cancel_url"] = "https://shop.example/basket"
    params["locale"] = draw(st.sampled_from(["auto", "en", "de", "fr", "ja"]))
    if draw(maybe):
        params["customer_email"] = "ada@example.test"
    if draw(maybe):
        params["phone_number_collection"] = {"enabled": True}
    texts = draw(st.lists(st.sampled_from(["submit", "after_submit"]), unique=True))
    params["custom_text"] = {slot: {"message": draw(words)} for slot in texts}
    params["custom_fields"] = draw(custom_fields())
    if mode == "setup":
        params["currency"] = currency
        return {name: value for name, value in params.items() if value}
    recurring = (
        {"interval": draw(st.sampled_from(["week", "month", "year"]))} if mode == "subscription" else None
    )
    params["line_items"] = draw(st.lists(line(money, currency, recurring), min_size=1, max_size=4))
    params["coupon"] = draw(st.sampled_from([None, None, "percent", currency]))
    if params["coupon"] is None and draw(maybe):
        params["allow_promotion_codes"] = True
    consent = {}
    if draw(maybe):
        consent["promotions"] = "auto"
    if draw(maybe):
        consent["terms_of_service"] = "required"
        if draw(maybe):
            params["custom_text"]["terms_of_service_acceptance"] = {"message": draw(words)}
    params["consent_collection"] = consent
    if mode == "subscription":
        if draw(maybe):
            params["subscription_data"] = {"trial_period_days": draw(st.integers(2, 60))}
        return {name: value for name, value in params.items() if value}
    params["submit_type"] = draw(st.sampled_from([None, "pay", "book", "donate"]))
    if draw(maybe):
        countries = st.lists(st.sampled_from(["US", "DE", "GB", "JP"]), min_size=1, unique=True)
        params["shipping_address_collection"] = {"allowed_countries": draw(countries)}
        if draw(maybe):
            params["custom_text"]["shipping_address"] = {"message": draw(words)}
        params["shipping_options"] = draw(st.lists(shipping(money, currency), max_size=3))
    return {name: value for name, value in params.items() if value}


@st.composite
def line(draw: st.DrawFn, money: st.SearchStrategy[int], currency: str, recurring: Any) -> dict[str, Any]:
    product: dict[str, Any] = {"name": draw(words)}
    if draw(st.booleans()):
        product["description"] = draw(words)
    if draw(st.booleans()):
        product["images"] = [f"https://pictures.example/{draw(st.integers(1, 99))}.gif"]
    price: dict[str, Any] = {"currency": currency, "unit_amount": draw(money), "product_data": product}
    if recurring:
        price["recurring"] = recurring
    made: dict[str, Any] = {"price_data": price, "quantity": draw(st.integers(1, 9))}
    made["tax"] = draw(st.sampled_from([None, None, 0, 1]))
    if draw(st.booleans()):
        made["adjustable_quantity"] = {"enabled": True, "minimum": 1, "maximum": 20}
    return made


@st.composite
def shipping(draw: st.DrawFn, money: st.SearchStrategy[int], currency: str) -> dict[str, Any]:
    rate: dict[str, Any] = {
        "type": "fixed_amount",
        "display_name": draw(words),
        "fixed_amount": {"amount": draw(st.sampled_from([0, 500]) | money), "currency": currency},
    }
    if draw(st.booleans()):
        low = draw(st.integers(1, 9))
        unit = draw(st.sampled_from(["day", "business_day", "week"]))
        high = low + draw(st.integers(1, 5))
        rate["delivery_estimate"] = {
            "minimum": {"unit": unit, "value": low},
            "maximum": {"unit": unit, "value": high},
        }
    return {"shipping_rate_data": rate}


@st.composite
def custom_fields(draw: st.DrawFn) -> list[dict[str, Any]]:
    made = []
    for position in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(["text", "numeric", "dropdown"]))
        rules: dict[str, Any] = {}
        if kind == "dropdown":
            labels = draw(st.lists(words, min_size=1, max_size=3, unique=True))
            rules["options"] = [{"value": f"v{n}", "label": label} for n, label in enumerate(labels)]
            if draw(st.booleans()):
                rules["default_value"] = "v0"
        elif draw(st.booleans()):
            rules["maximum_length"] = draw(st.integers(5, 50))
        field = {
            "key": f"field{position}",
            "label": {"type": "custom", "custom": draw(words)},
            "type": kind,
            "optional": draw(st.booleans()),
        }
        made.append(field | ({kind: rules} if rules else {}))
    return made


def create(desk: Desk, drawn: dict[str, Any]) -> Any:
    """The session of the drawn parameters, with everything that the API tells of it."""
    params = {name: value for name, value in drawn.items() if name != "coupon"}
    if "coupon" in drawn:
        params["discounts"] = [{"coupon": desk.coupons[drawn["coupon"]]}]
    if "line_items" in drawn:
        params["line_items"] = [
            {name: value for name, value in item.items() if name != "tax"}
            | ({"tax_rates": [desk.rates[item["tax"]]]} if item["tax"] is not None else {})
            for item in drawn["line_items"]
        ]
    made = desk.site.client.v1.checkout.sessions.create(params)  # type: ignore[arg-type]
    found = desk.site.client.v1.checkout.sessions.retrieve(
        made.id,
        {
            "expand": [
                "line_items.data.price.product",
                "shipping_options.shipping_rate",
                "total_details.breakdown",
                "discounts.coupon",
            ]
        },
    )
    return found.to_dict()


SIGN = r"(?:[$€£¥￥円]|KWD)"
NUMBER = r"(\d[\d.,\s'’]*\d|\d)"


def minor(text: str, currency: str) -> int:
    """An amount as it is shown, in any language, in minor units: the number beside the currency's sign."""
    found = re.search(rf"{SIGN}\s?{NUMBER}", text) or re.search(rf"{NUMBER}\s?{SIGN}", text)
    assert found, f"{text!r} shows no amount"
    number, places = found[1], PLACES[currency]
    if places:
        assert re.search(rf"[.,]\d{{{places}}}$", number), f"{text!r} does not end in {places} decimals"
    digits = int(re.sub(r"\D", "", number))
    return -digits if re.search(rf"[-−]\s?(?:{SIGN}\s?)?\d", text) else digits


def squeeze(text: str | None) -> str | None:
    """Text as a document shows it: white space is one blank."""
    return None if text is None else " ".join(text.split())


def compare(shown: dict[str, Any], session: dict[str, Any], desk: Desk) -> None:
    """Fail at the first thing that differs."""
    currency, mode = session["currency"], session["mode"]
    english = session["locale"] in (None, "auto", "en")
    trial = (session.get("subscription_data") or {}).get("trial_period_days")
    lines = session["line_items"]["data"] if session.get("line_items") else []
    assert [item["name"] for item in shown["lines"]] == [squeeze(item["description"]) for item in lines]
    for seen, item in zip(shown["lines"], lines, strict=True):
        product = item["price"]["product"]
        assert seen["about"] == squeeze(product["description"])
        assert seen["image"] == (product["images"][0] if product["images"] else None)
        if not trial:
            assert minor(seen["sum"], currency) == item["amount_subtotal"]
        if item.get("adjustable_quantity"):
            assert int(seen["quantity"]) == item["quantity"]
        if item["quantity"] > 1:
            quantity, each = seen["each"][0].split("·")
            assert int(re.sub(r"\D", "", quantity)) == item["quantity"]
            assert minor(each, currency) == item["price"]["unit_amount"]
    if mode == "setup":
        assert shown["sums"] == [] or shown["due"] is None
    else:
        sums(shown, session, currency, trial)
    rates = session["shipping_options"]
    assert [rate["id"] for rate in shown["rates"]] == [rate["shipping_rate"]["id"] for rate in rates]
    for seen, option in zip(shown["rates"], rates, strict=True):
        rate = option["shipping_rate"]
        assert squeeze(seen["name"]) == squeeze(rate["display_name"])
        if option["shipping_amount"]:
            assert minor(seen["cost"], currency) == option["shipping_amount"]
        elif english:
            assert seen["cost"] == "Free"
        estimate = rate["delivery_estimate"]
        numbers = [int(n) for n in re.findall(r"\d+", seen["when"] or "")]
        assert numbers == ([estimate[end]["value"] for end in ("minimum", "maximum")] if estimate else [])
        assert seen["chosen"] == (rate["id"] == (session["shipping_cost"] or {}).get("shipping_rate"))
    form(shown, session, english, trial)


def sums(shown: dict[str, Any], session: dict[str, Any], currency: str, trial: int | None) -> None:
    details = session["total_details"]
    rows: dict[str, list[int]] = {}
    for name, _, text in shown["sums"]:
        rows.setdefault(name, []).append(
            0 if name == "shipping" and not re.search(r"\d", text) else minor(text, currency)
        )
    assert rows["total"] == [session["amount_total"]]
    if "subtotal" in rows:
        assert rows["subtotal"] == [session["amount_subtotal"]]
    else:
        assert session["amount_subtotal"] == session["amount_total"]
    assert -sum(rows.get("discount", [])) == details["amount_discount"]
    assert sum(rows.get("shipping", [])) == details["amount_shipping"]
    taxes = [row["amount"] for row in details["breakdown"]["taxes"]]
    assert sorted(rows.get("tax", [])) == sorted(taxes)
    assert sum(taxes) == details["amount_tax"]
    labels = " ".join(label for name, label, _ in shown["sums"] if name == "tax")
    for row in details["breakdown"]["taxes"]:
        assert row["rate"]["display_name"] in labels
    if trial:
        assert shown["due"] is None and str(trial) in shown["body"]
    else:
        assert minor(shown["due"], currency) == session["amount_total"]


def form(shown: dict[str, Any], session: dict[str, Any], english: bool, trial: int | None) -> None:
    fields = session["custom_fields"]
    assert [field["name"] for field in shown["fields"]] == [field["key"] for field in fields]
    for seen, field in zip(shown["fields"], fields, strict=True):
        rules = field[field["type"]]
        wanted = squeeze(field["label"]["custom"])
        assert seen["label"] == (f"{wanted} (optional)" if field["optional"] else wanted) or not english
        assert str(seen["label"]).startswith(str(wanted))
        assert seen["kind"] == ("SELECT" if field["type"] == "dropdown" else "INPUT")
        if field["type"] == "dropdown":
            options = [[o["value"], squeeze(o["label"])] for o in rules["options"]]
            assert [[value, squeeze(label)] for value, label in seen["options"][1:]] == options
            assert seen["value"] == (rules["default_value"] or "")
        else:
            assert seen["most"] == (rules["maximum_length"] or 255)
    body = squeeze(shown["body"]) or ""
    for slot, text in session["custom_text"].items():
        assert text is None or str(squeeze(text["message"])) in body, slot
    if english:
        wanted = BUTTONS[session["submit_type"]]
        if session["mode"] == "setup":
            wanted = "Save card"
        if session["mode"] == "subscription":
            wanted = "Start trial" if trial else "Subscribe"
        assert shown["button"] == wanted
    known = session["customer_email"]
    assert known in (shown["fixed"], shown["email"]) if known else shown["email"] == ""
    consent = session["consent_collection"] or {}
    assert shown["phone"] == bool(session["phone_number_collection"]["enabled"])
    assert shown["terms"] == (consent.get("terms_of_service") == "required")
    assert shown["news"] == (consent.get("promotions") == "auto")
    assert shown["promotion"] == bool(session["allow_promotion_codes"])
    allowed = (session["shipping_address_collection"] or {}).get("allowed_countries")
    assert shown["shipping"] == (allowed is not None)
    assert shown["countries"] == sorted(allowed or [])
    assert shown["back"] == session["cancel_url"]


def check(desk: Desk, drawn: dict[str, Any]) -> None:
    session = create(desk, drawn)
    event(session["mode"])
    session["subscription_data"] = drawn.get("subscription_data")
    desk.page.goto(session["url"])
    desk.page.locator('[data-testid="hosted-payment-submit-button"]').wait_for()
    compare(desk.page.evaluate(READ), session, desk)


@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(drawn=sessions())
def test_the_page_shows_what_the_api_says(desk: Desk, drawn: dict[str, Any]) -> None:
    check(desk, drawn)


@pytest.mark.slow
@pytest.mark.timeout(3000)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(drawn=sessions())
def test_the_page_shows_what_the_api_says_at_length(desk: Desk, drawn: dict[str, Any]) -> None:
    check(desk, drawn)


WRONG: dict[str, Any] = {
    "a cent in a line": lambda shown: shown["lines"][0].update(sum="$30.01"),
    "a letter in a name": lambda shown: shown["lines"][0].update(name="Seed potato"),
    "a line too many": lambda shown: shown["lines"].append(shown["lines"][0]),
    "another unit price": lambda shown: shown["lines"][0].update(each=["Qty 2 · $15.01 each"]),
    "another total": lambda shown: shown["sums"][-1].__setitem__(2, "$35.01"),
    "another amount due": lambda shown: shown.update(due="$3.50"),
    "a cheaper rate": lambda shown: shown["rates"][0].update(cost="$4.99"),
    "another rate's name": lambda shown: shown["rates"][0].update(name="Ship"),
    "another label": lambda shown: shown["fields"][0].update(label="Nota"),
    "a hidden code": lambda shown: shown.update(promotion=False),
    "another button": lambda shown: shown.update(button="Book"),
    "a text that is missing": lambda shown: shown.update(body=""),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_the_comparison_sees_what_is_wrong(desk: Desk, wrong: str) -> None:
    """The comparison itself: each small untruth of a page is noticed."""
    field = {"key": "note", "label": {"type": "custom", "custom": "Note"}, "type": "text", "optional": False}
    price = {"currency": "usd", "unit_amount": 1500, "product_data": {"name": "Seed potatoes"}}
    rate = {
        "type": "fixed_amount",
        "display_name": "Post",
        "fixed_amount": {"amount": 500, "currency": "usd"},
    }
    drawn = {
        "allow_promotion_codes": True,
        "custom_fields": [field],
        "custom_text": {"submit": {"message": "We ship on Fridays."}},
        "line_items": [{"price_data": price, "quantity": 2, "tax": None}],
        "mode": "payment",
        "shipping_address_collection": {"allowed_countries": ["US"]},
        "shipping_options": [{"shipping_rate_data": rate}],
        "success_url": "https://shop.example/ok",
    }
    session = create(desk, drawn)
    desk.page.goto(session["url"])
    desk.page.locator('[data-testid="hosted-payment-submit-button"]').wait_for()
    shown = desk.page.evaluate(READ)
    compare(shown, session, desk)
    WRONG[wrong](shown)
    with pytest.raises(AssertionError):
        compare(shown, session, desk)
