"""What the tests of the tools share."""

import pytest

from trialbalance.tools import Documentation


@pytest.fixture(scope="session")
def stripe(tmp_path_factory: pytest.TempPathFactory) -> Documentation:
    """The real SDK's documentation, built once."""
    return Documentation.open(tmp_path_factory.mktemp("cache"))
