"""Lists: newest first, cursors, clamped limits, filters. Facts from recorded answers (cursors against deleted ids, clamps).

Source: https://docs.stripe.com/api/pagination
"""

from __future__ import annotations

import pytest
import stripe
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.twin import sdk
from trialbalance.twin import Twin


def made(client: stripe.StripeClient, count: int) -> list[str]:
    return [client.v1.customers.create({"email": "cohort@example.test"}).id for _ in range(count)]


def test_a_deleted_cursor_keeps_its_place(client: stripe.StripeClient) -> None:
    oldest, middle, newest = made(client, 3)
    client.v1.customers.delete(middle)
    assert dict(client.v1.customers.retrieve(middle).to_dict()) == {
        "id": middle,
        "object": "customer",
        "deleted": True,
    }
    after = client.v1.customers.list({"email": "cohort@example.test", "starting_after": middle})
    assert [c.id for c in after.data] == [oldest] and after.has_more is False
    before = client.v1.customers.list({"email": "cohort@example.test", "ending_before": middle})
    assert [c.id for c in before.data] == [newest] and before.has_more is False
    assert [c.id for c in client.v1.customers.list({"limit": 10}).data] == [newest, oldest]


@pytest.mark.parametrize(("limit", "shown"), [(0, 1), (-1, 1), (1, 1), (100, 100), (101, 100), (200, 100)])
def test_limits_are_clamped_silently(twin: Twin, limit: int, shown: int) -> None:
    client = sdk.client(twin)
    made(client, 101)
    page = client.v1.customers.list({"limit": limit})
    assert len(page.data) == shown and page.has_more is True


def test_a_walk_across_pages_and_one_step_back(client: stripe.StripeClient) -> None:
    ids = made(client, 101)[::-1]
    first = client.v1.customers.list({"limit": 40})
    second = client.v1.customers.list({"limit": 40, "starting_after": first.data[-1].id})
    third = client.v1.customers.list({"limit": 40, "starting_after": second.data[-1].id})
    assert [len(p.data) for p in (first, second, third)] == [40, 40, 21]
    assert [p.has_more for p in (first, second, third)] == [True, True, False]
    assert [c.id for p in (first, second, third) for c in p.data] == ids
    back = client.v1.customers.list({"limit": 40, "ending_before": third.data[0].id})
    assert [c.id for c in back.data] == [c.id for c in second.data] and back.has_more is True


def test_default_is_ten_newest_first(client: stripe.StripeClient) -> None:
    ids = made(client, 12)
    page = client.v1.customers.list()
    assert [c.id for c in page.data] == ids[:1:-1]
    assert set(page.to_dict()) == {"object", "data", "has_more", "url"}


def test_created_filters(twin: Twin) -> None:
    client = sdk.client(twin)
    start = twin.now()
    ids = []
    for _ in range(4):
        ids += made(client, 1)
        twin.advance(twin.now() + 10)

    def found(**created: int) -> list[str]:
        return [c.id for c in client.v1.customers.list({"created": created}).data][::-1]  # type: ignore[arg-type,typeddict-item]

    assert found(gte=start + 10, lt=start + 30) == ids[1:3]
    assert found(gt=start + 10, lte=start + 30) == ids[2:4]
    exact = client.v1.customers.list({"created": start + 20})
    assert [c.id for c in exact.data] == [ids[2]]


@settings(max_examples=40, deadline=None)
@given(
    count=st.integers(0, 25), limit=st.integers(-3, 30), gone=st.sets(st.integers(0, 24)), back=st.booleans()
)
def test_any_limit_visits_each_object_once(count: int, limit: int, gone: set[int], back: bool) -> None:
    twin = Twin(seed=3)
    client = sdk.client(twin)
    ids = made(client, count)
    for position in gone:
        if position < count:
            client.v1.customers.delete(ids[position])
    left = [identifier for n, identifier in enumerate(ids) if n not in gone]
    seen: list[str] = []
    cursor = ids[0] if back and ids else None
    if back and ids and 0 not in gone:
        seen.append(ids[0])
    for _ in range(count + 2):
        name = "ending_before" if back else "starting_after"
        page = client.v1.customers.list({"limit": limit, **({name: cursor} if cursor else {})})  # type: ignore[arg-type,misc]
        if not page.data:
            break
        seen += [c.id for c in page.data][:: -1 if back else 1]
        cursor = seen[-1]
        if not page.has_more:
            break
    assert seen == (left if back else left[::-1])
