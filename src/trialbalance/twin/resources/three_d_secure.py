"""3-D Secure and other authorisations in a browser: the challenge an intent waits for, and its end.

An intent that needs the customer gets a source (`payatt_…`) and a `next_action`: `use_stripe_sdk` for Stripe.js, or
`redirect_to_url` when the confirmation gave a return URL. The pages call the browser endpoints here; anybody who
holds the intent's client secret may do the same.
Source: https://docs.stripe.com/payments/3d-secure/authentication-flow
"""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit, urlunsplit

from trialbalance.twin import sites
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.wire.call import Call, own_endpoint

KIND = "_authorisation"
DIRECTORY = {"visa": "A000000003", "mastercard": "A000000004", "amex": "A000000025"}
FAILED = "We are unable to authenticate your payment method. Please choose a different payment method and try again."

_AUTHENTICATE = {
    "hash": {"source": "str", "browser": "str", "expand": {"array": "str"}},
    "required": ["source"],
}
_COMPLETE = {
    "hash": {
        "source": "str",
        "client_secret": "str",
        "outcome": {"enum": ["succeeded", "failed"]},
        "expand": {"array": "str"},
    },
    "required": ["source", "outcome", "client_secret"],
}


def begin(call: Call, intent: JsonObject, method: JsonObject, *, page: str = "3ds") -> JsonObject:
    """Open an authorisation for an intent; returns its `next_action`. `page`: "3ds", "redirect" or "captcha"."""
    source = call.new_id("payatt")
    call.ledger.insert(
        call.account,
        KIND,
        {
            "id": source,
            "object": KIND,
            "intent": intent["id"],
            "kind": intent["object"],
            "method": method["id"],
            "page": page,
            "state": "pending",
        },
    )
    intent["_source"] = source
    return_url = intent.get("_return_url")
    if page == "redirect":
        return {
            "redirect_to_url": {
                "return_url": return_url,
                "url": sites.page(call.twin, "pm-redirects", f"authorize/{call.account}/{source}"),
            },
            "type": "redirect_to_url",
        }
    if page == "captcha":
        return {
            "type": "use_stripe_sdk",
            "use_stripe_sdk": {
                "merchant": call.account,
                "stripe_js": _hosted(call, intent, source),
                "three_d_secure_2_source": source,
                "type": "intent_confirmation_challenge",
            },
        }
    if return_url and not intent.get("_use_stripe_sdk"):
        return {
            "redirect_to_url": {"return_url": return_url, "url": _hosted(call, intent, source)},
            "type": "redirect_to_url",
        }
    brand = method["card"]["brand"]
    digits = call.twin.ids.random(32, "0123456789abcdef")
    return {
        "type": "use_stripe_sdk",
        "use_stripe_sdk": {
            "directory_server_encryption": {
                "algorithm": "RSA",
                "certificate": "",
                "directory_server_id": DIRECTORY.get(brand, "A000000003"),
                "root_certificate_authorities": [],
            },
            "directory_server_name": brand,
            "merchant": call.account,
            "one_click_authn": None,
            "server_transaction_id": f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}",
            "stripe_js": _hosted(call, intent, source),
            "three_d_secure_2_source": source,
            "three_ds_method_url": "",
            "three_ds_optimizations": "kf",
            "type": "stripe_3ds2_fingerprint",
        },
    }


def _hosted(call: Call, intent: JsonObject, source: str) -> str:
    query = urlencode(
        {
            "merchant": call.account,
            intent["object"]: intent["id"],
            f"{intent['object']}_client_secret": intent["client_secret"],
            "publishable_key": call.twin.publishable_key,
            "source": source,
        }
    )
    return sites.page(call.twin, "hooks", f"3d_secure_2/hosted?{query}")


