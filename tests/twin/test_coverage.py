"""docs/coverage.md is made from the contract and the handlers, and kept fresh by this test."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from trialbalance.contract import load
from trialbalance.twin.commands import twin as commands
from trialbalance.twin.coverage import REFUSED, page, reason, rows

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(load()), (
        "run `trialbalance twin coverage --write docs/coverage.md`"
    )


def test_check_says_when_a_page_is_stale(tmp_path: Path) -> None:
    stale = tmp_path / "coverage.md"
    stale.write_text("old")
    answer = CliRunner().invoke(commands, ["coverage", "--check", str(stale)])
    assert answer.exit_code == 2 and "is stale; run" in answer.output


def test_every_parameter_of_a_built_endpoint_is_honoured_or_refused() -> None:
    for row in rows(load()):
        names = set(row.endpoint.params.get("hash", {}))
        if row.built:
            assert {*row.honoured, *row.refused} == names
        else:
            assert row.honoured == row.refused == []


def test_what_is_not_built_has_a_reason() -> None:
    missing = [row.endpoint for row in rows(load()) if not row.built]
    assert [e.name for e in missing if not reason(e)] == []


def test_what_is_refused_by_name_has_a_reason() -> None:
    found = [row for row in rows(load()) if row.endpoint.path.startswith("/v1/")]
    assert {name for row in found for name in row.refused} <= set(REFUSED)


def test_payments_are_built_without_a_gap() -> None:
    built = {row.endpoint.name: row.built for row in rows(load())}
    names = (
        "account account_links account_sessions accounts apple_pay application_fees balance balance_settings "
        "balance_transactions charges confirmation_tokens country_specs customer_sessions customers disputes "
        "ephemeral_keys events exchange_rates file_links files mandates payment_intents "
        "payment_method_configurations payment_method_domains payment_methods payouts radar/early_fraud_warnings "
        "radar/value_list_items radar/value_lists refunds reviews setup_attempts setup_intents shipping_rates sources "
        "tax/associations tax/calculations tax/registrations tax/settings tax/transactions tax_codes tax_ids tax_rates "
        "test_helpers/confirmation_tokens test_helpers/customers test_helpers/refunds tokens topups transfers"
    )
    for resource in names.split():
        own = {n: b for n, b in built.items() if n.split(" ", 1)[1].startswith(f"/v1/{resource}")}
        assert own and all(own.values()), resource
