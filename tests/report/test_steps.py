"""A trajectory becomes steps; what has another shape is left out, never an error."""

from __future__ import annotations

from typing import Any

import pytest
from tests.report.sample import trajectory

from trialbalance.insight import judge
from trialbalance.report.steps import steps


def test_steps_calls_and_marks() -> None:
    document = trajectory("Checkout is in place and works.")
    found = steps(document, judge(document, 0))
    assert [step.number for step in found] == [1, 2, 3, 4, 5, 6, 7]
    shell = found[3].calls[0]
    assert (shell.tool, shell.summary, shell.failed) == ("terminal", "python server.py", True)
    assert "NameError" in shell.output
    assert found[2].calls[0].purposes == ("edit",)
    assert found[5].calls[0].images == ("images/step-6.png",)
    assert [name for step in found for name, _ in step.marks] == ["recovered", "verified", "overclaimed"]
    assert found[1].tokens == 1800 + 2 * 400 + 120 and found[1].cost == 0.0021


@pytest.mark.parametrize(
    "source", ["../../etc/passwd.png", "https://example.test/a.png", "javascript:alert(1)//.png"]
)
def test_only_pictures_of_the_trial_are_shown(source: str) -> None:
    document: dict[str, Any] = {
        "steps": [
            {
                "step_id": 1,
                "source": "agent",
                "tool_calls": [{"tool_call_id": "a", "function_name": "browser", "arguments": {}}],
                "observation": {
                    "results": [
                        {"source_call_id": "a", "content": [{"type": "image", "source": {"path": source}}]}
                    ]
                },
            }
        ]
    }
    assert steps(document, None)[0].calls[0].images == ()


@pytest.mark.parametrize("document", [{}, {"steps": None}, {"steps": [1, "x"]}])
def test_other_shapes_have_no_steps(document: dict[str, Any]) -> None:
    assert steps(document, None) == []


def test_odd_steps_are_shown_as_far_as_they_go() -> None:
    odd = {
        "steps": [{"tool_calls": "x", "observation": {"results": [{"content": "loose"}]}, "metrics": None}]
    }
    (step,) = steps(odd, None)
    assert (step.number, step.calls, step.output) == (0, (), "loose")


def test_long_outputs_are_cut_in_the_middle() -> None:
    document = trajectory("x" * 50_000)
    message = steps(document, None)[-1].message
    assert len(message) < 21_000 and "30,000 characters left out" in message
