"""Twenty-four configurations of the pages: what each shows, and how to bring a browser there.

`python -m tests.twin.pages.looks FOLDER` writes a picture of each.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.twin.pages.site import CARD, Site, serve
from tests.twin.pages.test_checkout_page import PAY, create, embed, fill
from trialbalance.twin.billing import dashboard

DESK, PHONE, TABLET = (1280, 900), (320, 640), (768, 1024)


def picture(colour: str, letter: str) -> str:
    """A product picture of our own, as an address that needs no network."""
    return (
        "data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 48 48'>"
        f"<rect width='48' height='48' fill='%23{colour}'/><circle cx='24' cy='26' r='12' fill='%23ffffff' "
        f"opacity='.85'/><text x='24' y='31' font-size='14' text-anchor='middle' font-family='sans-serif' "
        f"fill='%23{colour}'>{letter}</text></svg>"
    )


def item(
    name: str, amount: int, currency: str = "usd", quantity: int = 1, *, about: str = "", **more: Any
) -> dict[str, Any]:
    product: dict[str, Any] = {"name": name}
    if about:
        product["description"] = about
    data = {"currency": currency, "unit_amount": amount, "product_data": product}
    recurring = more.pop("recurring", None)
    if recurring:
        data["recurring"] = recurring
    return {"price_data": data, "quantity": quantity, **more}


def rate(name: str, amount: int, low: int, high: int) -> dict[str, Any]:
    unit = "business_day"
    return {
        "shipping_rate_data": {
            "display_name": name,
            "type": "fixed_amount",
            "fixed_amount": {"amount": amount, "currency": "usd"},
            "delivery_estimate": {
                "minimum": {"unit": unit, "value": low},
                "maximum": {"unit": unit, "value": high},
            },
        }
    }


Opening = Callable[[Site, Page], None]


@dataclass(frozen=True)
class Look:
    """One configuration: `open` brings the page there, `ready` is a test id that must then be visible."""

    name: str
    about: str
    open: Opening
    ready: str = "hosted-payment-submit-button"
    size: tuple[int, int] = DESK
    dark: bool = False
    locale: str = "en-US"
    expected: tuple[str, ...] = field(default=())


def session(**params: Any) -> Opening:
    """A hosted page of a session."""

    def visit(site: Site, page: Page) -> None:
        page.goto(create(site, **params).url)

    return visit


MONTHLY = {"interval": "month"}
BOX = item("Seed box", 1800, about="Twelve packets for the season", recurring=MONTHLY)
FARM = {"display_name": "Hill Farm", "background_color": "#20362b", "button_color": "#f2c14e"}


def _pictures(site: Site, page: Page) -> None:
    lines = []
    for name, amount, quantity, colour in (
        ("Seed potatoes", 1500, 2, "9a6b3f"),
        ("Watering can", 2400, 1, "3f7f9a"),
    ):
        product = site.client.v1.products.create(
            {"name": name, "description": "From our own hill", "images": [picture(colour, name[0])]}
        )
        price = site.client.v1.prices.create(
            {"product": product.id, "currency": "usd", "unit_amount": amount}
        )
        lines.append({"price": price.id, "quantity": quantity})
    page.goto(create(site, line_items=lines, allow_promotion_codes=True).url)


def _offers(site: Site, page: Page) -> None:
    box, bed = (
        site.client.v1.products.create({"name": name, "description": about}).id
        for name, about in (("Seed box", "Twelve packets a month"), ("Raised bed", "Built by us, once"))
    )
    prices = [
        site.client.v1.prices.create(
            {"product": box, "currency": "usd", "unit_amount": amount, "recurring": {"interval": interval}}  # type: ignore[typeddict-item]
        ).id
        for amount, interval in ((1800, "month"), (18_000, "year"))
    ]
    site.client.v1.prices.create({"product": bed, "currency": "usd", "unit_amount": 4500})
    dashboard.write(site.twin, {"upsells": {prices[0]: prices[1]}, "cross_sells": {box: bed}})
    page.goto(create(site, mode="subscription", line_items=[{"price": prices[0], "quantity": 1}]).url)
    page.get_by_role("switch").check()
    expect(page.get_by_test_id("amount-due")).to_have_text("$180.00")


def _promotion(site: Site, page: Page) -> None:
    coupon = site.client.v1.coupons.create({"percent_off": 25, "duration": "once", "name": "Spring"})
    site.client.v1.promotion_codes.create(
        {"promotion": {"type": "coupon", "coupon": coupon.id}, "code": "SPRING25"}
    )
    tax = site.client.v1.tax_rates.create(
        {"display_name": "Sales tax", "percentage": 8.5, "inclusive": False}
    )
    line = item("Seed potatoes", 1500, quantity=2, tax_rates=[tax.id])
    page.goto(create(site, line_items=[line], allow_promotion_codes=True).url)
    page.get_by_test_id("promotion-code-open").click()
    page.locator("[name=promotionCode]").fill("SPRING25")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("discount")).to_be_visible()


def _mistakes(site: Site, page: Page) -> None:
    page.goto(create(site).url)
    fill(page, "4242424242424241", email="ada@")
    page.locator("#cardExpiry").fill("01 / 20")
    page.locator(PAY).click()
    expect(page.locator(".FieldError:visible").first).to_be_visible()


def _decline(site: Site, page: Page) -> None:
    page.goto(create(site).url)
    fill(page, "4000000000000002")
    page.locator(PAY).click()
    expect(page.get_by_test_id("form-error")).to_be_visible()


def _challenge(site: Site, page: Page) -> None:
    page.goto(create(site).url)
    fill(page, "4000002760003184")
    page.locator(PAY).click()
    outer = page.frame_locator("iframe[src*=three-ds]")
    expect(outer.frame_locator("#challengeFrame").get_by_role("button", name="Complete")).to_be_visible()


def _methods(site: Site, page: Page) -> None:
    found = site.client.v1.payment_method_configurations.list().data[0]
    on = {"display_preference": {"preference": "on"}}
    types: Any = dict.fromkeys(("bancontact", "ideal", "sepa_debit", "klarna", "eps"), on)
    site.client.v1.payment_method_configurations.update(found.id, types)
    page.goto(create(site, line_items=[item("Saatkartoffeln", 1500, "eur", 2)]).url)
    page.get_by_test_id("sepa_debit-accordion-item").click()


def _link(site: Site, page: Page) -> None:
    page.goto(create(site).url)
    page.locator("#email").fill("ada+link@example.test")
    page.locator("#email").blur()
    page.locator("[name=code]").fill("000000")
    expect(page.get_by_role("radio", name="Visa ending in 4242")).to_be_checked()


def _saved(site: Site, page: Page) -> None:
    customer = site.client.v1.customers.create({"email": "ada@example.test"})
    options = {"payment_method_save": "enabled", "payment_method_remove": "enabled"}
    for token in ("tok_visa", "tok_mastercard"):
        method = site.client.v1.payment_methods.create(
            {"type": "card", "card": {"token": token}, "allow_redisplay": "always"}
        )
        site.client.v1.payment_methods.attach(method.id, {"customer": customer.id})
    page.goto(create(site, customer=customer.id, saved_payment_method_options=options).url)


def _everything(site: Site, page: Page) -> None:
    label = {"type": "custom", "custom": "Gift note"}
    day = {
        "key": "day", "type": "dropdown", "label": {"type": "custom", "custom": "Delivery day"}, "optional": True,
        "dropdown": {"options": [{"label": "Monday", "value": "mon"}, {"label": "Friday", "value": "fri"}]},
    }  # fmt: skip
    page.goto(
        create(
            site,
            custom_fields=[{"key": "gift", "type": "text", "label": label}, day],
            consent_collection={"terms_of_service": "required", "promotions": "auto"},
            custom_text={
                "submit": {"message": "We plant in April. See [how](https://farm.example/plant)."},
                "terms_of_service_acceptance": {
                    "message": "I accept the [rules](https://farm.example/rules)."
                },
            },
            phone_number_collection={"enabled": True},
            tax_id_collection={"enabled": True},
        ).url
    )


def _optional(site: Site, page: Page) -> None:
    extra = site.client.v1.prices.create(
        {"currency": "usd", "unit_amount": 300, "product_data": {"name": "Gloves"}}
    )
    peas = item("Peas", 1000, adjustable_quantity={"enabled": True, "minimum": 1, "maximum": 9})
    page.goto(create(site, line_items=[peas], optional_items=[{"price": extra.id, "quantity": 1}]).url)


def _free(site: Site, page: Page) -> None:
    price = site.client.v1.prices.create(
        {
            "currency": "usd",
            "custom_unit_amount": {"enabled": True, "minimum": 500, "preset": 2000},
            "product_data": {"name": "A tree for the hill"},
        }
    )
    page.goto(create(site, line_items=[{"price": price.id, "quantity": 1}], submit_type="donate").url)


def _embedded(site: Site, page: Page) -> None:
    _, address = embed(site, line_items=[item("Seed potatoes", 1500, quantity=2)])
    page.goto(address)
    expect(page.frame_locator("iframe[name=embedded-checkout]").locator(PAY)).to_be_visible()


def _complete(site: Site, page: Page) -> None:
    price = site.client.v1.prices.create(
        {"currency": "usd", "unit_amount": 700, "product_data": {"name": "Peas"}}
    )
    link = site.client.v1.payment_links.create({"line_items": [{"price": price.id, "quantity": 1}]})
    page.goto(link.url)
    fill(page)
    page.locator(PAY).click()


def _expired(site: Site, page: Page) -> None:
    made = create(site)
    site.client.v1.checkout.sessions.expire(made.id)
    page.goto(made.url)


def _invoice(site: Site, page: Page) -> None:
    customer = site.client.v1.customers.create({"email": "ada@example.test", "name": "Ada Lovelace"})
    tax = site.client.v1.tax_rates.create(
        {"display_name": "Sales tax", "percentage": 8.5, "inclusive": False}
    )
    made = site.client.v1.invoices.create(
        {
            "customer": customer.id,
            "collection_method": "send_invoice",
            "days_until_due": 14,
            "default_tax_rates": [tax.id],
            "description": "Work on the north field.",
            "footer": "Thank you. Hill Farm, Field Lane 1.",
        }
    )
    for name, amount in (("Ploughing, two hours", 12_000), ("Seed potatoes", 4500)):
        site.client.v1.invoice_items.create(
            {
                "customer": customer.id,
                "invoice": made.id,
                "amount": amount,
                "currency": "usd",
                "description": name,
            }
        )
    done = site.client.v1.invoices.finalize_invoice(made.id)
    page.goto(str(done.hosted_invoice_url))


def _portal(site: Site, page: Page) -> None:
    from tests.twin.pages.test_hosted_pages import portal, subscribed

    customer, _, prices = subscribed(site)
    page.goto(portal(site, customer, prices).url)


def _switch(site: Site, page: Page) -> None:
    _portal(site, page)
    page.get_by_role("button", name="Update subscription").click()
    page.get_by_label("$30.00 per month").check()
    expect(page.get_by_test_id("preview")).to_contain_text("$20.00")


def _receipt(site: Site, page: Page) -> None:
    page.goto(create(site, line_items=[item("Seed potatoes", 1500, quantity=2), item("Spade", 3900)]).url)
    fill(page)
    page.locator(PAY).click()
    page.wait_for_url("**/ok*")
    page.goto(str(site.client.v1.charges.list().data[0].receipt_url))


def _element(site: Site, page: Page) -> None:
    made = site.client.v1.payment_intents.create({"amount": 2599, "currency": "usd"})
    script = site.script(
        "const elements = stripe.elements({clientSecret: secret}); elements.create('payment').mount('#payment');",
        secret=made.client_secret,
    )
    style = "max-width:480px;margin:40px auto;font-family:sans-serif"
    body = f'<main style="{style}"><h1>Pay $25.99</h1><div id="payment"></div></main>'
    page.goto(site.shop.page("/elements", body, script, head=site.stripe_js))
    frame = page.frame_locator('iframe[src*="elements-inner-payment"]')
    frame.locator("[name=number]").fill(CARD)
    expect(frame.locator("[name=cvc]")).to_be_visible()


SHIP = {
    "shipping_address_collection": {"allowed_countries": ["US", "CA"]},
    "shipping_options": [rate("Post", 500, 3, 5), rate("Courier", 1200, 1, 1)],
}
LOOKS = (
    Look("01-one-payment", "A payment of two items with pictures, and a place for a promotion code.", _pictures),
    Look("02-promotion-and-tax", "A promotion code applied, tax on top.", _promotion),
    Look("03-shipping", "Shipping address and rates with their estimates.", session(**SHIP)),
    Look("04-shipping-dark", "The same in the dark.", session(**SHIP), dark=True),
    Look("05-mistakes", "What a customer mistyped, at each field.", _mistakes),
    Look("06-declined", "A card that was declined.", _decline, expected=("status of 402",)),
    Look("07-challenge", "The bank asks, over the page.", _challenge),
    Look("08-methods", "Payment methods of the euro area, one open.", _methods),
    Look("09-link", "A recognised wallet and its card.", _link, expected=("status of 400",)),
    Look("10-saved-cards", "Two saved cards of a known customer.", _saved),
    Look("11-fields-and-consent", "Own fields, consents, texts, phone and tax number.", _everything),
    Look("12-quantities-and-extras", "A quantity to change and an item to add.", _optional),
    Look("13-free-amount", "The customer names the amount of a gift.", _free),
    Look("14-subscription", "A plan and a one-time item in one cart.",
         session(mode="subscription", line_items=[BOX, item("Starter kit", 2500)])),
    Look("15-trial-phone", "A trial, on a telephone.",
         session(mode="subscription", line_items=[BOX], subscription_data={"trial_period_days": 14}), size=PHONE),
    Look("16-setup-branded", "Saving a card, in the merchant's colours.",
         session(mode="setup", currency="usd", line_items=None, branding_settings={**FARM, "border_style": "pill"})),
    Look("17-branded-dark-phone", "The merchant's colours in the dark, on a telephone.",
         session(branding_settings=FARM), dark=True, size=PHONE),
    Look("18-japanese-yen", "Japanese, in yen.", session(locale="ja", line_items=[item("種芋", 1500, "jpy", 2)])),
    Look("19-german-tablet", "German, in euros, on a tablet.",
         session(locale="de", line_items=[item("Saatkartoffeln", 1500, "eur", 2)]), size=TABLET),
    Look("20-embedded", "Embedded in the merchant's page.", _embedded, ready=""),
    Look("21-invoice", "A hosted invoice to pay.", _invoice, ready="hosted-invoice-pay-button"),
    Look("22-portal", "The customer portal.", _portal, ready="subscriptions"),
    Look("23-portal-switch-phone", "Switching a plan after a preview, on a telephone.", _switch, ready="preview",
         size=PHONE),
    Look("24-receipt", "A receipt.", _receipt, ready="receipt"),
    Look("25-payment-element", "The Payment Element in a page.", _element, ready=""),
    Look("26-done", "After paying through a payment link.", _complete, ready="state-done"),
    Look("27-expired", "A session that has expired.", _expired, ready="state-expired"),
    Look("28-offers", "A plan switched to a year for less, and a product offered beside it.", _offers),
)  # fmt: skip


@contextmanager
def shown(chromium: Browser, look: Look) -> Iterator[tuple[Page, list[str]]]:
    """The page of a look, settled, and what its console complained about."""
    with serve() as site:
        width, height = look.size
        context = chromium.new_context(
            locale=look.locale,
            viewport={"width": width, "height": height},
            color_scheme="dark" if look.dark else "light",
            reduced_motion="reduce",
        )
        context.set_default_timeout(20_000)
        page = context.new_page()
        problems: list[str] = []
        page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        try:
            look.open(site, page)
            if look.ready:
                expect(page.get_by_test_id(look.ready).first).to_be_visible()
            yield page, [p for p in problems if not any(part in p for part in look.expected)]
        finally:
            context.close()


def main(folder: Path, only: str = "") -> None:
    """Write a picture of every look."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
        )
        for look in LOOKS:
            if only in look.name:
                with shown(browser, look) as (page, problems):
                    page.screenshot(
                        path=str(folder / f"{look.name}.png"), full_page=True, animations="disabled"
                    )
                    print(look.name, *problems)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
