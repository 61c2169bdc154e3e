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

NOT_IN_SCOPE = {
    "issuing": "Issuing is not in scope",
    "treasury": "Treasury is not in scope",
    "terminal": "Terminal is not in scope",
    "climate": "Climate is not in scope",
    "identity": "Identity is not in scope",
    "sigma": "Sigma is not in scope",
    "reporting": "Reporting is not built",
    "financial_connections": "Financial Connections is not built",
    "forwarding": "Forwarding is not built",
    "link_account_sessions": "Financial Connections is not built",
    "linked_accounts": "Financial Connections is not built",
    "apps": "Apps is not built",
    "crypto": "Crypto is not in scope",
}
ALWAYS = frozenset({"expand", "limit", "starting_after", "ending_before", "created"})

READ_BY_CORE = {
    "merge_metadata": frozenset({"metadata"}),
    "search": frozenset({"query", "page"}),
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
    lines += ["", "## Endpoints not built", ""]
    for name in sorted(groups):
        missing = [r.endpoint.name for r in groups[name] if not r.built]
        if missing:
            reason = NOT_IN_SCOPE.get(name.split("/")[0], "not built yet")
            lines.append(f"- {name} ({reason}): " + ", ".join(f"`{m}`" for m in missing))
    lines += ["", "## Parameters refused by name", ""]
    for row in every:
        if row.built and row.refused:
            lines.append(f"- `{row.endpoint.name}`: {', '.join(row.refused)}")
    return "\n".join(lines) + "\n"
