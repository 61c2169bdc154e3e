"""Ten subscription business models on test clocks, to the cent, through the official SDKs of four languages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance import runner

pytestmark = runner.MARKS
SUITE = runner.Suite("billing")


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """A fresh twin."""
    with runner.twin() as (_, environment):
        yield environment


@pytest.mark.parametrize("language", ["python", "node", "go", "java"])
def test_language(environment: dict[str, str], language: str) -> None:
    getattr(SUITE, language)(environment)
