#!/bin/sh
set -eu
python3 - <<'END'
import json

NOW = 1_772_186_400
pages = json.load(open("/app/answers.json"))
for name, page in pages.items():
    mode = page["mode"]
    page.setdefault("billing_address_collection", "auto")
    page.setdefault("phone_number_collection", {"enabled": False})
    page.setdefault("automatic_tax", {"enabled": False})
    page.setdefault("tax_id_collection", {"enabled": False})
    page.setdefault("locale", "auto")
    page.setdefault("ui_mode", "hosted_page")
    page.setdefault("wallet_options", {"link": {"display": "auto"}})
    page.setdefault("consent_collection", {}).setdefault("promotions", "none")
    page["consent_collection"].setdefault("terms_of_service", "none")
    brand = page.setdefault("branding_settings", {})
    brand.setdefault("button_color", "#0074D4")
    brand.setdefault("background_color", "#FFFFFF")
    brand.setdefault("border_style", "rounded")
    brand.setdefault("font_family", "default")
    page |= {"success_url": f"https://shop.example.test/{name}", "metadata": {"page": name}}
    page |= {"client_reference_id": f"page {name}", "expires_at": NOW + 7200, "customer": page.get("customer")}
    if mode == "payment":
        page.setdefault("submit_type", "pay")
        page.setdefault("payment_intent_data", {})["description"] = f"Page {name}"
        page["invoice_creation"] = {"enabled": True}
        if "customer" not in page or page["customer"] is None:
            page["customer_creation"] = "always"
    if mode == "setup":
        page["setup_intent_data"] = {"description": f"Page {name}"}
    if mode == "subscription":
        page.setdefault("payment_method_collection", "always")
        data = page.setdefault("subscription_data", {})
        data["description"] = f"Page {name}"
        if "trial_period_days" in data:
            data["trial_end"] = NOW + 86_400 * data.pop("trial_period_days")
    for line in page.get("line_items", ()):
        line.setdefault("adjustable_quantity", {"enabled": False})
        line["metadata"] = {"page": name}
    for field in page.get("custom_fields", ()):
        field.setdefault("optional", False)
json.dump(pages, open("/app/answers.json", "w"))
END
