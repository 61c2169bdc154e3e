"""Exchange rates: the twin's own fixed table, in the deprecated resource that showed Stripe's.

Source: https://docs.stripe.com/api/exchange_rates
"""

from __future__ import annotations

from functools import lru_cache

from trialbalance.twin import currencies
from trialbalance.twin.errors import JsonObject, NotFound
from trialbalance.twin.wire.call import Call, endpoint


@endpoint("GET /v1/exchange_rates")
def list_(call: Call) -> JsonObject:
    """Rates from every currency that charges can be in."""
    return call.page_of((rates(code) for code in sorted(currencies.SUPPORTED)), url=call.path_name)


@endpoint("GET /v1/exchange_rates/{rate_id}")
def retrieve(call: Call) -> JsonObject:
    """Rates from one currency."""
    code = call.path["rate_id"].lower()
    if code not in currencies.SUPPORTED:
        raise NotFound("exchange_rate", call.path["rate_id"], param="rate_id", in_path=True)
    return rates(code)


@lru_cache
def rates(code: str) -> JsonObject:
    """The `exchange_rate` of a currency: what one unit of it is worth in the others."""
    return {
        "id": code,
        "object": "exchange_rate",
        "rates": {other: float(currencies.rate(code, other)) for other in sorted(currencies.PER_DOLLAR)},
    }
