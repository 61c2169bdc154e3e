"""The end of a membership."""

from ..inputs import text
from ..problems import InvalidRequest
from .joining import period_end


def leave(desk, asked):
    """`{subscription, when}`: now, or at the date on which the period ends."""
    found = desk.stripe.subscriptions.retrieve(text(asked, "subscription"))
    when = text(asked, "when")
    if when == "now":
        ended = desk.stripe.subscriptions.cancel(found.id, {}, desk.once())
        return {"subscription": ended.id, "status": ended.status, "ends_at": ended.canceled_at}
    if when == "period_end":
        date = {"cancel_at": period_end(found), "proration_behavior": "none"}
        ending = desk.stripe.subscriptions.update(found.id, date, desk.once())
        return {"subscription": ending.id, "status": ending.status, "ends_at": ending.cancel_at}
    raise InvalidRequest("when must be now or period_end.")
