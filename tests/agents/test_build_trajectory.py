"""The gateway's calls and the harness's transcript, joined."""

import base64
from pathlib import Path

from tests.agents.gateway_calls import TOOLS, answer, call, failure
from trialbalance.agents.build_trajectory import build_trajectory, offered
from trialbalance.agents.trajectory import Metrics, Trajectory, check
from trialbalance.agents.transcript import Notice, Picture, ToolAnswer, Transcript
from trialbalance.gateway import Answered, Totals, Usage

PIXEL = base64.b64encode(b"\x89PNG pixel").decode()


def build(tmp_path: Path, *answered: Answered, transcript: Transcript | None = None) -> Trajectory:
    trajectory = build_trajectory(
        session="trial-1",
        agent="goose",
        version="1.37.0",
        instruction="Go.",
        started=1796047930.0,
        answered=answered,
        transcript=transcript or Transcript(),
        totals=Totals(2, Usage(200, 20, 100), 1.0),
        pictures=tmp_path / "agent" / "images",
        notes="completed: Done.",
    )
    check(trajectory)
    return trajectory


def test_steps_join_answers_with_what_tools_brought_and_what_they_cost(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.add_answer("c1", ToolAnswer("a.txt"))
    transcript.add_answer("c2", ToolAnswer("seen", (Picture("image/png", PIXEL), Picture("image/png", "?"))))
    made = build(tmp_path, answer("c1", "c2", "c3"), answer(text="Done."), transcript=transcript)
    user, first, last = made.steps
    assert (user.source, user.message, user.timestamp) == ("user", "Go.", "2026-11-30T14:12:10.000Z")
    assert (
        first.source == "agent"
        and first.model_name == "m-1"
        and first.timestamp == "2026-11-30T14:12:13.000Z"
    )
    assert [called.tool_call_id for called in first.tool_calls or ()] == ["c1", "c2", "c3"]
    assert first.observation is not None and len(first.observation.results) == 2  # c3 was never answered
    one, two = first.observation.results
    assert one.content == "a.txt"
    assert isinstance(two.content, list) and [part.type for part in two.content] == ["text", "image"]
    assert (tmp_path / "agent" / "images" / "001.png").read_bytes() == b"\x89PNG pixel"
    assert first.metrics == Metrics(
        prompt_tokens=100,
        completion_tokens=10,
        cached_tokens=50,
        cost_usd=0.5,
        extra={"latency": 2.0, "cache_write_tokens": 5},
    )
    assert last.message == "Done." and last.tool_calls is None
    assert made.agent.tool_definitions == TOOLS and made.agent.model_name == "m"
    final = made.final_metrics
    assert final is not None and (final.total_prompt_tokens, final.total_cost_usd, final.total_steps) == (
        200,
        1.0,
        3,
    )


def test_ids_that_a_model_uses_again_are_told_apart_by_order(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.add_answer("c", ToolAnswer("one"))
    transcript.add_answer("c", ToolAnswer("two"))
    made = build(tmp_path, answer("c"), answer("c"), transcript=transcript)
    shown = [step.observation.results[0].content for step in made.steps if step.observation is not None]
    assert shown == ["one", "two"]


def test_what_the_harness_says_stands_where_it_was_said(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.notices += [Notice(0, "Hello."), Notice(1, "Compacting."), Notice(2, "I stop here.")]
    made = build(tmp_path, answer("c1"), answer("c2"), transcript=transcript)
    assert [(step.source, step.message) for step in made.steps] == [
        ("user", "Go."),
        ("system", "Hello."),
        ("agent", ""),
        ("system", "Compacting."),
        ("agent", ""),
        ("system", "I stop here."),
    ]


def test_a_failure_is_told_once_and_not_again_in_the_harness_words(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.notices.append(Notice(1, "Ran into this error: provider is busy. Please retry."))
    failed = failure("overloaded", "provider is busy")
    made = build(tmp_path, answer("c1"), failed, failed, transcript=transcript)
    assert [step.message for step in made.steps] == ["Go.", "", "A model call failed: provider is busy"]


def test_an_agent_without_any_call_still_has_a_trajectory(tmp_path: Path) -> None:
    made = build(tmp_path)
    assert len(made.steps) == 1 and made.agent.model_name is None and made.agent.tool_definitions is None


def test_the_tools_that_were_offered() -> None:
    assert offered([answer("c1")]) == ("trial__terminal",)
    assert offered([Answered(call(request={"messages": []}), None)]) == ()
    assert offered([]) == ()
