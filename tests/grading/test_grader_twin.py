"""The twin as a grader sees it: what the app did, apart from what the grader did."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
import stripe

from tests.grading.build import PlaceOf, task_with
from trialbalance.grading import Failed, GraderFault, GraderTwin, eventually
from trialbalance.grading.place import Place

pytestmark = pytest.mark.sandbox


@pytest.fixture
def place(tmp_path: Path, place_of: PlaceOf) -> Place:
    """A place with a twin; what is done in its sandbox is the app's doing."""
    return place_of(task_with(tmp_path / "task", "@check(cites=CITE)\ndef up(twin):\n    twin.writes()\n"))


@pytest.fixture
def twin(place: Place) -> GraderTwin:
    """The driver."""
    return place.twin


def ask(place: Place, path: str, *arguments: str) -> dict[str, object]:
    """A request of the app, made with curl inside the sandbox."""
    argv = ["curl", "-s", "-u", f"{place.twin.secret_key}:", f"https://api.stripe.com{path}", *arguments]
    done = place.environment.sandbox.exec(argv, timeout=30)
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    return answer


def test_the_apps_doings_are_told_from_the_graders(place: Place, twin: GraderTwin) -> None:
    mine = twin.stripe.v1.customers.create({"email": "mine@example.test"})
    theirs = ask(place, "/v1/customers", "-d", "email=theirs@example.test")
    ask(place, f"/v1/customers/{theirs['id']}", "-d", "name=Odile")
    twin.stripe.v1.customers.update(mine.id, {"name": "Nuno"})

    assert twin.writes() == ["POST /v1/customers", "POST /v1/customers/{id}"]
    assert [entry["params"]["email"] for entry in twin.requests("POST", "/v1/customers")] == [
        "theirs@example.test"
    ]
    assert [item["email"] for item in twin.created("customer")] == [
        "mine@example.test",
        "theirs@example.test",
    ]


def test_an_app_that_names_itself_a_grader_is_not_believed(place: Place, twin: GraderTwin) -> None:
    ask(place, "/v1/customers", "-d", "name=Odile", "-H", "user-agent: trialbalance-grader")

    assert twin.writes() == ["POST /v1/customers"]


def test_only_what_came_after_the_mark(place: Place, twin: GraderTwin) -> None:
    ask(place, "/v1/customers", "-d", "name=Before")
    mark = twin.mark()
    assert (twin.writes(mark), twin.created("customer", mark)) == ([], [])
    ask(place, "/v1/customers", "-d", "name=After")

    assert [item["name"] for item in twin.created("customer", since=mark)] == ["After"]
    twin.no_writes_but("POST /v1/customers", since=mark)
    with pytest.raises(Failed, match="unexpected writes: POST /v1/customers"):
        twin.no_writes_but("POST /v1/customers")


def test_what_the_task_began_with_is_not_the_apps_doing(tmp_path: Path, place_of: PlaceOf) -> None:
    task = task_with(
        tmp_path / "task",
        "@check(cites=CITE)\ndef up(twin):\n    twin.writes()\n",
        app={"../twin.json": json.dumps({"requests": [{"path": "/v1/customers", "form": {"name": "Seed"}}]})},
    )
    toml = task.directory / "task.toml"
    toml.write_text(toml.read_text().replace("clock =", 'seed = "environment/twin.json"\nclock ='))
    from trialbalance.tasks import load_task

    twin = place_of(load_task(task.directory)).twin

    assert twin.writes() == []
    assert [item["name"] for item in twin.created("customer")] == ["Seed"]
    assert twin.created("customer", since=twin.mark()) == []


def test_a_refused_or_repeated_request_is_no_write(place: Place, twin: GraderTwin) -> None:
    for _ in range(2):
        ask(place, "/v1/customers", "-d", "name=Once", "-H", "idempotency-key: k1")
    assert "error" in ask(place, "/v1/customers", "-d", "colour=red")

    assert twin.writes() == ["POST /v1/customers"]
    assert [entry["status"] for entry in twin.requests()] == [200, 200, 400]


def test_the_sdk_raises_its_own_errors(twin: GraderTwin) -> None:
    with pytest.raises(stripe.InvalidRequestError, match="No such customer"):
        twin.stripe.v1.customers.retrieve("cus_none")


def test_another_version_may_be_asked_for(twin: GraderTwin) -> None:
    old = twin.client(version="2020-08-27").v1.customers.create({"name": "Old"})

    assert old.name == "Old"


def test_the_control_plane(twin: GraderTwin) -> None:
    assert twin.now() == 1_773_133_200
    twin.advance(1_773_133_300)
    assert twin.now() == 1_773_133_300
    named = twin.seed({"requests": [{"path": "/v1/customers", "form": {"name": "Kept"}, "as": "kept"}]})

    assert [item["id"] for item in twin.created("customer")] == [named["kept"]["id"]]
    assert twin.writes() == [], "what the grader seeds is not the app's doing"
    with pytest.raises(GraderFault, match=r"[Uu]nknown parameter"):
        twin.seed({"requests": [{"path": "/v1/customers", "form": {"colour": "red"}}]})


def test_keys_are_drawn_for_each_place(twin: GraderTwin) -> None:
    assert twin.secret_key.startswith("sk_test_")
    assert twin.publishable_key.startswith("pk_test_")
    assert twin.webhook_secret.startswith("whsec_")
    assert twin.account.startswith("acct_")


def test_what_the_twin_has_not_built_is_its_own_failure(place: Place, twin: GraderTwin) -> None:
    ask(place, "/v1/issuing/cards", "-d", "currency=usd", "-d", "type=virtual")

    (broken,) = twin.broken()
    assert broken.startswith("POST /v1/issuing/cards answered 501: ")


def test_a_twin_that_died_is_a_fault(place: Place, twin: GraderTwin) -> None:
    os.kill(place.environment.twin.pid, signal.SIGKILL)
    eventually(lambda: not place.environment.twin.alive(), "the twin is dead")

    with pytest.raises(GraderFault, match="the twin's process has died"):
        twin.state()
    with pytest.raises(GraderFault, match="the twin did not answer GET"):
        twin.stripe.v1.customers.list()
