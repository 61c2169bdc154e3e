# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-0f65f1e1df93: keep out of training data
"""What callers are told when something cannot be done: a status and {"error": …}, never Stripe's own words."""

from __future__ import annotations

import stripe


class Refused(Exception):
    """We will not do it; `status` and `body` are the answer."""

    def __init__(self, status: int, error: str, /, **more: object) -> None:
        super().__init__(error)
        self.status = status
        self.body = {"error": error, **more}


def answer_to(problem: stripe.StripeError) -> tuple[dict, int]:
    """The answer when it was Stripe who would not, or could not."""
    if isinstance(problem, stripe.CardError):
        detail = problem.json_body["error"]
        return {
            "error": "declined",
            "reason": detail.get("decline_code") or detail.get("code"),
            "payment": (detail.get("payment_intent") or {}).get("id"),
        }, 402
    if isinstance(problem, stripe.InvalidRequestError):
        if problem.http_status == 404:
            return {"error": "not found"}, 404
        if problem.code == "resource_missing":
            return {"error": "unknown"}, 422
        return {"error": "refused"}, 422
    if isinstance(problem, stripe.APIConnectionError):
        return {"error": "Stripe cannot be reached"}, 503
    return {"error": "Stripe failed"}, 502
