# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-57d12f5bd88f: keep out of training data
"""Pauses: periods that nobody pays for."""

from ..inputs import optional, text, whole
from .joining import period_end


def pause(desk, asked):
    """`{subscription, until}`: invoices are void until a moment, or until the pause is ended."""
    until = optional(lambda asked, name: whole(asked, name, 0), asked, "until")
    collection = {"behavior": "void"} if until is None else {"behavior": "void", "resumes_at": until}
    paused = desk.stripe.subscriptions.update(
        text(asked, "subscription"), {"pause_collection": collection}, desk.once()
    )
    return {
        "subscription": paused.id,
        "status": paused.status,
        "until": paused.pause_collection.resumes_at,
    }


def resume(desk, asked):
    """`{subscription}`: the pause ends now."""
    going = desk.stripe.subscriptions.update(
        text(asked, "subscription"), {"pause_collection": ""}, desk.once()
    )
    return {"subscription": going.id, "status": going.status, "next_payment": period_end(going)}
