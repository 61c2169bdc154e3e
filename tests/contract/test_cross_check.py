"""The contract against Stripe's published API description of 2026-08-26.dahlia, an independent source.

The description is not part of this repository: the test reads it from ../shared/facts beside the checkout and says
so when it is not there. Every disagreement must be explained here by a reason that can be looked up.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from trialbalance.contract import load
from trialbalance.contract.model import FACTS

FILE = Path(__file__).parents[3] / "shared" / "facts" / "stripe-openapi-2026-08-26.dahlia.json.gz"

pytestmark = pytest.mark.skipif(not FILE.exists(), reason=f"the published API description is not at {FILE}")

ADDED_SINCE = {
    "/v1/apps/installs": "2026-09-30.endive: installs of apps",
    "/v1/product_catalog/trial_offers": "2026-09-30.endive: trial offers",
    "/v1/tax/locations": "2026-09-30.endive: tax locations",
    "/v1/three_d_secure/authentications": "2026-10-28.endive: standalone 3-D Secure",
    "/v1/subscriptions/{}/pause": "2026-09-30.endive: pausing subscriptions",
}
OLDER_PATHS = re.compile(
    r"^/v1/("
    r"accounts/\{\}/(bank_accounts|people)|balance/history|charges/\{\}/(dispute|refund)|external_accounts|"
    r"customers/\{\}/(bank_accounts|cards|discount|subscriptions)|application_fees/\{\}/refund$|"
    r"link_account_sessions|linked_accounts|sources/\{\}/(mandate_notifications|source_transactions)|"
    r"issuing/settlements|test_helpers/issuing/settlements|terminal/refunds|sigma/saved_queries)"
)
"""Paths that the API still answers but that no current SDK calls: older spellings of the same resources."""


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress(FILE.read_bytes()))
    return found


def bare(path: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", path)


def ours() -> dict[tuple[str, str], Any]:
    facts = json.loads(FACTS.read_text(encoding="utf-8"))
    return {(e["method"], bare(e["path"])): e for e in facts["endpoints"] if e["path"].startswith("/v1/")}


def theirs(description: dict[str, Any]) -> dict[tuple[str, str], Any]:
    return {
        (method.upper(), bare(path)): operation
        for path, operations in description["paths"].items()
        for method, operation in operations.items()
        if path.startswith("/v1/")
    }


def test_endpoints_agree(description: dict[str, Any]) -> None:
    mine, other = ours(), theirs(description)
    unexplained = [k for k in mine.keys() - other.keys() if not any(k[1].startswith(p) for p in ADDED_SINCE)]
    assert unexplained == []
    missing = [k for k in other.keys() - mine.keys() if not OLDER_PATHS.match(k[1])]
    assert missing == []


def schema_of(operation: dict[str, Any]) -> dict[str, Any]:
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema: dict[str, Any] = content["schema"]
        return schema
    properties = {p["name"]: p["schema"] for p in operation.get("parameters", []) if p["in"] == "query"}
    required = [
        p["name"] for p in operation.get("parameters", []) if p["in"] == "query" and p.get("required")
    ]
    return {"properties": properties, "required": required}


def disagreements(mine: Any, schema: dict[str, Any], path: str) -> Iterator[str]:
    """Parameters one side has and the other has not, with their required marks, at every depth."""
    while isinstance(mine, dict) and "empty" in mine:
        mine = mine["empty"]
    branches = schema.get("anyOf") or [schema]
    for branch in branches:
        properties = branch.get("properties")
        if properties is None and branch.get("type") == "array":
            items = branch["items"]
            array = next((b for b in _branches(mine) if isinstance(b, dict) and "array" in b), None)
            if array is not None and (items.get("properties") or items.get("anyOf")):
                yield from disagreements(array["array"], items, f"{path}[]")
            continue
        if properties is None:
            continue
        hashes = [b for b in _branches(mine) if isinstance(b, dict) and "hash" in b]
        if not hashes:
            yield f"{path}: a hash in the description, {str(mine)[:40]} in the SDK"
            continue
        known = {name: node for item in hashes for name, node in item["hash"].items()}
        for name, child in properties.items():
            if name not in known:
                yield f"{path}[{name}] only in the description"
            else:
                yield from disagreements(known[name], child, f"{path}[{name}]")
        required = set().union(*(item.get("required", []) for item in hashes))
        for name in set(branch.get("required", [])) - required:
            if len(branches) == 1:
                yield f"{path}[{name}] required only in the description"


def _branches(node: Any) -> list[Any]:
    if isinstance(node, dict) and "union" in node:
        return [leaf for item in node["union"] for leaf in _branches(item)]
    if isinstance(node, dict) and "empty" in node:
        return _branches(node["empty"])
    return [node]


EXPLAINED = {
    r"\[payment_method_types\] only": "2026-09-30.endive removes the parameter (wire/versions/payment_method_types.py)",
    r"\[igic\] only": "changelog/endive/2026-09-30/removes-igic-tax-registration-type-from-non-spain-eu-countries",
    r"\[payto\] only": "in the description of August, not in the SDK of October; no changelog page found",
    r"\[filters\]\[countries\] only": "in the description of August, not in the SDK of October; no changelog page found",
    r"\[missing_payment_method\] required": "the SDK marks it optional, the description required; no changelog page found",
    r"\[customer_acceptance\]\[online\](\[\w+\])? required": "a browser's variant of mandate_data: the SDK has the server's",
    r"\[client_secret\] only": "what a browser sends with a publishable key; SDKs are for servers",
    r"\[(card|bank_account|alipay_account|default_\w+)\] only": "sources-era spellings that no current SDK sends",
}
"""Why the two sources differ, by the disagreement's words."""


def test_parameters_agree(description: dict[str, Any]) -> None:
    mine, other = ours(), theirs(description)
    found = []
    for key in sorted(mine.keys() & other.keys()):
        for problem in disagreements(mine[key]["params"], schema_of(other[key]), ""):
            if not any(re.search(pattern, problem) for pattern in EXPLAINED):
                found.append(f"{key[0]} {key[1]}: {problem}")
    assert found == []


def test_object_fields_agree(description: dict[str, Any]) -> None:
    found = []
    for name, schema in description["components"]["schemas"].items():
        kind = (schema.get("properties", {}).get("object", {}).get("enum") or [None])[0]
        if kind is None or name.startswith("deleted_") or kind not in load().objects:
            continue
        if name.replace(".", "_") != kind.replace(".", "_"):
            continue
        for field in schema["properties"].keys() - load().objects[kind].keys():
            found.append(f"{kind}.{field}")
    assert found == []
