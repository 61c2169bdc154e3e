# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-1e8781829e54: keep out of training data
"""What a Checkout page shows: its facts, read from the data that the page is drawn from.

Two sessions whose pages look and behave the same have the same facts, whatever parameters made them. A fact that every
page has (a card form, an e-mail field, English) is none, and neither is what follows from another: the lines say whether a
page sells once or again and again. Flat facts have a name and a value; lists are in the page's order.

    flat    {"phone": True, "country.NO": True, …}
    lists   {"line_items": [{"item": …, "quantity": 2, …}], "custom_fields": […], …}
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Page = dict[str, Any]
Leaf = str | int | bool
LANGUAGES = ("da", "de", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "sv", "zh")
"""Languages the page speaks besides English; what it does not speak it shows in English."""
LONGEST_FIELD = 255
BRAND = {
    "background_color": "#ffffff",
    "button_color": "#0074d4",
    "border_style": "rounded",
    "font_family": "default",
}


@dataclass
class Facts:
    """The facts of one page."""

    flat: dict[str, Leaf] = field(default_factory=dict)
    lists: dict[str, list[dict[str, Leaf]]] = field(default_factory=dict)

    def note(self, name: str, value: Leaf | None) -> None:
        """Keep a flat fact, unless there is nothing to see."""
        if value is not None and value is not False and value != "":
            self.flat[name] = value


def facts_of(page: Page, taxed: Page | None, shop: str, usual_methods: frozenset[str]) -> Facts:
    """The facts of a page.

    `taxed` is the same page after the customer gave an address, where taxes are automatic. `shop` is the name that pages
    have without a brand, `usual_methods` what is offered when nobody says anything.
    """
    facts = Facts()
    facts.note("mode", page["mode"] if page["mode"] == "setup" else None)
    facts.note("ui_mode", page["ui_mode"] if page["ui_mode"] != "hosted_page" else None)
    facts.note("locale", language(page["locale"]))
    facts.note("cancel_url", page["cancel_url"])
    brand(facts, page, shop)
    customer(facts, page)
    shipping(facts, page)
    payment(facts, page, usual_methods)
    texts(facts, page)
    order(facts, page)
    taxes(facts, page, taxed)
    return facts


def language(locale: str | None) -> str | None:
    """The language tag, where it is not English."""
    tag = locale or "auto"
    return tag if tag.split("-")[0] in LANGUAGES else None


def brand(facts: Facts, page: Page, shop: str) -> None:
    """Name, colours, shape, letters and mark of the merchant."""
    given = page["branding_settings"] or {}
    for name, usual in BRAND.items():
        value = str(given.get(name) or usual).lower()
        facts.note(f"brand.{name}", value if value != usual else None)
    name = page["account"]["display_name"]
    facts.note("brand.display_name", name if name != shop else None)
    mark = given.get("logo") or {}
    facts.note("brand.mark", mark.get("url") or (given.get("icon") or {}).get("url"))


def customer(facts: Facts, page: Page) -> None:
    """What is asked of the customer, and what is known."""
    known = (page["customer_details"] or {}).get("email")
    facts.note(
        "email", f"{known}{' (may be changed)' if page['can_change_email'] else ''}" if known else None
    )
    facts.note("phone", (page["phone_number_collection"] or {}).get("enabled"))
    tax_id = page["tax_id_collection"] or {}
    if tax_id.get("enabled"):
        facts.note("tax_id", "needed" if tax_id.get("required") == "if_supported" else "asked")
    for kind, rule in sorted((page["name_collection"] or {}).items()):
        if rule and rule["enabled"]:
            facts.note(f"name.{kind}", "optional" if rule["optional"] else "needed")
    consent = page["consent_collection"] or {}
    facts.note("consent.terms", consent.get("terms_of_service") == "required")
    facts.note("consent.news", consent.get("promotions") == "auto")


def shipping(facts: Facts, page: Page) -> None:
    """Where to, and how."""
    collection = page["shipping_address_collection"]
    for country in (collection or {}).get("allowed_countries", ()):
        facts.note(f"country.{country}", True)
    facts.lists["shipping_options"] = [
        {
            "name": rate["display_name"],
            "amount": money(rate["amount"], page["currency"]),
            **(
                {"estimate": estimate(rate["delivery_estimate"])}
                if estimate(rate["delivery_estimate"])
                else {}
            ),
        }
        for rate in page["shipping_options"]
    ]


def estimate(given: dict[str, Any] | None) -> str:
    """An estimate as the page puts it into words."""
    low, high = (given or {}).get("minimum"), (given or {}).get("maximum")
    last = high or low
    if last is None:
        return ""
    if low and high and low["unit"] != high["unit"]:
        return f"{low['value']} {low['unit']} – {high['value']} {high['unit']}"
    first = f"{low['value']}–" if low and high and low["value"] != high["value"] else ""
    return f"{first}{last['value']} {last['unit']}"


def payment(facts: Facts, page: Page, usual: frozenset[str]) -> None:
    """How it can be paid."""
    if not asks_for_payment(page):
        facts.note("no_payment_details", True)
        return
    methods = {name for name in page["payment_method_types"] if name != "link"}
    for name in sorted(methods ^ usual):
        facts.note(f"method.{name}", "offered" if name in methods else "not offered")
    options = page["saved_payment_method_options"] or {}
    for method in page["payment_methods"]:
        card = method["card"]
        facts.note(f"saved.{card['brand']} {card['last4']} {card['exp_month']}/{card['exp_year']}", True)
    if page["payment_methods"]:
        facts.note("saved_can_be_removed", options.get("payment_method_remove") == "enabled")
    if "card" not in methods:
        return
    automatic = page["automatic_tax"]["enabled"]
    facts.note("billing_address", page["billing_address_collection"] == "required" and not automatic)
    facts.note("can_be_saved", options.get("payment_method_save") == "enabled" and page["mode"] == "payment")
    facts.note("no_link", not page["link"]["enabled"] and page["mode"] != "setup")


def asks_for_payment(page: Page) -> bool:
    """Whether payment details are asked for at first."""
    if page["mode"] == "payment":
        return int(page["amount_total"]) > 0
    return (
        page["mode"] == "setup" or page["payment_method_collection"] == "always" or page["amount_total"] > 0
    )


def texts(facts: Facts, page: Page) -> None:
    """The merchant's words, the button's, and the small print."""
    given = page["custom_text"] or {}
    shown = {
        "shipping_address": bool(page["shipping_address_collection"]),
        "submit": True,
        "after_submit": True,
        "terms_of_service_acceptance": (page["consent_collection"] or {}).get("terms_of_service")
        == "required",
    }
    for slot, visible in shown.items():
        if visible:
            facts.note(f"text.{slot}", (given.get(slot) or {}).get("message"))
    if page["mode"] == "payment" and page["submit_type"] in ("donate", "book", "subscribe"):
        facts.note("button", page["submit_type"])
    agreement = (page["consent_collection"] or {}).get("payment_method_reuse_agreement") or {}
    hidden = agreement.get("position") == "hidden"
    facts.note("saved_for_later", bool(page["reuse"]) and page["mode"] == "payment" and not hidden)
    facts.note("no_small_print", hidden and page["mode"] != "payment")
    facts.lists["custom_fields"] = [custom_field(field) for field in page["custom_fields"]]


def custom_field(given: dict[str, Any]) -> dict[str, Leaf]:
    """One more field: its key and the values behind a choice are nowhere to be seen."""
    rules = given[given["type"]]
    found: dict[str, Leaf] = {"label": given["label"]["custom"], "type": given["type"]}
    if given["optional"]:
        found["optional"] = True
    default = rules.get("default_value") or ""
    if given["type"] == "dropdown":
        labels = {option["value"]: option["label"] for option in rules["options"]}
        found |= {f"choice {place}": label for place, label in enumerate(labels.values(), 1)}
        default = labels.get(default, "")
    else:
        if rules["minimum_length"]:
            found["shortest"] = rules["minimum_length"]
        if (rules["maximum_length"] or LONGEST_FIELD) != LONGEST_FIELD:
            found["longest"] = rules["maximum_length"]
    if default:
        found["default"] = default
    return found


def order(facts: Facts, page: Page) -> None:
    """What is bought, what else is offered, what is taken off, and how it goes on."""
    if page["mode"] == "setup":
        return
    repeats = page["subscription"] or {}
    later = bool(repeats.get("trial_days") or repeats.get("renews"))
    facts.lists["line_items"] = [line(item, page["currency"], later) for item in page["line_items"]]
    facts.lists["optional_items"] = [optional(item) for item in page["optional_items"]]
    facts.note("trial_days", repeats.get("trial_days"))
    if repeats.get("renews"):
        day = datetime.fromtimestamp(repeats["renews"], UTC).date().isoformat()
        first = sum(item["amount_subtotal"] for item in page["line_items"] if item["price"]["recurring"])
        facts.note("renews", f"{day}, {money(first, page['currency'])} until then")
    facts.note("promotion_codes", bool(page["allow_promotion_codes"]) and not page["discount"])
    if page["discount"]:
        found = page["discount"]
        off = (
            f"{found['percent_off']} %"
            if found["percent_off"] is not None
            else money(found["amount_off"], page["currency"])
        )
        facts.note(
            "discount", f"{found['code'] or found['name']}: {off}" + (" by code" if found["code"] else "")
        )


def line(item: dict[str, Any], currency: str, later: bool) -> dict[str, Leaf]:
    """One line: what it is at which price, how many, and how many it may become."""
    price = item["price"]
    unit, several = price["unit_amount_decimal"], (item["quantity"] or 1) > 1
    if item["metered"]:
        each = f"{money(unit or 0, currency)} by use" if later else "by use"
    elif unit is None:
        each = f"{money(item['amount_subtotal'], currency)} in all"
    else:
        each = money(unit, currency)
    limits = item["adjustable_quantity"] or {}
    counted = several and (unit is not None or limits.get("enabled"))
    return {
        "item": goods(item["product"], item["description"], each, price["recurring"]),
        **({"quantity": item["quantity"]} if counted else {}),
        **bounds(limits),
    }


def bounds(limits: dict[str, Any]) -> dict[str, Leaf]:
    """How few and how many there may be."""
    if not limits.get("enabled"):
        return {}
    least, most = limits.get("minimum"), limits.get("maximum")
    return {"least": 0 if least is None else least, "most": 99 if most is None else most}


def optional(item: dict[str, Any]) -> dict[str, Leaf]:
    """One offer."""
    price = item["price"]
    each = money(price["unit_amount"] or 0, price["currency"])
    return {
        "item": goods(item["product"], item["product"]["name"], each, price["recurring"]),
        **({"quantity": item["quantity"]} if item["quantity"] > 1 else {}),
        **bounds(item["adjustable_quantity"] or {}),
    }


def goods(product: dict[str, Any], name: str, each: str, recurring: dict[str, Any] | None) -> str:
    """A product at a price, as one text."""
    every = f" every {recurring['interval_count']} {recurring['interval']}" if recurring else ""
    about = f" ({product['description']})" if product["description"] else ""
    picture = f" [{product['images'][0]}]" if product["images"] else ""
    return f"{name}{about}{picture}, {each}{every}"


def taxes(facts: Facts, page: Page, taxed: Page | None) -> None:
    """Taxes that are shown at once, and those that come with an address."""
    for tax in page["taxes"]:
        facts.note(
            f"tax.{tax['display_name']} {tax['percentage']}", "included" if tax["inclusive"] else "added"
        )
    by_card = asks_for_payment(page) and "card" in page["payment_method_types"]
    if taxed is not None and (by_card or page["shipping_address_collection"]):
        facts.note("automatic_tax", True)
        for tax in taxed["taxes"]:
            name = f"automatic_tax.{tax['display_name']} {tax['percentage']} {'included' if tax['inclusive'] else 'added'}"
            facts.note(name, money(tax["amount"], page["currency"]))


def money(amount: Any, currency: str) -> str:
    """Minor units and their currency."""
    text = str(amount)
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {currency}"
