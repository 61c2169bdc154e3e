"""Why the card network says no: every decline with its codes, its message and what the seller is told.

`generic_decline`, `insufficient_funds` and `expired_card` carry the recorded network codes; the others carry the
network's own meaning of the decline (ISO 8583 response codes).
Source: https://docs.stripe.com/declines/codes and https://docs.stripe.com/error-codes
"""

from __future__ import annotations

from dataclasses import dataclass

from trialbalance.twin.errors import DOC_URL, JsonObject


@dataclass(frozen=True, slots=True)
class Decline:
    """One way to be declined."""

    code: str
    decline_code: str | None
    message: str
    advice_code: str | None = None
    network_decline_code: str | None = None
    network_advice_code: str | None = None
    param: str | None = None
    seller_message: str = ""
    blocked: bool = False
    charged: bool = True
    """Whether the attempt reached a charge: authentication failures do not."""

    def error(self) -> JsonObject:
        """The fields of the error envelope, without the objects it carries."""
        fields: JsonObject = {
            "advice_code": self.advice_code,
            "code": self.code,
            "decline_code": self.decline_code,
            "doc_url": DOC_URL.format(self.code.replace("_", "-")),
            "message": self.message,
            "network_advice_code": self.network_advice_code,
            "network_decline_code": self.network_decline_code,
            "param": self.param,
            "type": "card_error",
        }
        return {name: value for name, value in fields.items() if value is not None}

    @property
    def reason(self) -> str | None:
        """`outcome.reason` of the failed charge."""
        return "highest_risk_level" if self.blocked else self.decline_code or self.code

    @property
    def told(self) -> str:
        """`outcome.seller_message` of the failed charge."""
        return self.seller_message or f"The bank returned the decline code `{self.reason}`."


DECLINED = "Your card was declined."
AGAIN, NEVER, DATA = "try_again_later", "do_not_try_again", "confirm_card_data"

DECLINES: dict[str, Decline] = {
    "generic_decline": Decline(
        "card_declined",
        "generic_decline",
        DECLINED,
        AGAIN,
        "01",
        seller_message="The bank did not return any further details with this decline.",
    ),
    "insufficient_funds": Decline(
        "card_declined", "insufficient_funds", "Your card has insufficient funds.", AGAIN, "51"
    ),
    "lost_card": Decline("card_declined", "lost_card", DECLINED, NEVER, "41"),
    "stolen_card": Decline("card_declined", "stolen_card", DECLINED, NEVER, "43"),
    "expired_card": Decline(
        "expired_card", "expired_card", "Your card has expired.", DATA, "54", "03", param="exp_month"
    ),
    "incorrect_cvc": Decline(
        "incorrect_cvc", "incorrect_cvc", "Your card's security code is incorrect.", DATA, "82", param="cvc"
    ),
    "processing_error": Decline(
        "processing_error",
        "processing_error",
        "An error occurred while processing your card. Try again in a little bit.",
        AGAIN,
        "06",
    ),
    "card_velocity_exceeded": Decline(
        "card_declined",
        "card_velocity_exceeded",
        "Your card was declined for making repeated attempts too frequently or exceeding its amount limit.",
        AGAIN,
        "65",
    ),
    "fraudulent": Decline(
        "card_declined",
        "fraudulent",
        DECLINED,
        NEVER,
        seller_message="Stripe blocked this payment as too risky.",
        blocked=True,
    ),
    "incorrect_number": Decline(
        "incorrect_number", None, "Your card number is incorrect.", param="number", charged=False
    ),
    "test_mode_live_card": Decline(
        "card_declined",
        "test_mode_live_card",
        "Your card was declined. Your request was in test mode, but used a non test card. For a list of valid test "
        "cards, visit: https://stripe.com/docs/testing.",
        charged=False,
    ),
    "authentication_required": Decline(
        "authentication_required",
        "authentication_required",
        "Your card was declined. This transaction requires authentication.",
        charged=False,
    ),
    "card_not_supported": Decline("card_declined", "card_not_supported", "Your card is not supported."),
}
