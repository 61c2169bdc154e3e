"""Credit grants, their transactions and the balance they make.

Source: https://docs.stripe.com/api/billing/credit-grant
"""

from __future__ import annotations

from trialbalance.twin import currencies
from trialbalance.twin.billing import credits
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.wire.call import Call, endpoint

KIND = credits.KIND
LIMIT = 100
"""So many unused grants a customer can have."""


@endpoint("POST /v1/billing/credit_grants")
def create(call: Call) -> JsonObject:
    """Give a customer credits."""
    params = call.params
    given = params.get("customer") or params.get("customer_account")
    if not given:
        raise InvalidRequest("Missing required param: customer.", param="customer", code="parameter_missing")
    customer = call.get("customer", given, param="customer")
    amount = params.plain("amount")
    money = amount.get("monetary")
    if not money:
        raise InvalidRequest(
            "Missing required param: amount[monetary].", param="amount[monetary]", code="parameter_missing"
        )
    if money["value"] <= 0:
        raise InvalidRequest(
            "This value must be greater than or equal to 1.", param="amount[monetary][value]"
        )
    currency = currencies.check_currency(money["currency"])
    now = call.now_of(customer)
    effective, expires = params.get("effective_at"), params.get("expires_at")
    effective = now if effective is None else effective
    if expires is not None and expires <= max(now, effective):
        raise InvalidRequest("`expires_at` must be after `effective_at` and now.", param="expires_at")
    alive = [g for g in credits.of(call, customer["id"]) if g["_left"] > 0]
    if len(alive) >= LIMIT:
        raise InvalidRequest(f"A customer can have at most {LIMIT} unused credit grants.", param="customer")
    priority = params.get("priority", 50)
    if not 0 <= priority <= 100:
        raise InvalidRequest("The priority must be between 0 and 100.", param="priority")
    grant = call.new(
        KIND,
        "credgr_test",
        amount=credits.monetary(money["value"], currency),
        applicability_config={"scope": _scope(call)},
        category=params.get("category", "paid"),
        created=now,
        customer=customer["id"],
        effective_at=effective,
        expires_at=expires,
        name=params.get("name"),
        priority=priority,
        test_clock=customer["test_clock"],
        updated=now,
    )
    grant["_left"] = money["value"]
    call.merge_metadata(grant)
    call.insert(grant)
    call.emit("billing.credit_grant.created", grant)
    credits.record(
        call,
        grant,
        kind="credit",
        now=now,
        amount=credits.monetary(money["value"], currency),
        credits_application_invoice_voided=None,
        type="credits_granted",
    )
    _watch(call, grant)
    return grant


def _scope(call: Call) -> JsonObject:
    scope = call.params.plain("applicability_config")["scope"]
    prices = scope.get("prices")
    if prices and scope.get("price_type"):
        raise InvalidRequest(
            "You may only specify one of these parameters: price_type, prices.",
            param="applicability_config[scope][prices]",
        )
    if prices:
        for position, entry in enumerate(prices):
            where = f"applicability_config[scope][prices][{position}][id]"
            price = call.get("price", entry["id"], param=where)
            if price["recurring"] is None or price["recurring"]["usage_type"] != "metered":
                raise InvalidRequest("Credits apply to metered prices only.", param=where)
        return {"prices": [{"id": entry["id"]} for entry in prices]}
    if not scope.get("price_type"):
        raise InvalidRequest(
            "You must specify `price_type` or `prices`.", param="applicability_config[scope]"
        )
    return {"price_type": scope["price_type"]}


def _watch(call: Call, grant: JsonObject) -> None:
    if grant["expires_at"] is not None:
        call.schedule(
            grant["expires_at"],
            "credit_grant.expire",
            grant["id"],
            timeline=call.clock_of(grant),
            expires=grant["expires_at"],
        )


@endpoint("GET /v1/billing/credit_grants/{id}")
def retrieve(call: Call) -> JsonObject:
    """One grant."""
    return call.get(KIND, call.path["id"])


