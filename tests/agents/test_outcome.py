"""How an agent ended, judged from what passed the gateway."""

from typing import Any

import pytest

from tests.agents.gateway_calls import answer, failure
from trialbalance.agents.outcome import judge
from trialbalance.gateway import Answered, CallError

DONE = [answer("c1"), answer(text="All\n done.")]


def verdict(answered: list[Answered], **facts: Any) -> tuple[str, str]:
    given: dict[str, Any] = {"halt": None, "turns": None, "overdue": None, **facts}
    return judge(answered, **given)


def test_an_agent_that_says_its_last_word_has_completed() -> None:
    assert verdict(DONE) == ("completed", "All done.")


@pytest.mark.parametrize(
    ("facts", "status", "said"),
    [
        ({"halt": CallError("turn_limit", "used its 2 turns")}, "turn_limit", "used its 2 turns"),
        ({"halt": CallError("token_limit", "used 9 of 8")}, "token_limit", "used 9 of 8"),
        ({"halt": CallError("overloaded", "busy")}, "provider_error", "busy"),
        ({"halt": CallError("replay_diverged", "left at 3")}, "provider_error", "left at 3"),
        ({"overdue": 60.0}, "timeout", "it was still working after 60 s"),
        ({"halt": CallError("server", "dead"), "overdue": 60.0}, "provider_error", "dead"),
        ({"killed_by": 11, "complaint": "panic!"}, "agent_error", "ended by signal 11; it said: panic!"),
    ],
)
def test_what_ended_it_counts_more_than_its_last_word(facts: dict[str, Any], status: str, said: str) -> None:
    found, message = verdict(DONE, **facts)
    assert found == status and said in message


@pytest.mark.parametrize(
    ("last", "status", "said"),
    [
        (failure("context_length", "too long"), "context_exhausted", "too long"),
        (failure("invalid_request", "no such parameter"), "provider_error", "no such parameter"),
        (failure("stream", "broke off"), "provider_error", "broke off"),
        (failure("bad_request", "no JSON"), "agent_error", "no JSON"),
        (answer(text="I will not.", stop="refusal"), "refused", "the model refused: I will not."),
        (answer(stop="refusal"), "refused", "it gave no reason"),
        (answer("c2"), "agent_error", "it ended although the model had called trial__terminal"),
    ],
)
def test_the_last_call_tells(last: Answered, status: str, said: str) -> None:
    found, message = verdict([answer("c1"), last])
    assert found == status and said in message


def test_an_error_that_the_agent_got_over_does_not_count() -> None:
    assert verdict([failure("context_length"), answer(text="Shorter now.")])[0] == "completed"


def test_a_harness_that_stops_at_its_own_turn_limit() -> None:
    assert verdict([answer("c1"), answer("c2")], turns=2) == ("turn_limit", "it used its 2 turns")
    assert verdict([answer("c1"), answer(text="Done.")], turns=2)[0] == "completed"


def test_an_agent_that_never_asked_its_model() -> None:
    assert verdict([], complaint="no such option") == (
        "agent_error",
        "it ended without asking its model; it said: no such option",
    )