@own_endpoint("POST /v1/3ds2/authenticate", _AUTHENTICATE, browser=True)
def authenticate(call: Call) -> JsonObject:
    """Start the challenge: the twin's issuer always wants one. Answers where its page is."""
    found = _authorisation(call, call.params["source"])
    call.params.ignore("browser")  # what the browser tells of itself changes no test outcome
    intent = call.get(found["kind"], found["intent"])
    return {
        "id": found["id"].replace("payatt_", "threeds2_"),
        "object": "three_d_secure_2",
        "ares": {"transStatus": "C", "acsChallengeMandated": "Y", "messageVersion": "2.2.0"},
        "created": call.now,
        "creq": found["id"],
        "error": None,
        "fallback_redirect_url": _hosted(call, intent, found["id"]),
        "livemode": False,
        "source": found["id"],
        "state": "challenge_required" if found["state"] == "pending" else found["state"],
    }


@own_endpoint("POST /v1/3ds2/challenge_complete", _COMPLETE, browser=True)
def challenge_complete(call: Call) -> JsonObject:
    """End the challenge (or the test page of a redirect): the intent goes on, or wants another method.

    Answers the intent and, when the confirmation gave a return URL, where the browser goes next.
    """
    found = _authorisation(call, call.params["source"])
    intent = call.get(found["kind"], found["intent"])
    if call.params["client_secret"] != intent["client_secret"]:
        raise InvalidRequest(
            f"The client_secret provided does not match any associated {found['kind']} on this account.",
            param="client_secret",
        )
    intent = complete(call, found["id"], succeeded=call.params["outcome"] == "succeeded")
    return {
        "object": "three_d_secure_2_result",
        "intent": intent,
        "redirect_url": return_address(intent, call.params["outcome"] == "succeeded"),
        "state": call.params["outcome"],
    }


def complete(call: Call, source: str, *, succeeded: bool) -> JsonObject:
    """End an authorisation and let its intent go on. Returns the intent.

    Raises:
        InvalidRequest: it ended before, or the intent waits for another one.
    """
    from trialbalance.twin.resources import payment_intents, setup_intents

    found = call.ledger.edit(call.account, KIND, source)
    if found is None:
        raise NotFound("source", source, param="source")
    intent = call.edit(found["kind"], found["intent"])
    if (
        found["state"] != "pending"
        or intent["status"] != "requires_action"
        or intent.get("_source") != source
    ):
        raise InvalidRequest(
            f"This authentication is over: the {found['kind']} has a status of {intent['status']}.",
            param="source",
        )
    found["state"] = "succeeded" if succeeded else "failed"
    if found["kind"] == "payment_intent":
        payment_intents.resume(call, intent, succeeded=succeeded)
    else:
        setup_intents.resume(call, intent, succeeded=succeeded)
    return intent


def failure(kind: str) -> JsonObject:
    """The error of an intent whose authentication failed."""
    code = f"{kind}_authentication_failure"
    return {
        "code": code,
        "doc_url": f"https://stripe.com/docs/error-codes/{code.replace('_', '-')}",
        "message": FAILED,
        "type": "invalid_request_error",
    }


def return_address(intent: JsonObject, succeeded: bool) -> str | None:
    """The return URL with the intent's id, secret and `redirect_status` added to its query.

    Source: https://docs.stripe.com/payments/accept-a-payment#web-submit-payment
    """
    url = intent.get("_return_url")
    if not url:
        return None
    kind = intent["object"]
    parts = urlsplit(url)
    added = urlencode(
        {
            kind: intent["id"],
            f"{kind}_client_secret": intent["client_secret"],
            "redirect_status": "succeeded" if succeeded else "failed",
        }
    )
    query = f"{parts.query}&{added}" if parts.query else added
    return urlunsplit((parts.scheme, parts.netloc, parts.path, query, parts.fragment))


def _authorisation(call: Call, source: str) -> JsonObject:
    found = call.ledger.find(call.account, KIND, source)
    if found is None:
        raise NotFound("source", source, param="source")
    return found
