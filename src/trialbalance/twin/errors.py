"""What the twin refuses, and how.

    ApiError                      anything that answers an error envelope
    ├── InvalidRequest            400: a parameter or a state is wrong
    │   ├── NotFound              404: no such object
    │   └── UnknownUrl            404: no such endpoint
    ├── CardError                 402: the card network said no; what was written stays written
    ├── AuthenticationError       401: no key, or a wrong one
    ├── PermissionDenied          403: a key that may not
    ├── IdempotencyError          400: one key, two requests
    ├── Conflict                  409: somebody else holds it
    ├── RateLimited               429
    ├── ServerFault               500: only when a fault was asked for
    └── NotBuilt                  501: the contract knows it, the twin has not built it

Raised anywhere in a handler; formatted in one place (`wire.dispatch`).
Source: https://docs.stripe.com/api/errors
"""

from __future__ import annotations

from typing import Any

JsonObject = dict[str, Any]
"""An API object or a parameter hash: JSON data."""

DOC_URL = "https://stripe.com/docs/error-codes/{}"


class ApiError(Exception):
    """An error envelope with its HTTP status. `commit` keeps what the handler wrote."""

    status = 400
    type = "invalid_request_error"
    commit = False
    body: JsonObject | None = None
    """The whole answer, where it is not an `error` hash."""
    logged = True
    """Whether the answer names its page in the Dashboard's log."""

    def __init__(
        self, message: str, *, param: str | None = None, code: str | None = None, **extra: Any
    ) -> None:
        super().__init__(message)
        self.message = message
        self.param = param
        self.code = code
        self.extra = extra
        self.headers: dict[str, str] = {}

    def envelope(self) -> JsonObject:
        """The `error` hash: keys sorted, nulls left out, as the API sends it."""
        error: JsonObject = {"type": self.type, "message": self.message, **self.extra}
        if self.param is not None:
            error["param"] = self.param
        if self.code is not None:
            error["code"] = self.code
            error["doc_url"] = DOC_URL.format(self.code.replace("_", "-"))
        return {name: error[name] for name in sorted(error) if error[name] is not None}


class InvalidRequest(ApiError):
    """400: wrong parameter, wrong value, or wrong state."""


class NotFound(InvalidRequest):
    """404: `No such customer: 'cus_x'`.

    `param` is what the API calls the object of the path (mostly `id`, but `price` for prices) and the
    parameter's path for a reference; a missing reference in parameters answers 400, as the API does.
    `in_path` says that it is the path's object whatever the param's name.
    """

    status = 404

    def __init__(
        self, kind: str, identifier: str, *, param: str | None = "id", in_path: bool = False
    ) -> None:
        name = NAMES.get(kind, kind.rsplit(".", 1)[-1].replace("_", " "))
        super().__init__(f"No such {name}: '{identifier}'", param=param, code="resource_missing")
        if param not in ("id", None) and kind != "payment_method_path" and not in_path:
            self.status = 400


NAMES = {
    "payment_intent": "payment_intent",
    "setup_intent": "setupintent",
    "payment_method": "PaymentMethod",
    "checkout.session": "checkout.session",
    "billing_portal.configuration": "configuration",
    "subscription_item": "subscription_item",
    "subscription_schedule": "subscription_schedule",
    "promotion_code": "promotion code",
    "tax_rate": "tax rate",
    "shipping_rate": "shipping rate",
    "test_helpers.test_clock": "testclock",
    "webhook_endpoint": "webhook endpoint",
    "balance_transaction": "balance transaction",
    "credit_note": "credit note",
    "payment_link": "payment link",
    "invoice_item": "invoice item",
    "invoiceitem": "invoiceitem",
    "billing.meter": "billing meter",
}
"""How messages name a kind of object, where it is not simply the kind."""


class UnknownUrl(InvalidRequest):
    """404: the contract knows no such path. The Dashboard's log has no page for it."""

    status = 404
    logged = False

    def __init__(self, method: str, path: str) -> None:
        super().__init__(
            f"Unrecognized request URL ({method}: {path}). Please see https://stripe.com/docs or we can help at "
            "https://support.stripe.com/."
        )


class CardError(ApiError):
    """402: declined. What the attempt wrote (the failed charge, the intent's error) is kept.

    Source: https://docs.stripe.com/declines/codes
    """

    status = 402
    type = "card_error"
    commit = True


class AuthenticationError(ApiError):
    """401: no key, an unknown key, an expired key."""

    status = 401


class PermissionDenied(ApiError):
    """403: this key may not do this."""

    status = 403


class IdempotencyError(ApiError):
    """400: a key was used again with another request."""

    type = "idempotency_error"


class Conflict(ApiError):
    """409: the key or the object is in use right now."""

    status = 409


class RateLimited(ApiError):
    """429: too many requests.

    Source: https://docs.stripe.com/rate-limits
    """

    status = 429


class ServerFault(ApiError):
    """500: an injected fault; the twin never answers it by itself."""

    status = 500
    type = "api_error"


class NotBuilt(ApiError):
    """501: the contract knows this, the twin has not built it, and says so by name."""

    status = 501
    type = "api_error"

    def __init__(self, what: str, *, param: str | None = None) -> None:
        super().__init__(
            f"The twin has not built {what}. See docs/coverage.md for what is built.",
            code="not_built",
            param=param,
        )
        self.headers = {"Stripe-Should-Retry": "false"}

    def envelope(self) -> JsonObject:
        error = super().envelope()
        error.pop("doc_url", None)
        return error
