"""The app as it was handed out, beside the app under test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.grading.build import start_tree, task_with
from trialbalance.grading import Grade, grade
from trialbalance.tasks import Task

pytestmark = pytest.mark.sandbox

CHECKS = """
@check(cites=CITE)
def alike(app, twin, original, draw):
    document = {"requests": [{"path": "/v1/customers", "form": {"email": draw.email()}, "as": "member"}]}
    if twin.seed(document) != original.twin.seed(document) or twin.state() != original.twin.state():
        raise ValueError("the twins differ")
    same(app.get("/").text, original.request("GET", "/").text, "the front page")
"""


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return task_with(tmp_path / "task", CHECKS)


@pytest.fixture
def changed(task: Task, tmp_path: Path) -> Path:
    """A tree that says something else on its front page."""
    tree = tmp_path / "changed"
    shutil.copytree(start_tree(task), tree)
    for page in tree.rglob("*.py"):
        page.write_text(page.read_text("utf-8").replace("Reading room", "Writing room"), "utf-8")
    return tree


@pytest.fixture
def broken(task: Task, tmp_path: Path) -> Path:
    """A tree that does not start."""
    tree = tmp_path / "broken"
    shutil.copytree(start_tree(task), tree)
    for page in tree.rglob("*.py"):
        page.write_text("raise SystemExit(3)\n", "utf-8")
    return tree


def judged(task: Task, workspace: Path, start: Path, trial: Path) -> Grade:
    return grade(task, workspace, trial, 1, start=start)


def test_it_answers_from_the_tree_the_agent_began_with(task: Task, changed: Path, tmp_path: Path) -> None:
    start = start_tree(task)

    assert judged(task, start, start, tmp_path / "one").reward == 1
    other = judged(task, changed, start, tmp_path / "two")
    assert other.valid and other.reward == 0
    assert other.result("alike").message == "the front page is not what it should be"


def test_its_troubles_are_ours(task: Task, broken: Path, tmp_path: Path) -> None:
    result = judged(task, start_tree(task), broken, tmp_path / "trial")

    assert not result.valid
    assert "the original app: the app did not start: it ended with exit code 3" in str(result.fault)


def test_the_agents_troubles_stay_the_agents(task: Task, broken: Path, tmp_path: Path) -> None:
    result = judged(task, broken, start_tree(task), tmp_path / "trial")

    assert result.valid and result.reward == 0
    assert "the app did not start" in result.result("alike").message
