"""Capabilities: what an account may do once it has told what that asks for.

Source: https://docs.stripe.com/connect/account-capabilities
"""

from __future__ import annotations

from trialbalance.contract import load
from trialbalance.twin.connect.requirements import TRANSFERS
from trialbalance.twin.errors import JsonObject

_TREE = load().endpoints["POST /v1/accounts"].params["hash"]["capabilities"]["hash"]
NAMES: tuple[str, ...] = tuple(sorted(_TREE))
"""Every capability that an account can request."""


def status(name: str, account: JsonObject) -> str:
    """`active`, `inactive`, `pending` or `unrequested`, from the account's requirements as they are."""
    if (account.get("_requested") or {}).get(name) is None:
        return "unrequested"
    if account.get("_rejected") or account.get("_paused"):
        return "inactive"
    if name not in TRANSFERS and account.get("_charges_blocked"):
        return "inactive"
    return "inactive" if held_back(name, account) else "active"


def held_back(name: str, account: JsonObject) -> list[str]:
    """The overdue fields that keep a capability from being active."""
    requirements = account["requirements"]
    only = set(account.get("_payments_only") or ())
    return [field for field in requirements["past_due"] if name not in TRANSFERS or field not in only]


def due(name: str, account: JsonObject, which: str) -> list[str]:
    """Those of an account's requirements that a capability waits for."""
    only = set(account.get("_payments_only") or ())
    fields: list[str] = account["requirements"][which] or []
    return [field for field in fields if name not in TRANSFERS or field not in only]
