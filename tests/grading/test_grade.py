"""Grading: statuses, scenarios, faults, time, order, bytes. The checks here need no app, so nothing is started."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from tests.grading.build import start_tree, task_with
from trialbalance.grading import Grade, Progress, grade

CHECKS = """
@check(cites=CITE, given=True)
def readable(submission):
    submission.text("server.py")

@check(cites=CITE)
def answered(submission, draw):
    person = draw.person()
    raise Failed("nobody was signed up", person=person.name, where=submission._workspace)

@check(cites=CITE, required=False)
def polite(submission):
    submission.text("README.txt")
"""


def graded(tmp_path: Path, checks: str, seed: int = 1, **options: object) -> Grade:
    task = task_with(tmp_path / "task", checks)
    return grade(task, start_tree(task), tmp_path / "trial", seed, **options)  # type: ignore[arg-type]


def test_checks_pass_or_fail_with_message_and_evidence(tmp_path: Path) -> None:
    result = graded(tmp_path, CHECKS)

    assert (result.reward, result.partial_score, result.valid) == (0, 0.5, True)
    assert {check.id: check.status for check in result.checks} == {
        "readable": "pass",
        "answered": "fail",
        "polite": "fail",
    }
    answered = result.result("answered")
    assert answered.message == "nobody was signed up"
    assert answered.evidence[0]["kind"] == "draw"
    assert answered.evidence[-1] == {
        "kind": "failed",
        "person": answered.evidence[0]["value"]["name"],
        "where": "/app",
    }


def test_files_are_written(tmp_path: Path) -> None:
    result = graded(tmp_path, CHECKS)
    folder = tmp_path / "trial" / "grader"

    assert (folder / "reward.json").read_text() == '{"reward": 0}\n'
    metrics = json.loads((folder / "metrics.json").read_text())
    assert metrics["partial_score"] == result.partial_score
    assert [check["status"] for check in metrics["checks"]] == ["pass", "fail", "fail"]
    assert "=== answered: fail nobody was signed up" in (folder / "log.txt").read_text()


def test_the_same_seed_gives_the_same_bytes_in_any_order(tmp_path: Path) -> None:
    task = task_with(tmp_path / "task", CHECKS)
    written = []
    for number, order in enumerate((None, ["polite", "answered", "readable"], None)):
        folder = tmp_path / f"trial-{number}"
        grade(task, start_tree(task), folder, 2 if number == 2 else 1, order=order)
        written.append((folder / "grader" / "metrics.json").read_bytes())

    assert written[0] == written[1]
    assert written[0] != written[2]


def test_the_graded_files_are_never_changed(tmp_path: Path) -> None:
    checks = """
@check(cites=CITE)
def writes(submission):
    (submission._workspace / "server.py").write_text("")
    submission.text("server.py")
"""
    task = task_with(tmp_path / "task", checks)
    before = (start_tree(task) / "server.py").read_text()
    grade(task, start_tree(task), tmp_path / "trial", 1)

    assert (start_tree(task) / "server.py").read_text() == before != ""


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("1 / 0", "broken: ZeroDivisionError: division by zero"),
        ("raise GraderFault('the browser died')", "broken: the browser died"),
        ("assert False, 'no assertions'", "broken: AssertionError: no assertions"),
        ("draw.word()\n    shopper.open('ftp')", "broken: "),
        ("pass", "broken: it passed without using a driver, so it proves nothing"),
        ("raise SystemExit(0)", "broken: SystemExit: 0"),
    ],
)
def test_whatever_else_a_check_raises_makes_the_grade_invalid(tmp_path: Path, body: str, fault: str) -> None:
    parameters = "draw, shopper" if "shopper" in body else "draw"
    checks = f"{CHECKS}\n@check(cites=CITE)\ndef broken({parameters}):\n    {body}\n"
    result = graded(tmp_path, checks, opener=_refuse)

    assert not result.valid
    assert result.reward is None
    assert fault in (result.fault or "")
    assert result.result("broken").status == "not_run"
    assert result.result("readable").status == "pass"
    folder = tmp_path / "trial" / "grader"
    assert not (folder / "reward.json").exists()
    assert json.loads((folder / "metrics.json").read_text())["valid"] is False


def _refuse(*arguments: object) -> None:
    raise OSError("no sandbox on this machine")


def test_an_environment_that_cannot_be_opened_is_a_fault(tmp_path: Path) -> None:
    checks = "@check(cites=CITE)\ndef driven(app):\n    app.get('/')\n"
    result = graded(tmp_path, checks, opener=_refuse)

    assert result.fault == "driven: OSError: no sandbox on this machine"


def test_no_checks_are_a_fault(tmp_path: Path) -> None:
    result = graded(tmp_path, "")

    assert not result.valid
    assert "it has no checks" in (result.fault or "")


def test_only_some_checks_is_no_grade(tmp_path: Path) -> None:
    result = graded(tmp_path, CHECKS, only=["readable"])

    assert result.fault == "not run: answered, polite"
    assert result.result("readable").status == "pass"
    with pytest.raises(ValueError, match="there is no check 'other'"):
        graded(tmp_path / "again", CHECKS, only=["other"])


def test_what_needs_a_failed_check_fails_without_being_run(tmp_path: Path) -> None:
    checks = """
