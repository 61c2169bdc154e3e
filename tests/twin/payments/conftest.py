"""After every scenario of payments the books must balance, whether it looks at them or not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.twin.payments.pay import books


@pytest.fixture(autouse=True)
def the_books_balance(request: pytest.FixtureRequest) -> Iterator[None]:
    """Sum all balance transactions of a test's twin against all its objects when the test is over."""
    twin = request.getfixturevalue("twin") if "twin" in request.fixturenames else None
    yield
    if twin is not None:
        books(twin)
