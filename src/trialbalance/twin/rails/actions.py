"""What a customer is asked to do next: the `next_action` of each payment method type.

Source: https://docs.stripe.com/api/payment_intents/object#payment_intent_object-next_action
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialbalance.twin import sites
from trialbalance.twin.errors import JsonObject
from trialbalance.twin.rails.table import Rail
from trialbalance.twin.resources import three_d_secure

if TYPE_CHECKING:
    from trialbalance.twin.wire.call import Call

DAY = 24 * 3600


def of(call: Call, intent: JsonObject, method: JsonObject, rail: Rail) -> JsonObject:
    """The next action for a payment of an edited intent; redirects and codes open an authorisation."""
    if rail.flow == "voucher":
        return _voucher(call, intent, rail)
    redirect = three_d_secure.begin(call, intent, method, page="redirect")
    page = redirect["redirect_to_url"]["url"]
    type = rail.type
    if type == "alipay":
        return {
            "alipay_handle_redirect": {
                "native_data": None,
                "native_url": None,
                "return_url": intent.get("_return_url"),
                "url": page,
            },
            "type": "alipay_handle_redirect",
        }
    if rail.flow == "notify":
        if type == "upi":
            return _coded(
                call, "upi_handle_redirect_or_display_qr_code", page, {"expires_at": call.now + DAY}
            )
        if type == "blik":
            return {"blik_authorize": {}, "type": "blik_authorize"}
        return redirect
    if type == "cashapp":
        return _coded(
            call,
            "cashapp_handle_redirect_or_display_qr_code",
            page,
            {"expires_at": call.now + 300},
            mobile_auth_url=page,
        )
    if type == "swish":
        return _coded(
            call,
            "swish_handle_redirect_or_display_qr_code",
            page,
            {"data": page, "expires_at": call.now + 180},
            mobile_auth_url=page,
        )
    if rail.flow == "qr":
        name = f"{type}_display_qr_code"
        shown: JsonObject = {
            "data": page,
            "hosted_instructions_url": page,
            "image_url_png": _image(call, intent, "png"),
            "image_url_svg": _image(call, intent, "svg"),
        }
        if type == "wechat_pay":
            shown["image_data_url"] = "data:image/png;base64,"
        if type == "pix":
            shown["expires_at"] = call.now + DAY
        return {name: {key: shown[key] for key in sorted(shown)}, "type": name}
    return redirect


def _coded(call: Call, name: str, page: str, code: JsonObject, **more: str) -> JsonObject:
    images = {"image_url_png": f"{page}.png", "image_url_svg": f"{page}.svg"}
    shown = {"hosted_instructions_url": page, **more, "qr_code": dict(sorted({**code, **images}.items()))}
    return {name: dict(sorted(shown.items())), "type": name}


def _image(call: Call, intent: JsonObject, kind: str) -> str:
    return sites.page(call.twin, "qr", f"instructions/{intent['_source']}.{kind}")


def _voucher(call: Call, intent: JsonObject, rail: Rail) -> JsonObject:
    digits = call.twin.ids.random(30, "0123456789")
    page = sites.page(call.twin, "payments", f"{rail.type}/voucher/{intent['id']}_{digits[:12]}")
    days = (intent["payment_method_options"].get(rail.type) or {}).get("expires_after_days") or 3
    expires = (call.now // DAY + 1 + int(days)) * DAY - 1
    name = f"{rail.type}_display_details"
    if rail.type == "oxxo":
        shown: JsonObject = {"expires_after": expires, "hosted_voucher_url": page, "number": digits}
    elif rail.type == "boleto":
        shown = {"expires_at": expires, "hosted_voucher_url": page, "number": digits, "pdf": f"{page}/pdf"}
    elif rail.type == "multibanco":
        shown = {
            "entity": digits[:5],
            "expires_at": expires,
            "hosted_voucher_url": page,
            "reference": digits[5:14],
        }
    else:
        stores = {
            store: {"confirmation_number": digits[:11], "payment_code": digits[11:21]}
            for store in ("familymart", "lawson", "ministop", "seicomart")
        }
        shown = {"expires_at": expires, "hosted_voucher_url": page, "stores": stores}
    return {name: shown, "type": name}
