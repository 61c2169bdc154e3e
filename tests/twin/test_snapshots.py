"""A twin goes back to a snapshot, begins again, and goes on twice."""

from __future__ import annotations

from trialbalance.twin.twin import Twin


def names(twin: Twin) -> list[str]:
    return [customer["name"] for customer in twin.request("GET", "/v1/customers").json()["data"]]


def add(twin: Twin, name: str, key: str | None = None) -> str:
    made = twin.request("POST", "/v1/customers", {"name": name}, idempotency_key=key)
    return str(made.json()["id"])


def test_a_twin_goes_back_to_what_it_was() -> None:
    twin = Twin(seed=1)
    add(twin, "Ada")
    before = twin.snapshot()
    first = add(twin, "Ben", key="once")
    twin.advance(twin.now() + 60)
    twin.restore(before)
    assert twin.now() == before.now
    assert add(twin, "Ben", key="once") == first
    assert names(twin) == ["Ben", "Ada"], "made again, not a replay of what is forgotten"
    twin.restore(before)
    assert names(twin) == ["Ada"]


def test_a_twin_begins_again_with_its_keys_and_its_clock() -> None:
    twin = Twin(seed=1)
    merchant = twin.merchant("next door")
    add(twin, "Ada")
    now = twin.now() + 60
    twin.advance(now)
    twin.reset()
    assert (names(twin), twin.now()) == ([], now)
    assert twin.request("GET", "/v1/customers", key=merchant.secret_key).status == 200


def test_two_twins_go_on_from_one() -> None:
    twin = Twin(seed=1)
    add(twin, "Ada")
    other = twin.fork()
    assert (other.account, other.secret_key, other.now()) == (twin.account, twin.secret_key, twin.now())
    assert add(other, "Ben") == add(twin, "Cleo")
    assert (names(twin), names(other)) == (["Cleo", "Ada"], ["Ben", "Ada"])
