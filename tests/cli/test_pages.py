"""docs/cli.md says what the program says."""

from __future__ import annotations

from pathlib import Path

import pytest

from trialbalance.cli.exits import MEANINGS
from trialbalance.cli.pages import generated, updated

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_the_page_is_fresh() -> None:
    page = PAGE.read_text("utf-8")
    assert page == updated(page), "docs/cli.md is stale; run `make docs`"


def test_every_command_and_exit_code_is_there() -> None:
    text = generated()
    for command in (
        "run",
        "report",
        "grade",
        "tasks list",
        "tasks check",
        "twin serve",
        "doctor",
        "completion",
    ):
        assert f"### trialbalance {command}\n" in text
    for code, meaning in MEANINGS.items():
        assert f"| {code} | {meaning} |" in text


def test_a_page_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="lacks the lines"):
        updated("# nothing")
