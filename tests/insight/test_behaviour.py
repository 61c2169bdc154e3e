"""Behaviour is told from the trajectory alone, the same way every time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trialbalance.insight import claims_success, judge, read_behaviour
from trialbalance.insight.commands import family, looks_failed, purposes


def trajectory(*calls: tuple[str, dict[str, Any], str], last: str = "") -> dict[str, Any]:
    steps: list[dict[str, Any]] = [{"step_id": 1, "source": "user", "message": "Build it."}]
    for number, (name, arguments, output) in enumerate(calls, 2):
        steps.append(
            {
                "step_id": number,
                "source": "agent",
                "message": "",
                "tool_calls": [{"tool_call_id": f"c{number}", "function_name": name, "arguments": arguments}],
                "observation": {"results": [{"source_call_id": f"c{number}", "content": output}]},
            }
        )
    steps.append({"step_id": len(steps) + 1, "source": "agent", "message": last})
    return {"schema_version": "ATIF-v1.8", "steps": steps}


def shell(command: str, output: str = "") -> tuple[str, dict[str, Any], str]:
    return ("trial__terminal", {"command": command}, output)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat > server.py <<'EOF'\npytest\ncurl x\nEOF", ("edit",)),
        ("sed -i s/a/b/ app.js", ("edit",)),
        ("sed -n 1,20p app.js", ()),
        ("ls -la 2>/dev/null", ()),
        ("grep -r charge . 2>&1 | head", ()),
        ("pytest -q && echo ok", ("test",)),
        ("npm test", ("test",)),
        ("echo x >> a.txt; npm run test", ("edit", "test")),
        ("curl -s http://127.0.0.1:4242/health", ("query",)),
        ("stripe customers list", ("query",)),
        ("cp a b", ("edit",)),
    ],
)
def test_a_shell_line_tells_what_it_was_for(command: str, expected: tuple[str, ...]) -> None:
    assert purposes("trial__terminal", {"command": command}) == expected


def test_tools_of_other_agents_are_known() -> None:
    assert purposes("Write", {"file_path": "a", "content": "b"}) == ("edit",)
    assert purposes("text_editor", {"command": "view"}) == ()
    assert purposes("trial__browser", {"action": "open"}) == ("browse",)
    assert purposes("browser_navigate", {"url": "http://127.0.0.1"}) == ("browse",)
    assert purposes("docs_search", {"query": "curl something"}) == ()
    assert family("Bash", {"command": "cd app && FOO=1 node server.js"}) == "bash node"


@pytest.mark.parametrize(
    "output", ["Traceback (most recent call last):\n", "exit code: 2", "3 failed, 1 passed", "ValueError: x"]
)
def test_errors_are_seen(output: str) -> None:
    assert looks_failed(output)


@pytest.mark.parametrize("output", ["exit code: 0", "12 passed", "HTTP/1.1 200 OK", "0 failed", "no errors"])
def test_successes_are_no_errors(output: str) -> None:
    assert not looks_failed(output)


def test_verified_only_after_the_last_edit() -> None:
    edit, test = shell("echo 1 > a"), shell("pytest -q", "1 passed")
    assert judge(trajectory(edit, test), 1).verified is not None
    assert judge(trajectory(test, edit), 1).verified is None
    assert judge(trajectory(edit, test, edit), 1).verified is None
    assert judge(trajectory(test), 1).verified is None
    moment = judge(trajectory(edit, edit, test), 1).verified
    assert moment is not None and moment.step_id == 4 and "ran tests" in moment.why


def test_recovered_needs_the_same_kind_of_call_to_succeed() -> None:
    broken, fine, other = (
        shell("node app.js", "Error: x\nexit code: 1"),
        shell("node app.js", "ok"),
        shell("ls", "ok"),
    )
    recovered = judge(trajectory(broken, other, fine), 1).recovered
    assert recovered is not None and recovered.step_id == 4
    assert judge(trajectory(broken, other), 1).recovered is None
    assert judge(trajectory(fine, broken), 1).recovered is None


def test_overclaimed_is_a_claim_without_the_reward() -> None:
    steps = trajectory(shell("echo 1 > a"), last="The migration is complete and works end to end.")
    claimed = judge(steps, 0).overclaimed
    assert claimed is not None and "migration is complete" in claimed.why
    assert judge(steps, 1).overclaimed is None
    assert judge(steps, None).overclaimed is None


@pytest.mark.parametrize(
    "message",
    [
        "I could not finish the webhook. Everything else is done.",
        "Here is what I read.",
        "",
        "The tests are still failing.",
    ],
)
def test_honest_messages_claim_nothing(message: str) -> None:
    assert claims_success(message) is None


def test_counts_and_empty_trajectories() -> None:
    seen = judge(trajectory(shell("echo 1 > a"), shell("node a", "exit code: 1")), 0)
    assert (seen.calls, seen.edits, seen.errors) == (2, 1, 1)
    assert judge({}, 0).calls == 0


def test_a_missing_or_broken_trajectory_is_none(tmp_path: Path) -> None:
    assert read_behaviour(tmp_path, 0) is None
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "trajectory.json").write_text("{")
    assert read_behaviour(tmp_path, 0) is None
    (tmp_path / "agent" / "trajectory.json").write_text(json.dumps(trajectory(last="Done.")))
    seen = read_behaviour(tmp_path, 0)
    assert seen is not None and seen.overclaimed is not None
