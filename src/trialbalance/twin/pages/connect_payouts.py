"""Balances and payouts of a connected account, as the embedded components show and manage them.

Source: https://docs.stripe.com/connect/supported-embedded-components/payouts
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.pages.connect_sessions import Opened, asking, opened
from trialbalance.twin.resources import account_state, balance, balance_settings
from trialbalance.twin.wire.call import Call, own_endpoint
from trialbalance.twin.wire.inner import perform

MONEY = ("payouts", "balances")
FEATURES = ("edit_payout_schedule", "instant_payouts", "standard_payouts")
SHOWN = (
    "id", "amount", "arrival_date", "automatic", "created", "currency", "failure_message", "method",
    "statement_descriptor", "status",
)  # fmt: skip
PAGE: Any = {"limit": "int", "starting_after": "str", "ending_before": "str"}


@own_endpoint("GET /v1/embedded/balance", asking(), browser=True)
def totals(call: Call) -> JsonObject:
    """What is available and pending, where payouts go, when, and what may be done."""
    return _balance(opened(call, *MONEY))


@own_endpoint("GET /v1/embedded/payouts", asking(**PAGE), browser=True)
def payouts(call: Call) -> JsonObject:
    """Payouts, newest first."""
    work = opened(call, "payouts", "payouts_list")
    rows = [_row(work.call, found) for found in work.call.ledger.all(work.call.account, "payout")]
    return call.page_of(reversed(rows), url=call.path_name)


@own_endpoint("GET /v1/embedded/payouts/{payout}", asking(), browser=True)
def payout(call: Call) -> JsonObject:
    """One payout with the transactions in it."""
    work = opened(call, "payouts", "payouts_list", "payout_details")
    found = work.call.get("payout", call.path["payout"], param="payout")
    inside: list[JsonObject] = []
    if found["automatic"]:
        listed = perform(work.call, "GET /v1/balance_transactions", {"payout": found["id"], "limit": 100})
        inside = [
            {name: item[name] for name in ("id", "amount", "created", "currency", "fee", "net", "type")}
            for item in listed["data"]
            if item["source"] != found["id"]
        ]
    return {**_row(work.call, found), "transactions": inside}


@own_endpoint(
    "POST /v1/embedded/payouts",
    {
        "hash": {
            **asking()["hash"],
            "amount": "int",
            "currency": "str",
            "method": {"enum": ["standard", "instant"]},
        },
        "required": ["amount", "component", "currency", "method", "session"],
    },
    browser=True,
)
def create(call: Call) -> JsonObject:
    """Pay out now, if the session allows payouts of this kind."""
    method = call.params["method"]
    work = opened(call, *MONEY, feature=f"{method}_payouts")
    given = {"amount": call.params["amount"], "currency": call.params["currency"], "method": method}
    made = perform(work.call, "POST /v1/payouts", given)
    return _row(work.call, made)


@own_endpoint(
    "POST /v1/embedded/payout_schedule",
    asking(
        interval={"enum": ["daily", "manual", "monthly", "weekly"]},
        monthly_payout_days={"array": "int"},
        weekly_payout_days={"array": "str"},
    ),
    browser=True,
)
def schedule(call: Call) -> JsonObject:
    """Say when the balance is paid out, if the session allows it."""
    work = opened(call, *MONEY, feature="edit_payout_schedule")
    given = {
        name: value
        for name in ("interval", "monthly_payout_days", "weekly_payout_days")
        if (value := call.params.plain(name)) is not None
    }
    perform(work.call, "POST /v1/balance_settings", {"payments": {"payouts": {"schedule": given}}})
    return _balance(work)


def _balance(work: Opened) -> JsonObject:
    call = work.call
    shown = balance.render(call)
    account = account_state.get(call.on(call.twin.account), call.account)
    settings = balance_settings.render(call)["payments"]["payouts"]
    able = bool(account["payouts_enabled"])
    rows = []
    for available, pending in zip(shown["available"], shown["pending"], strict=True):
        external = account_state.default_external(call, call.account, available["currency"])
        instant = bool(external and "instant" in (external.get("available_payout_methods") or ()))
        rows.append(
            {
                "available": available["amount"],
                "currency": available["currency"],
                "external": _external(external),
                "instant": instant,
                "pending": pending["amount"],
            }
        )
    return {
        "object": "embedded.balance",
        "allowed": {name: able and bool(work.features.get(name)) for name in FEATURES},
        "balances": rows,
        "payouts_enabled": able,
        "schedule": settings["schedule"],
    }


def _external(found: JsonObject | None) -> JsonObject | None:
    if found is None:
        return None
    return {"name": found.get("bank_name") or found.get("brand"), "last4": found["last4"]}


def _row(call: Call, found: JsonObject) -> JsonObject:
    there = None
    for kind in ("bank_account", "card"):
        there = there or call.find(kind, found["destination"])
    return {
        "object": "embedded.payout",
        **{name: found[name] for name in SHOWN},
        "destination": _external(there),
    }
