#!/bin/sh
set -eu
python3 - <<'END'
import json

ALWAYS = {
    "billing_address_collection": "required",
    "phone_number_collection": {"enabled": True},
    "tax_id_collection": {"enabled": True},
    "name_collection": {"business": {"enabled": True}, "individual": {"enabled": True}},
    "consent_collection": {"terms_of_service": "required", "promotions": "auto"},
    "custom_text": {slot: {"message": "Thank you."} for slot in ("submit", "after_submit", "terms_of_service_acceptance")},
    "custom_fields": [{"key": "more", "label": {"type": "custom", "custom": "Anything else?"}, "type": "text", "optional": True}],
    "branding_settings": {"background_color": "#eeeeee", "button_color": "#111111", "border_style": "pill", "font_family": "inter"},
    "locale": "de",
    "cancel_url": "https://shop.example.test/",
    "wallet_options": {"link": {"display": "never"}},
    "customer_email": "somebody@example.test",
}
BUYING = {"allow_promotion_codes": True, "automatic_tax": {"enabled": True}}
SENT = {
    "shipping_address_collection": {"allowed_countries": ["US", "CA", "GB", "DE", "FR"]},
    "submit_type": "donate",
    "payment_intent_data": {"setup_future_usage": "off_session"},
}
pages = json.load(open("/app/answers.json"))
made = {}
for name, page in pages.items():
    answer = {"mode": page["mode"], **ALWAYS}
    if page["mode"] == "setup":
        answer["currency"] = "usd"
    else:
        lines = [{key: line[key] for key in ("price", "quantity") if key in line} for line in page["line_items"]]
        answer |= {"line_items": lines, **BUYING}
    if page["mode"] == "payment":
        answer |= SENT
    if "currency" in page:
        answer["currency"] = page["currency"]
    made[name] = answer
json.dump(made, open("/app/answers.json", "w"))
END
