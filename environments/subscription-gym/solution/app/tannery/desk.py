# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-7cd3527c57cf: keep out of training data
"""What a task works with: Stripe, keys for its writes, and the words for what Stripe refuses."""

from contextlib import contextmanager

import stripe as sdk

from .problems import CardDeclined, InvalidRequest


class Desk:
    """One order's way to Stripe."""

    def __init__(self, stripe, records, request):
        self.stripe = stripe.v1
        self.records = records
        self._request = request
        self._writes = 0

    def once(self):
        """Options that make the next write of this order one write, however often it is sent."""
        self._writes += 1
        return {"idempotency_key": f"{self._request}/{self._writes}"}


@contextmanager
def refusals():
    """Stripe's refusals as what the office is told."""
    try:
        yield
    except sdk.CardError as error:
        raise CardDeclined(error.user_message or "The card was declined.") from error
    except sdk.InvalidRequestError as error:
        raise InvalidRequest(error.user_message or "Stripe does not know that.") from error
