"""Balance settings: when and how much of an account's balance is paid out.

A connected account's schedule is also in its `settings.payouts`; the platform's is kept beside its account.
Source: https://docs.stripe.com/api/balance-settings
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from trialbalance.twin.connect import fields
from trialbalance.twin.connect.countries import facts
from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.ledger.store import copy_json
from trialbalance.twin.resources import account_state
from trialbalance.twin.wire.call import Call, endpoint

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
OWN = "_platform"


@endpoint("GET /v1/balance_settings")
def retrieve(call: Call) -> JsonObject:
    """The settings now."""
    return render(call)


@endpoint("POST /v1/balance_settings")
def update(call: Call) -> JsonObject:
    """Change what was sent."""
    payments: Any = call.params.get("payments")
    if not payments:
        return render(call)
    before = render(call)
    payouts: Any = payments.get("payouts") or {}
    if dict.get(payouts, "automatic_transfer_rules_by_currency"):
        call.unsupported("payments")
    stored = _edit(call)
    if "debit_negative_balances" in payments:
        stored["payouts"]["debit_negative_balances"] = payments["debit_negative_balances"]
    if payouts:
        if payouts.get("schedule"):
            stored["payouts"]["schedule"] = _schedule(
                payouts.plain("schedule"), stored["payouts"]["schedule"], call
            )
        if "statement_descriptor" in payouts:
            stored["payouts"]["statement_descriptor"] = payouts["statement_descriptor"] or None
        if "minimum_balance_by_currency" in payouts:
            given = payouts.plain("minimum_balance_by_currency") or {}
            kept = {**(stored.get("_minimum") or {}), **given}
            stored["_minimum"] = {name: int(value) for name, value in kept.items() if value not in ("", None)}
    timing: Any = payments.get("settlement_timing")
    if timing is not None:
        if timing.get("start_of_day"):
            call.unsupported("payments")
        if "delay_days_override" in timing:
            _delay(call, stored, timing["delay_days_override"])
    _save(call, stored)
    shown = render(call)
    call.emit("balance_settings.updated", shown, previous={"payments": before["payments"]})
    from trialbalance.twin.resources import payouts as sending

    sending.plan(call)
    return shown


def render(call: Call) -> JsonObject:
    """The `balance_settings` object."""
    stored = _find(call)
    payouts, schedule = stored["payouts"], stored["payouts"]["schedule"]
    shown: JsonObject = {"interval": schedule["interval"]}
    if schedule["interval"] == "weekly":
        days = schedule.get("weekly_payout_days") or [schedule.get("weekly_anchor")]
        shown["weekly_payout_days"] = days
    if schedule["interval"] == "monthly":
        days = schedule.get("monthly_payout_days") or [schedule.get("monthly_anchor")]
        shown["monthly_payout_days"] = days
    account = call.ledger.find(call.twin.account, "account", call.account)
    enabled = account is None or bool(account["payouts_enabled"])
    timing: JsonObject = {"delay_days": schedule["delay_days"]}
    if stored.get("_override") is not None:
        timing["delay_days_override"] = stored["_override"]
    return {
        "object": "balance_settings",
        "payments": {
            "debit_negative_balances": payouts["debit_negative_balances"],
            "payouts": {
                "minimum_balance_by_currency": stored.get("_minimum") or None,
                "schedule": shown,
                "statement_descriptor": payouts["statement_descriptor"],
                "status": "enabled" if enabled else "disabled",
            },
            "settlement_timing": timing,
        },
    }


def schedule_of(call: Call) -> JsonObject:
    """The payout schedule of the account."""
    schedule: JsonObject = _find(call)["payouts"]["schedule"]
    return schedule


def minimum_of(call: Call, currency: str) -> int:
    """What of the balance in a currency is not paid out automatically."""
    return int((_find(call).get("_minimum") or {}).get(currency, 0))


def descriptor_of(call: Call) -> str | None:
    """What automatic payouts say on the bank statement."""
    text: str | None = _find(call)["payouts"]["statement_descriptor"]
    return text


def is_payday(schedule: JsonObject, now: int) -> bool:
    """Whether the schedule pays out on the (UTC) day of `now`.

    Source: https://docs.stripe.com/connect/manage-payout-schedule
    """
    today = datetime.fromtimestamp(now, UTC)
    if schedule["interval"] == "daily":
        return today.weekday() < 5
    if schedule["interval"] == "weekly":
        days = schedule.get("weekly_payout_days") or [schedule.get("weekly_anchor")]
        return WEEKDAYS[today.weekday()] in days
    if schedule["interval"] == "monthly":
        days = schedule.get("monthly_payout_days") or [schedule.get("monthly_anchor")]
        tomorrow = datetime.fromtimestamp(now + 24 * 3600, UTC)
        last = tomorrow.month != today.month
        return today.day in days or (last and any(day > today.day for day in days))
    return False


def _find(call: Call) -> JsonObject:
    """Where an account's settings are: `payouts`, `_minimum`, `_override`."""
    account = call.ledger.find(call.twin.account, "account", call.account)
    if account is not None:
        return {
            "payouts": account["settings"]["payouts"],
            "_minimum": account.get("_minimum"),
            "_override": account.get("_override"),
        }
    own = call.find(OWN, call.twin.account) or {}
    return own.get("settings") or _default(call)


def _default(call: Call) -> JsonObject:
    payouts = fields.settings(facts(call.twin.config.country).delay)["payouts"]
    payouts["schedule"] |= {"interval": "manual", "delay_days": 7}
    return {"payouts": payouts, "_minimum": None, "_override": None}


def _edit(call: Call) -> JsonObject:
    copied: JsonObject = copy_json(_find(call))
    return copied


def _save(call: Call, stored: JsonObject) -> None:
    account = call.ledger.edit(call.twin.account, "account", call.account)
    if account is not None:
        account["settings"]["payouts"] = stored["payouts"]
        account["_minimum"], account["_override"] = stored["_minimum"], stored["_override"]
        account_state.changed(call, account)
        return
    own = call.ledger.edit(call.account, OWN, call.twin.account)
    assert own is not None
    own["settings"] = stored


def _schedule(given: JsonObject, old: JsonObject, call: Call) -> JsonObject:
    interval = given.get("interval") or old["interval"]
    fresh: JsonObject = {"delay_days": old["delay_days"], "interval": interval}
    name = {"weekly": "weekly_payout_days", "monthly": "monthly_payout_days"}.get(interval)
    for other in ("weekly_payout_days", "monthly_payout_days"):
        if given.get(other) and other != name:
            raise InvalidRequest(
                f"You cannot set `{other}` for a payout schedule whose interval is {interval}.",
                param=f"payments[payouts][schedule][{other}]",
            )
    if name is not None:
        days = given.get(name) or old.get(name)
        if not days:
            raise InvalidRequest(
                f"A {interval} payout schedule needs `{name}`.", param=f"payments[payouts][schedule][{name}]"
            )
        fresh[name] = days
    return fields.ordered(fresh)


def _delay(call: Call, stored: JsonObject, override: object) -> None:
    account = call.ledger.find(call.twin.account, "account", call.account)
    least = facts(account["country"]).delay if account is not None else 7
    if override in ("", None):
        stored["_override"] = None
        stored["payouts"]["schedule"]["delay_days"] = least
        return
    days = int(str(override))
    if not least <= days <= 31:
        raise InvalidRequest(
            f"The delay_days_override must be between {least} and 31.",
            param="payments[settlement_timing][delay_days_override]",
        )
    stored["_override"] = days
    stored["payouts"]["schedule"]["delay_days"] = days
