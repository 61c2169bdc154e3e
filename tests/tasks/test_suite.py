"""Suites: every task, or a list with pinned versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tasks.build import copy_task
from trialbalance.tasks import SuiteError, load_suite

HEAD = 'schema_version = 1\nname = "desks"\nversion = "2-0"\ndescription = "Desks."\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two tasks, and a place for suites beside them."""
    root = tmp_path / "environments"
    copy_task(root, "first-desk")
    copy_task(root, "second-desk")
    (tmp_path / "suites").mkdir()
    return root


def test_the_default_is_every_task(root: Path) -> None:
    suite = load_suite(root=root)

    assert (suite.name, [task.name for task in suite.tasks]) == ("default", ["first-desk", "second-desk"])


def test_a_file_lists_tasks_in_its_own_order(root: Path) -> None:
    file = root.parent / "suites" / "desks.toml"
    file.write_text(HEAD + 'tasks = ["second-desk", "first-desk@1-7"]')

    for suite in (load_suite("desks", root), load_suite(str(file), root)):
        assert (suite.version, [task.name for task in suite.tasks]) == ("2-0", ["second-desk", "first-desk"])


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ('["third-desk"]', 'there is no task "third-desk"'),
        ('["first-desk@2-0"]', '"first-desk@2-0" asks for another N than 1-0'),
        ('["first-desk", "first-desk"]', '"first-desk" is listed twice'),
        ("[]", "tasks: expected array of length >= 1"),
    ],
)
def test_a_wrong_suite_is_refused(root: Path, tasks: str, message: str) -> None:
    (root.parent / "suites" / "desks.toml").write_text(HEAD + f"tasks = {tasks}")

    with pytest.raises(Exception, match=r"desks\.toml") as caught:
        load_suite("desks", root)

    assert message in str(caught.value)


def test_an_unknown_suite_names_the_known(root: Path) -> None:
    (root.parent / "suites" / "desks.toml").write_text(HEAD + 'tasks = ["first-desk"]')

    with pytest.raises(SuiteError, match="gyms: no such suite; there are: default, desks"):
        load_suite("gyms", root)


def test_an_empty_root_is_no_suite(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="there is no task in it"):
        load_suite(root=tmp_path)


def test_the_first_look_is_quick_and_shows_every_kind_of_agent() -> None:
    """What `make run` tries: one task, which has a recording for goose to play back."""
    suite = load_suite("first-look")

    assert len(suite.tasks) == 1
    assert (suite.tasks[0].directory / "replay" / "goose.yaml").is_file()
