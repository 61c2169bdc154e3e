"""The committed contract is what the pinned SDK says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from trialbalance.contract import load
from trialbalance.contract.__main__ import sdk_root
from trialbalance.contract.compile import CompileError, compile_contract
from trialbalance.contract.model import ABSENT, FACTS, PRESENT


def test_recompiling_gives_the_same_bytes() -> None:
    assert compile_contract(sdk_root()) == FACTS.read_text(encoding="utf-8")


def test_every_endpoint_of_the_sdk_is_there() -> None:
    facts = json.loads(FACTS.read_text(encoding="utf-8"))
    assert facts["sdk"] == "16.1.0"
    assert facts["api_version"] == "2026-10-28.endive"
    paths = [e["path"] for e in facts["endpoints"]]
    assert sum(p.startswith("/v1/") for p in paths) == 557
    assert sum(p.startswith("/v2/") for p in paths) == 91


def test_nothing_of_the_sdk_is_imported() -> None:
    code = "import sys, trialbalance.twin, trialbalance.contract.compile as c; assert 'stripe' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("file", [FACTS, ABSENT, PRESENT])
def test_facts_are_sorted_one_a_line(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    assert max(map(len, lines)) < 80_000
    names = [line.split(":")[0] for line in lines if line.startswith('"') and ": " in line and file != FACTS]
    assert names == sorted(names)


def test_types_of_a_known_endpoint() -> None:
    params = load().endpoints["POST /v1/coupons"].params
    assert params["hash"]["percent_off"] == "float"
    assert params["hash"]["currency_options"] == {
        "map": {"hash": {"amount_off": "int"}, "required": ["amount_off"]}
    }
    assert params["hash"]["metadata"] == {"empty": {"map": "str"}}
    assert params["hash"]["duration"] == {"enum": ["forever", "once", "repeating"], "open": True}


def test_routing_prefers_literal_segments() -> None:
    contract = load()
    found = contract.match("GET", "/v1/customers/search").endpoint
    assert found is not None and found.path == "/v1/customers/search"
    nested = contract.match("GET", "/v1/customers/cus_1/sources/card_1")
    assert nested.endpoint is not None and nested.values == {"customer": "cus_1", "id": "card_1"}
    assert contract.match("GET", "/v1/nonsense").endpoint is None
    assert contract.match("PUT", "/v1/customers").methods == ["GET", "POST"]


def test_a_skeleton_is_null_filled_and_leaves_out_what_the_api_leaves_out() -> None:
    customer = load().skeleton("customer")
    assert customer["email"] is None
    assert list(customer)[:2] == ["id", "object"]
    assert not {"sources", "subscriptions", "deleted"} & set(customer)


def test_a_folder_that_is_no_sdk_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="is not the stripe package"):
        compile_contract(tmp_path)
