"""The coverage table: what the contract lists, what the twin has built, parameter by parameter.

A parameter counts as honoured when the handler's code, or code it calls in the twin, names it; the dispatcher
refuses every parameter that a handler does not read, so anything else is rejected by name.
"""

from __future__ import annotations

import ast
import inspect
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

from trialbalance.contract.model import Contract, Endpoint
from trialbalance.twin import resources
from trialbalance.twin.wire.call import HANDLERS

REASONS = {
    "apps": "Stripe Apps run inside the Dashboard, which the twin has none of",
    "climate": "Climate is a product of its own and takes no customer's payment",
    "financial_connections": "Financial Connections needs a bank's login page; accounts are verified by micro-deposits "
    "or by the published test accounts instead",
    "forwarding": "Forwarding sends card data to third parties, which the twin may not reach",
    "identity": "Identity checks documents and faces; persons and accounts are verified by the published test values",
    "issuing": "Issuing is a product of its own: cards that an integration gives out, not takes",
    "payment_attempt_records": "Payment Records describe payments that other processors took",
    "payment_records": "Payment Records describe payments that other processors took",
    "product_catalog": "trial offers, new in 2026, are left out; trials are `trial_period_days`, `trial_end` and "
    "`trial_settings`",
    "quotes": "the twin makes no PDF of a quote; the quote itself tells everything that would be in it",
    "radar/payment_evaluations": "payment evaluations score payments that other processors take",
    "reporting": "reports repeat what balance transactions, charges and payouts tell",
    "sigma": "Sigma is a query language over a warehouse; lists and searches tell the same",
    "terminal": "Terminal needs a card reader",
    "test_helpers/issuing": "Issuing is not built",
    "test_helpers/terminal": "Terminal is not built",
    "test_helpers/treasury": "Treasury is not built",
    "three_d_secure": "standalone 3-D Secure serves payments that other processors take; intents authenticate by "
    "themselves",
    "treasury": "Treasury is a product of its own: bank accounts for an integration's users",
    "v2/commerce": "catalogue imports feed shopping agents and change no payment",
    "v2/core/event_destinations": "pinging a destination is left out; `stripe trigger` sends test events",
    "v2/core/vault": "the vault holds bank accounts for outbound payments, which are not built",
    "v2/money_management": "Global Payouts and Treasury are products of their own",
    "v2/test_helpers": "Global Payouts is not built",
}
"""Why endpoints are not built: by the longest path, without its version if that is v1, that they begin with."""
REFUSED = {
    "apple_pay_later": "Apple Pay Later ended in 2024",
    "current_trial": "trial offers are not built",
    "fr_meal_voucher_conecs": "the configuration object has no such type",
}
"""Why parameters are refused by name."""
ALWAYS = frozenset({"expand", "limit", "starting_after", "ending_before", "created"})

READ_BY_CORE = {
    "connect": frozenset({"application_fee_amount", "on_behalf_of", "transfer_data", "transfer_group"}),
    "merge_metadata": frozenset({"metadata"}),
    "search": frozenset({"query", "page"}),
    "search_objects": frozenset({"query", "page"}),
}
"""Functions of the core that read parameters for a handler."""


class Row(NamedTuple):
    """One endpoint's coverage."""

    endpoint: Endpoint
    built: bool
    honoured: list[str]
    refused: list[str]


@cache
def _words(module: Path) -> frozenset[str]:
    """Every string constant of a module, and the parameters that what it calls in the core reads."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    words = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            words |= READ_BY_CORE.get(name, frozenset())
    return frozenset(words)


@cache
def _reachable(module: Path) -> frozenset[str]:
    """String constants of a module and of the twin's modules that it imports directly."""
    words = set(_words(module))
    package = Path(resources.__file__).parents[1]
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("trialbalance.twin."):
            parts = (node.module or "").split(".")[2:]
            for candidate in (
                package.joinpath(*parts).with_suffix(".py"),
                *(package.joinpath(*parts, f"{name.name}.py") for name in node.names),
            ):
                if candidate.is_file() and "wire" not in candidate.parts[-2:-1]:
                    words |= _words(candidate)
    return frozenset(words)


