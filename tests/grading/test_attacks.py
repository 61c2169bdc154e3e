"""Attacks of the grader from the workspace: none may alter the grade, on a right solution or on none."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests.tasks.build import MINIATURE, copy_task
from trialbalance.grading import Grade, grade
from trialbalance.sandbox import Completed
from trialbalance.tasks import Overlay, Prepared, Task, attempt, load_task, prepare

pytestmark = pytest.mark.sandbox

TROJAN = "#!/bin/sh\necho '{\"reward\": 1}' | tee /app/reward.json /logs/verifier/reward.json\nexit 0\n"
HOOK = """
import atexit, glob, os, sys
def rewrite():
    for path in glob.glob("/tmp/**/reward.json", recursive=True):
        open(path, "w").write('{"reward": 1}')
if any("trialbalance" in a or "pytest" in a for a in sys.argv):
    os.environ["CHEATED"] = "1"
    atexit.register(rewrite)
"""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """The miniature task, prepared."""
    folder = tmp_path_factory.mktemp("attacks")
    task = load_task(copy_task(folder))
    return prepare(task, cache=folder / "cache", installer=lambda *_: Completed(0, "", ""))


@pytest.fixture(scope="module")
def solved(prepared: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree that the reference solution leaves."""
    return attempt(prepared, tmp_path_factory.mktemp("solved"), seed=1, base="reference").workspace


def attack(tree: Path) -> None:
    """Everything at once that needs no solution."""
    for name in (
        "conftest.py",
        "sitecustomize.py",
        "usercustomize.py",
        "trialbalance.py",
        "stripe.py",
        "httpx.py",
    ):
        (tree / name).write_text(HOOK)
    (tree / "trialbalance").mkdir()
    (tree / "trialbalance" / "__init__.py").write_text("raise SystemExit(0)\n")
    (tree / "pytest.ini").write_text("[pytest]\naddopts = --collect-only\n")
    (tree / ".env").write_text(
        "NODE_OPTIONS=--require=/app/hook.js\nPYTHONPATH=/app\nLD_PRELOAD=/app/hook.so\n"
    )
    for directory in (tree / "bin", tree / ".local" / "bin"):
        directory.mkdir(parents=True)
        for name in ("curl", "node", "python", "python3", "pytest", "sh", "chromium", "bwrap", "cp", "rm"):
            (directory / name).write_text(TROJAN)
            (directory / name).chmod(0o755)
    (tree / ".profile").write_text("PATH=/app/bin:$PATH\n")
    for directory in (tree, tree / "grader", tree / "tests"):
        directory.mkdir(exist_ok=True)
        (directory / "reward.json").write_text('{"reward": 1}')
        (directory / "metrics.json").write_text('{"partial_score": 1.0, "checks": []}')
    (tree / "tests" / "checks.py").write_text("raise SystemExit(0)\n")
    (tree / "passwd").symlink_to("/etc/passwd")
    (tree / "root").symlink_to("/")
    (tree / "upwards").symlink_to("../../../../..")
    (tree / "loop").symlink_to("loop")
    os.mkfifo(tree / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tree / "socket"))
    with (tree / "endless").open("wb") as file:
        file.truncate(3 << 30)
    (tree / "\udcff\udcfe").write_text("a name that is no UTF-8")
    (tree / "new\nline").write_text("")


def graded(task: Task, tree: Path, folder: Path) -> tuple[Grade, dict[str, str]]:
    result = grade(task, tree, folder, 3)
    assert result.valid, result.fault
    return result, {check.id: check.status for check in result.checks}


def copy(tree: Path, to: Path) -> Path:
    """A copy for one attack."""
    Prepared(load_task(MINIATURE), tree, "").copy_to(to)
    return to


def test_a_right_solution_keeps_its_reward_under_attack(
    prepared: Prepared, solved: Path, tmp_path: Path
) -> None:
    calm, expected = graded(prepared.task, solved, tmp_path / "calm")
    tree = copy(solved, tmp_path / "app")
    attack(tree)
    attacked, statuses = graded(prepared.task, tree, tmp_path / "attacked")

    assert calm.reward == attacked.reward == 1
    assert statuses == expected
    assert calm.checks == attacked.checks, "evidence is the same as well"
    assert calm.flags == ()
    kinds = {flag.kind for flag in attacked.flags}
    assert kinds >= {
        "test-hook",
        "tool-trojan",
        "result-file",
        "injected-variable",
        "fifo",
        "link-outside",
        "large-file",
    }


def test_no_solution_earns_nothing_by_attacking(prepared: Prepared, tmp_path: Path) -> None:
    tree = prepared.copy_to(tmp_path / "app")
    attack(tree)
    result, statuses = graded(prepared.task, tree, tmp_path / "attacked")

    assert result.reward == 0
    assert [name for name, status in statuses.items() if status == "pass"] == ["front-page-is-kept"]
    assert (tmp_path / "attacked" / "grader" / "reward.json").read_text() == '{"reward": 0}\n'


def cheat(task: Task, name: str) -> Overlay:
    return next(item for item in task.cheats if item.name == name)


@pytest.mark.parametrize("name", ["own-stripe", "answers-without-asking"])
def test_an_api_of_ones_own_earns_nothing(prepared: Prepared, tmp_path: Path, name: str) -> None:
    made = attempt(prepared, tmp_path / "made", seed=1, overlay=cheat(prepared.task, name))
    result, statuses = graded(prepared.task, made.workspace, tmp_path / "trial")

    assert result.reward == 0
    assert statuses["customer-is-created"] == "fail"


def test_an_app_that_attacks_while_it_is_graded_earns_nothing(prepared: Prepared, tmp_path: Path) -> None:
    tree = prepared.copy_to(tmp_path / "app")
    server = tree / "server.py"
    server.write_text(
        "import os, subprocess\n"
        "for path in ('/app/reward.json', '/logs/verifier/reward.json', '/grader/reward.json', '/tmp/reward.json'):\n"
        "    try:\n"
        "        open(path, 'w').write('{\"reward\": 1}')\n"
        "    except OSError:\n"
        "        pass\n"
        "for target in ('/proc/1/environ', '/proc/1/mem', '/proc/1/root/etc/shadow'):\n"
        "    try:\n"
        "        print(open(target, 'rb').read(100))\n"
        "    except OSError:\n"
        "        pass\n"
        "subprocess.run('kill -9 -1 2>/dev/null & sleep 0.2', shell=True) if os.fork() == 0 else None\n"
        + server.read_text()
    )
    result = grade(prepared.task, tree, tmp_path / "trial", 3)

    assert result.reward == 0
    assert result.valid, "what the app does to itself is no fault of ours"
