"""What the Dashboard's billing settings say: when drafts finalize, when failed payments are tried again, what then.

The API cannot change them; the control plane's `POST /dashboard` can.

Source: https://docs.stripe.com/billing/revenue-recovery/smart-retries
Source: https://docs.stripe.com/billing/subscriptions/settings
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from trialbalance.twin.billing.calendar import DAY
from trialbalance.twin.wire.call import Call

HOUR = 3600


@dataclass(frozen=True, slots=True)
class BillingSettings:
    """Settings of one account.

    Attributes:
        finalize_after: seconds a renewal's draft waits before it is finalized.
        retry_days: days after the first failure at which a payment is tried again.
        after_retries: what becomes of a subscription when all tries failed: cancel, unpaid or past_due.
        upcoming_days: days before a renewal at which `invoice.upcoming` is sent.
        trial_days: days before a trial ends at which `customer.subscription.trial_will_end` is sent.
        incomplete_hours: hours in which the first payment of a subscription must succeed.
    """

    finalize_after: int = HOUR
    retry_days: tuple[int, ...] = (3, 8, 15)
    after_retries: str = "cancel"
    upcoming_days: int = 7
    trial_days: int = 3
    incomplete_hours: int = 23

    def retry_at(self, first_failure: int, attempts: int) -> int | None:
        """When the next try is due after `attempts` tries, counted from the first failure; None when there is none."""
        if attempts < 1 or attempts > len(self.retry_days):
            return None
        return first_failure + self.retry_days[attempts - 1] * DAY


DEFAULT = BillingSettings()
NAMES = tuple(field.name for field in fields(BillingSettings))
KIND = "billing_settings"


def settings(call: Call) -> BillingSettings:
    """The settings of the call's account."""
    stored = call.find(KIND, "default")
    if stored is None:
        return DEFAULT
    given = {name: value for name, value in stored.items() if name in NAMES}
    if "retry_days" in given:
        given["retry_days"] = tuple(given["retry_days"])
    return BillingSettings(**given)
