"""Reviews: payments of elevated risk that somebody should look at.

Radar opens one for every paid charge of elevated risk; approving it or refunding the charge closes it.
Source: https://docs.stripe.com/api/radar/reviews and https://docs.stripe.com/radar/reviews
"""

from __future__ import annotations

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, endpoint, reacts

KIND = "review"
RULE = "manual_review_if_elevated_risk"


@endpoint("GET /v1/reviews/{review}")
def retrieve(call: Call) -> JsonObject:
    """One review."""
    return call.get(KIND, call.path["review"], param="review")


@endpoint("GET /v1/reviews")
def list_(call: Call) -> JsonObject:
    """Open reviews, newest first."""
    return call.list(KIND, where={"open": True})


@endpoint("POST /v1/reviews/{review}/approve")
def approve(call: Call) -> JsonObject:
    """Approve the payment, which closes its review."""
    review = call.edit(KIND, call.path["review"], param="review")
    if not review["open"]:
        raise InvalidRequest(f"Review {review['id']} is already closed.")
    return close(call, review, "approved")


def open_for(call: Call, charge: JsonObject, intent: JsonObject | None) -> JsonObject:
    """Open a review of an edited charge."""
    address = charge["billing_details"]["address"] or {}
    review = call.new(
        KIND,
        "prv",
        billing_zip=address.get("postal_code"),
        charge=charge["id"],
        open=True,
        opened_reason="rule",
        reason="rule",
    )
    if intent is not None and intent.get("id"):
        review["payment_intent"] = intent["id"]
        intent["review"] = review["id"]
    charge["review"] = review["id"]
    call.insert(review)
    call.emit("review.opened", review)
    return review


def close(call: Call, review: JsonObject, reason: str) -> JsonObject:
    """Close an edited review; charge and intent are under review no more."""
    review["open"] = False
    review["reason"] = reason
    review["closed_reason"] = reason
    for kind, field in (("charge", "charge"), ("payment_intent", "payment_intent")):
        found = call.ledger.edit(call.account, kind, review.get(field) or "")
        if found is not None:
            found["review"] = None
    call.emit("review.closed", review)
    return review


@reacts("charge.refunded")
def _refunded(call: Call, charge: JsonObject) -> None:
    if charge["review"]:
        fraud = any(
            refund["reason"] == "fraudulent"
            for refund in call.ledger.all(call.account, "refund", charge=charge["id"])
        )
        close(call, call.edit(KIND, charge["review"]), "refunded_as_fraud" if fraud else "refunded")


@reacts("charge.dispute.created")
def _disputed(call: Call, dispute: JsonObject) -> None:
    charge = call.find("charge", dispute["charge"])
    if charge is not None and charge["review"]:
        close(call, call.edit(KIND, charge["review"]), "disputed")