@check(cites=CITE, needs="first")
def second(draw):
    raise AssertionError("never run")

@check(cites=CITE)
def first(draw):
    draw.word()
    raise Failed("no")

@check(cites=CITE, needs=["second"])
def third(draw):
    raise AssertionError("never run")
"""
    result = graded(tmp_path, checks)

    assert result.valid
    assert [check.status for check in result.checks] == ["fail", "fail", "fail"]
    assert result.result("second").message == "it cannot hold, because first does not"
    assert result.result("third").evidence == ({"kind": "needs", "check": "second"},)


def test_what_needs_a_faulty_check_is_not_run(tmp_path: Path) -> None:
    checks = """
@check(cites=CITE)
def first(draw):
    1 / 0

@check(cites=CITE, needs="first")
def second(draw):
    draw.word()
"""
    result = graded(tmp_path, checks)

    assert [check.status for check in result.checks] == ["not_run", "not_run"]
    assert result.fault == "first: ZeroDivisionError: division by zero"


SCENARIO = """
seen = []

@scenario
def person(draw):
    seen.append(1)
    return draw.person()

@scenario
def order(person, draw):
    return (person.name, draw.amount())

@check(cites=CITE)
def one(order):
    if len(seen) != 1:
        raise AssertionError(seen)

@check(cites=CITE)
def other(order, person, submission):
    raise Failed("no", name=order[0])
"""


def test_a_scenario_is_played_once_and_its_evidence_is_each_checks(tmp_path: Path) -> None:
    result = graded(tmp_path, SCENARIO)

    assert [check.status for check in result.checks] == ["pass", "fail"]
    for check in result.checks:
        assert [entry.get("scenario") for entry in check.evidence][:2] == ["person", "order"]
    assert result.result("other").evidence[-1]["name"] == result.result("other").evidence[0]["value"]["name"]


def test_a_scenario_that_fails_fails_its_checks_and_one_that_breaks_is_a_fault(tmp_path: Path) -> None:
    failing = SCENARIO.replace("return draw.person()", "draw.person(); raise Failed('nobody came', count=0)")
    result = graded(tmp_path / "failing", failing)
    assert [(check.status, check.message) for check in result.checks] == [("fail", "nobody came")] * 2
    assert result.checks[0].evidence[-1] == {"kind": "failed", "count": 0}

    breaking = SCENARIO.replace("return draw.person()", "return draw.persson()")
    broken = graded(tmp_path / "breaking", breaking)
    assert [check.status for check in broken.checks] == ["not_run"] * 2
    assert "AttributeError" in (broken.fault or "")


TWO_SCENARIOS = """
@scenario
def shut(draw):
    draw.person()
    raise Failed("it is shut")

@scenario
def open(draw):
    return draw.amount()

@check(cites=CITE)
def paid(open):
    if not open:
        raise Failed("nothing")

@check(cites=CITE)
def both(shut, open):
    raise Failed("no")
"""


def test_what_comes_after_a_failed_scenario_is_no_evidence_in_any_order(tmp_path: Path) -> None:
    task = task_with(tmp_path / "task", TWO_SCENARIOS)
    written = []
    for number, order in enumerate((["paid", "both"], ["both", "paid"])):
        folder = tmp_path / f"trial-{number}"
        grade(task, start_tree(task), folder, 1, order=order)
        written.append((folder / "grader" / "metrics.json").read_bytes())
    assert written[0] == written[1]
    both = next(check for check in json.loads(written[0])["checks"] if check["id"] == "both")
    assert {entry.get("scenario") for entry in both["evidence"]} == {"shut"}


def test_the_grader_is_ended_when_its_time_is_up(tmp_path: Path) -> None:
    checks = """
