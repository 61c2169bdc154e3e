"""What calls cost."""

from pathlib import Path

import pytest

from trialbalance.gateway import GatewayError, Prices, Usage


def test_the_parts_of_a_prompt_have_their_own_prices() -> None:
    usage = Usage(
        prompt_tokens=1_000_000, completion_tokens=100_000, cached_tokens=500_000, cache_write_tokens=100_000
    )
    cost = Prices.load().cost("claude-opus-5", usage)
    assert cost == pytest.approx(0.4 * 5 + 0.5 * 0.5 + 0.1 * 6.25 + 0.1 * 25)


@pytest.mark.parametrize("name", ["gpt-5-2025-08-07", "claude-opus-4-5-20251101", "gpt-4o-latest"])
def test_a_dated_name_costs_what_its_plain_one_costs(name: str) -> None:
    assert Prices.load().of(name) is not None


def test_an_unknown_model_has_no_price() -> None:
    assert Prices.load().cost("scripted", Usage(10, 10)) is None


def test_a_user_may_bring_prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "prices.toml"
    path.write_text("[models]\nours = { input = 1, output = 2.5 }\n")
    monkeypatch.setenv("TRIALBALANCE_PRICES", str(path))
    assert Prices.load().cost("ours", Usage(1_000_000, 2_000_000, 500_000)) == pytest.approx(6.0)
    assert Prices.load().of("gpt-5") is None


@pytest.mark.parametrize(
    "text", ["[models", "[models]\nx = {input = 1}", "[models]\nx = {input=1, output=1, tax=1}"]
)
def test_a_bad_price_file_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(GatewayError, match=r"price file .*prices\.toml: "):
        Prices.load(path)