@endpoint("POST /v1/billing/credit_grants/{id}")
def update(call: Call) -> JsonObject:
    """Change metadata and expiry."""
    grant = _running(call)
    if "expires_at" in call.params:
        expires = call.params["expires_at"] or None
        if expires is not None and expires <= call.now_of(grant):
            raise InvalidRequest("`expires_at` must be in the future.", param="expires_at")
        grant["expires_at"] = expires
        _watch(call, grant)
    call.merge_metadata(grant)
    grant["updated"] = call.now_of(grant)
    call.emit("billing.credit_grant.updated", grant)
    return grant


def _running(call: Call) -> JsonObject:
    grant = call.edit(KIND, call.path["id"])
    if grant["voided_at"] is not None:
        raise InvalidRequest("This credit grant is voided.")
    if grant["expires_at"] is not None and grant["expires_at"] <= call.now_of(grant):
        raise InvalidRequest("This credit grant has expired.")
    return grant


@endpoint("POST /v1/billing/credit_grants/{id}/expire")
def expire(call: Call) -> JsonObject:
    """Let what is left of a grant expire now."""
    grant = _running(call)
    now = call.now_of(grant)
    grant["expires_at"] = grant["updated"] = now
    credits.expire(call, grant, now)
    call.emit("billing.credit_grant.updated", grant)
    return grant


@endpoint("POST /v1/billing/credit_grants/{id}/void")
def void(call: Call) -> JsonObject:
    """Take back a grant that was never used."""
    grant = _running(call)
    value = grant["amount"]["monetary"]["value"]
    if grant["_left"] != value:
        raise InvalidRequest("A credit grant that was used in part cannot be voided; let it expire instead.")
    now = call.now_of(grant)
    grant["voided_at"] = grant["updated"] = now
    grant["_left"] = 0
    credits.record(
        call,
        grant,
        kind="debit",
        now=now,
        amount=credits.monetary(value, credits.currency_of(grant)),
        credits_applied=None,
        type="credits_voided",
    )
    call.emit("billing.credit_grant.updated", grant)
    return grant


@endpoint("GET /v1/billing/credit_grants")
def list_(call: Call) -> JsonObject:
    """Grants, newest first."""
    return call.list(
        KIND, where={"customer": call.params.get("customer") or call.params.get("customer_account")}
    )


@endpoint("GET /v1/billing/credit_balance_transactions")
def list_transactions(call: Call) -> JsonObject:
    """What added to and took from a customer's credits, newest first."""
    customer = call.params.get("customer") or call.params.get("customer_account")
    grant = call.params.get("credit_grant")
    return call.list(
        credits.TRANSACTION,
        keep=lambda entry: customer in (None, entry["_customer"]) and grant in (None, entry["credit_grant"]),
    )


@endpoint("GET /v1/billing/credit_balance_transactions/{id}")
def retrieve_transaction(call: Call) -> JsonObject:
    """One transaction."""
    return call.get(credits.TRANSACTION, call.path["id"])


@endpoint("GET /v1/billing/credit_balance_summary")
def summary(call: Call) -> JsonObject:
    """What a customer's credits come to, by currency: what may be used now, and all of it.

    Source: https://docs.stripe.com/api/billing/credit-balance-summary
    """
    params = call.params
    given = params.get("customer") or params.get("customer_account")
    if not given:
        raise InvalidRequest("Missing required param: customer.", param="customer", code="parameter_missing")
    customer = call.get("customer", given, param="customer")
    now = call.now_of(customer)
    wanted = [grant for grant in credits.of(call, customer["id"]) if _chosen(grant, params.plain("filter"))]
    balances: dict[str, list[int]] = {}
    for grant in wanted:
        entry = balances.setdefault(credits.currency_of(grant), [0, 0])
        entry[1] += grant["_left"]
        if credits.usable(grant, now):
            entry[0] += grant["_left"]
    return {
        "object": "billing.credit_balance_summary",
        "balances": [
            {
                "available_balance": credits.monetary(available, currency),
                "ledger_balance": credits.monetary(left, currency),
            }
            for currency, (available, left) in balances.items()
        ],
        "customer": customer["id"],
        "customer_account": None,
        "livemode": False,
    }


def _chosen(grant: JsonObject, wish: JsonObject) -> bool:
    if wish["type"] == "credit_grant":
        return bool(grant["id"] == wish.get("credit_grant"))
    prices = (wish.get("applicability_scope") or {}).get("prices")
    if not prices:
        return True
    return any(credits.covers(grant, entry["id"]) for entry in prices)