def rows(contract: Contract) -> list[Row]:
    """Coverage of every endpoint of the contract, by path."""
    resources.load()
    found = []
    for endpoint in sorted(contract.endpoints.values(), key=lambda e: (e.path, e.method)):
        handler = HANDLERS.get(endpoint.name)
        names = sorted(endpoint.params.get("hash", {})) if isinstance(endpoint.params, dict) else []
        honoured: list[str] = []
        if handler is not None:
            words = _reachable(Path(inspect.getsourcefile(inspect.unwrap(handler)) or ""))
            honoured = [n for n in names if n in words or n in ALWAYS]
        refused = [n for n in names if n not in honoured] if handler else []
        found.append(Row(endpoint, handler is not None, honoured, refused))
    return found


def resource_of(endpoint: Endpoint) -> str:
    """`checkout/sessions` for `/v1/checkout/sessions/{session}`."""
    parts = [p for p in endpoint.segments[1:] if not p.startswith("{")]
    spaced = {
        "checkout",
        "billing",
        "billing_portal",
        "test_helpers",
        "tax",
        "radar",
        "entitlements",
        "issuing",
        "treasury",
        "terminal",
        "climate",
        "identity",
        "financial_connections",
        "apps",
        "core",
        "reporting",
    }
    return (
        "/".join(parts[:2])
        if parts and parts[0] in spaced and len(parts) > 1
        else (parts[0] if parts else "")
    )


def reason(endpoint: Endpoint) -> str | None:
    """Why an endpoint is not built, when it is not."""
    parts = [*endpoint.segments[1:]] if endpoint.segments[0] == "v1" else [*endpoint.segments]
    for length in range(len(parts), 0, -1):
        found = REASONS.get("/".join(parts[:length]))
        if found is not None:
            return found
    return None


def page(contract: Contract) -> str:
    """`docs/coverage.md`."""
    every = [row for row in rows(contract) if row.endpoint.path.startswith("/v1/")]
    later = [row for row in rows(contract) if row.endpoint.path.startswith("/v2/")]
    lines = [
        "# Coverage",
        "",
        f"Made by `trialbalance twin coverage` from the contract (stripe {contract.sdk}, API {contract.api_version}) "
        "and the handlers. An endpoint that is not built answers 501 with its name; a parameter that is not "
        "honoured is refused by its name.",
        "",
        f"Built: {sum(r.built for r in every)} of {len(every)} endpoints under /v1, "
        f"{sum(r.built for r in later)} of {len(later)} under /v2.",
        "",
        "| resource | endpoints | built | parameters | honoured | refused by name |",
        "|---|---|---|---|---|---|",
    ]
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in every:
        groups[resource_of(row.endpoint)].append(row)
    for name in sorted(groups):
        group = groups[name]
        built = [r for r in group if r.built]
        total = sum(len(r.honoured) + len(r.refused) for r in built)
        honoured = sum(len(r.honoured) for r in built)
        refused = sum(len(r.refused) for r in built)
        lines.append(f"| {name} | {len(group)} | {len(built)} | {total} | {honoured} | {refused} |")
    lines += ["", "## Endpoints not built, and why", ""]
    for version in (every, later):
        lines += _missing(version)
    lines += ["", "## Parameters refused by name", ""]
    for row in every:
        if row.built and row.refused:
            told = [f"{name} ({REFUSED[name]})" if name in REFUSED else name for name in row.refused]
            lines.append(f"- `{row.endpoint.name}`: {', '.join(told)}")
    return "\n".join(lines) + "\n"


def _missing(found: list[Row]) -> list[str]:
    """One line for every reason, with its endpoints."""
    why: dict[str, list[str]] = defaultdict(list)
    for row in found:
        if not row.built:
            why[reason(row.endpoint) or "no reason given"].append(f"`{row.endpoint.name}`")
    return [f"- {told[0].upper()}{told[1:]}: {', '.join(names)}." for told, names in why.items()]
