"""One endpoint used by another inside the same transaction.

Checkout makes customers, payment intents and subscriptions exactly as a client would: through their endpoints.
What is refused there is refused here; what is written is rolled back or kept together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trialbalance.contract import load
from trialbalance.twin.errors import JsonObject, NotBuilt
from trialbalance.twin.wire.validate import validate

if TYPE_CHECKING:
    from trialbalance.twin.wire.call import Call


def perform(call: Call, name: str, params: dict[str, Any] | None = None, **path: str) -> JsonObject:
    """Run the handler of endpoint `name` with JSON `params` (newest API version) and return its object.

    Keys of `params` that are None are left out. The handler works on the same account, transaction,
    request and timeline; its events join the caller's.

    Raises:
        ApiError: whatever the endpoint refuses.
    """
    from trialbalance.twin.wire.call import HANDLERS, Call

    endpoint = load().endpoints[name]
    handler = HANDLERS.get(name)
    if handler is None:
        raise NotBuilt(name)
    raw = {key: value for key, value in (params or {}).items() if value is not None}
    inner = Call(
        call.twin,
        call.account,
        endpoint=endpoint,
        path=path,
        params=validate(endpoint, raw, call.twin.versions.accepted(None, name)),
        version=load().api_version,
        api_key=None,
        request_id=call.request_id,
        idempotency_key=call.idempotency_key,
        source=call.source,
        timeline=call.timeline,
    )
    inner.events = call.events
    result = handler(inner)
    inner.params.ignore("expand")
    ignored = inner.params.unread()
    if ignored is not None:
        raise NotBuilt(f"the parameter '{ignored}' of {name}", param=ignored)
    return result