import threading

@check(cites=CITE)
def quick(submission):
    submission.exists("server.py")

@check(cites=CITE)
def endless(draw):
    threading.Event().wait(1.5)

@check(cites=CITE)
def later(submission):
    submission.exists("server.py")
"""
    result = graded(tmp_path, checks, timeout=0.5)

    assert not result.valid
    assert (result.fault or "").startswith("the grader was not done within 0.5 seconds")
    assert [check.status for check in result.checks] == ["pass", "not_run", "not_run"]
    assert not (tmp_path / "trial" / "grader" / "reward.json").exists()


def test_waiting_ends_with_the_grade(tmp_path: Path) -> None:
    checks = "@check(cites=CITE)\ndef waits(draw):\n    eventually(lambda: None, 'never', seconds=120)\n"
    result = graded(tmp_path, checks, timeout=0.3)

    assert not any(thread.name == "grade" for thread in threading.enumerate())
    assert (result.fault or "").startswith("the grader was not done within 0.3 seconds")


def test_an_earlier_grade_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "trial" / "grader"
    (folder / "screenshots").mkdir(parents=True)
    (folder / "reward.json").write_text('{"reward": 1}')
    (folder / "screenshots" / "old.png").write_text("")

    graded(tmp_path, "@check(cites=CITE)\ndef broken(draw):\n    1 / 0\n")

    assert sorted(path.name for path in folder.iterdir()) == ["log.txt", "metrics.json"]


def test_too_large_a_workspace_fails_every_check(tmp_path: Path) -> None:
    task = task_with(tmp_path / "task", CHECKS)
    (start_tree(task) / "data").write_bytes(b"x" * (70 << 20))

    result = grade(task, start_tree(task), tmp_path / "trial", 1)

    assert (result.reward, result.partial_score) == (0, 0.0)
    assert {check.message for check in result.checks} == {
        "the workspace holds more than the 64 MB that the task allows"
    }


def test_files_that_cannot_be_copied_are_a_fault_of_ours(tmp_path: Path) -> None:
    task = task_with(tmp_path / "task", CHECKS)

    result = grade(task, tmp_path / "absent", tmp_path / "trial", 1)

    assert "cannot be copied" in (result.fault or "")
    assert {check.status for check in result.checks} == {"not_run"}


def test_whoever_watches_is_told(tmp_path: Path) -> None:
    seen: list[Progress] = []
    graded(tmp_path, CHECKS, watch=seen.append)

    assert seen[:3] == [
        Progress("check", "readable"),
        Progress("result", "readable", "pass"),
        Progress("check", "answered"),
    ]


def test_the_trials_own_twin_is_offered(tmp_path: Path) -> None:
    checks = """
@check(cites=CITE)
def worked(trial):
    same(trial.writes(), ["POST /v1/customers"], "the agent's writes")
    same([customer["id"] for customer in trial.objects("customer")], ["cus_1"], "customers")
    same(len(trial.requests("POST", "/v1/customers")), 1, "requests")
    same([answer["id"] for answer in trial.seeded()], ["prod_1"], "what was there")
"""
    task = task_with(tmp_path / "task", checks)
    twin = tmp_path / "trial" / "twin"
    missing = grade(task, start_tree(task), tmp_path / "trial", 1)
    assert (
        missing.fault
        == "worked: the trial has no twin/journal.jsonl; grade a trial that was recorded with its twin"
    )

    twin.mkdir()
    entry = {"kind": "request", "method": "POST", "path": "/v1/customers", "status": 200}
    seeded = {"kind": "request", "source": "seed", "response": {"id": "prod_1"}}
    (twin / "journal.jsonl").write_text(json.dumps(seeded) + "\n" + json.dumps(entry) + "\n")
    state = {"account": "acct_1", "accounts": {"acct_1": {"customer": [{"id": "cus_1"}]}}}
    (twin / "state.json").write_text(json.dumps(state))
    assert grade(task, start_tree(task), tmp_path / "trial", 1).reward == 1
