"""Small changes of a page's parameters: each leaf dropped or changed, and everything a page may have added."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

Form = dict[str, Any]


class Change(NamedTuple):
    """Parameters with one change, and where it is."""

    where: str
    form: Form


OTHERS = {
    "mode": ("payment", "subscription", "setup"),
    "submit_type": ("pay", "donate", "book", "auto"),
    "locale": ("auto", "de", "fr", "fi"),
    "border_style": ("rounded", "pill", "rectangular"),
    "font_family": ("default", "lora", "inter"),
    "interval": ("day", "week", "month", "year"),
    "unit": ("day", "week", "business_day"),
    "currency": ("usd", "eur", "gbp"),
    "type": ("text", "numeric"),
    "terms_of_service": ("none", "required"),
    "promotions": ("none", "auto"),
    "position": ("auto", "hidden"),
    "display": ("auto", "never"),
    "required": ("never", "if_supported"),
    "payment_method_collection": ("always", "if_required"),
    "payment_method_save": ("disabled", "enabled"),
    "payment_method_remove": ("disabled", "enabled"),
    "proration_behavior": ("none", "create_prorations"),
    "setup_future_usage": ("on_session", "off_session"),
    "billing_address_collection": ("auto", "required"),
}
"""Other values of what is one of several."""
HIDDEN = ("key", "value", "setup_future_usage")
"""Changing these changes nothing that is seen: the key of a field, the value behind a choice, when a card is used later."""
MORE: tuple[Form, ...] = (
    {"phone_number_collection": {"enabled": True}},
    {"phone_number_collection": {"enabled": False}},
    {"billing_address_collection": "required"},
    {"billing_address_collection": "auto"},
    {"tax_id_collection": {"enabled": True}},
    {"tax_id_collection": {"enabled": True, "required": "if_supported"}},
    {"automatic_tax": {"enabled": True}},
    {"allow_promotion_codes": True},
    {"consent_collection": {"terms_of_service": "required"}},
    {"consent_collection": {"promotions": "auto"}},
    {"consent_collection": {"payment_method_reuse_agreement": {"position": "hidden"}}},
    {"consent_collection": {"terms_of_service": "none", "promotions": "none"}},
    {"custom_text": {"submit": {"message": "We say this."}}},
    {"custom_text": {"after_submit": {"message": "We say this."}}},
    {"custom_text": {"shipping_address": {"message": "We say this."}}},
    {"custom_text": {"terms_of_service_acceptance": {"message": "We say this."}}},
    {"name_collection": {"business": {"enabled": True}}},
    {"name_collection": {"individual": {"enabled": True, "optional": True}}},
    {"name_collection": {"individual": {"enabled": False}}},
    {"branding_settings": {"button_color": "#123456"}},
    {"branding_settings": {"button_color": "#0074D4", "border_style": "rounded"}},
    {"branding_settings": {"display_name": "Another shop"}},
    {"branding_settings": {"logo": {"type": "url", "url": "https://shop.example.test/logo.png"}}},
    {"cancel_url": "https://shop.example.test/back"},
    {"locale": "de"},
    {"locale": "auto"},
    {"locale": "fi"},
    {"wallet_options": {"link": {"display": "never"}}},
    {"wallet_options": {"link": {"display": "auto"}}},
    {"submit_type": "donate"},
    {"submit_type": "pay"},
    {"customer_email": "somebody@example.test"},
    {"customer_creation": "always"},
    {"client_reference_id": "order 7"},
    {"metadata": {"order": "7"}},
    {"payment_method_types": ["card"]},
    {"payment_method_types": ["card", "link"]},
    {"payment_method_types": ["card", "klarna"]},
    {"excluded_payment_method_types": ["klarna"]},
    {"payment_method_collection": "if_required"},
    {"payment_intent_data": {"setup_future_usage": "on_session"}},
    {"payment_intent_data": {"description": "An order"}},
    {"subscription_data": {"trial_period_days": 12}},
    {"subscription_data": {"description": "A plan"}},
    {"invoice_creation": {"enabled": True}},
    {"shipping_address_collection": {"allowed_countries": ["US", "NL"]}},
    {"shipping_options": [{"shipping_rate": "@rate-2"}]},
    {"optional_items": [{"price": "@ink-3", "quantity": 1}]},
    {"discounts": [{"coupon": "@coupon-1"}]},
    {"discounts": [{"promotion_code": "@code-1"}]},
    {"saved_payment_method_options": {"payment_method_save": "enabled"}},
    {"saved_payment_method_options": {"payment_method_save": "disabled"}},
    {"custom_fields": [{"key": "more", "label": {"type": "custom", "custom": "More"}, "type": "text"}]},
)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all leaves."""
    if isinstance(value, dict):
        for key in value:
            yield from leaves(value[key], (*path, key))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from leaves(item, (*path, place))
    else:
        yield path


def branches(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all leaves, and of what holds them."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from branches(item, (*path, key))


def dropped(form: Form) -> Iterator[Change]:
    """Each part left out, once."""
    for path in branches(form):
        made = copy.deepcopy(form)
        del _at(made, path[:-1])[path[-1]]
        yield Change(f"without {_shown(path)}", made)


def changed(form: Form, prices: list[str]) -> Iterator[Change]:
    """Each leaf with another value, once. `prices` are the keys of prices to take instead."""
    for path in leaves(form):
        for value in _others(path, _at(form, path), prices):
            made = copy.deepcopy(form)
            _at(made, path[:-1])[path[-1]] = value
            yield Change(f"{_shown(path)} = {value!r}", made)


def added(form: Form) -> Iterator[Change]:
    """Each of MORE laid over the parameters: hashes are joined, lists are longer, the rest is replaced."""
    for more in MORE:
        made = copy.deepcopy(form)
        for key, value in more.items():
            if isinstance(value, dict):
                made[key] = {**made.get(key, {}), **copy.deepcopy(value)}
            elif isinstance(value, list):
                made[key] = [*made.get(key, []), *copy.deepcopy(value)]
            else:
                made[key] = value
        if made != form:
            yield Change(f"with {more}", made)


def _others(path: tuple[Any, ...], value: Any, prices: list[str]) -> list[Any]:
    name = path[-1]
    if isinstance(name, str) and name in OTHERS:
        return [other for other in OTHERS[name] if other != value]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value + 86_400] if value > 1_000_000 else [value + 1]
    if isinstance(value, str) and value.startswith("@"):
        kind = value.split("-")[0]
        if name == "price":
            return [f"@{other}" for other in prices if f"@{other}" != value][:4]
        other = f"{kind}-{1 if not value.endswith('1') else 2}"
        return [other]
    if isinstance(value, str) and value.startswith("#"):
        return ["#0a0b0c"]
    if len(path) > 1 and path[-2] == "allowed_countries":
        return ["LU"]
    if len(path) > 1 and path[-2] == "payment_method_types":
        return ["cashapp", "card"]
    if name == "default_value":
        return ["v1", "x" * len(str(value)), ""]
    return [f"{value} too"]


def _at(form: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        form = form[key]
    return form


def _shown(path: tuple[Any, ...]) -> str:
    return ".".join(str(key) for key in path)
