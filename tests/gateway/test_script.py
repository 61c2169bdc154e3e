"""A script is checked when it is read: a mistake is one line that says where."""

from pathlib import Path

import pytest

from trialbalance.gateway.errors import ReplayError
from trialbalance.gateway.script import fill, load_script

GOOD = r"""
schema_version: 1
model: scripted-x
turns:
  - text: First.
    calls:
      - {tool: terminal, arguments: {command: "echo @@{literal} ${HOME}"}}
  - expect: exit code 0
    capture: {name: 'id=(\w+)'}
    calls:
      - {tool: terminal, arguments: {command: "use @{name}", list: ["@{name}"], count: 3}}
  - text: Done with @{name}.
    usage: {prompt_tokens: 7, completion_tokens: 3}
"""


def load(tmp_path: Path, text: str) -> str:
    path = tmp_path / "script.yaml"
    path.write_text(text)
    with pytest.raises(ReplayError) as caught:
        load_script(path)
    message = str(caught.value)
    assert message.startswith(str(path)) and "\n" not in message
    return message.removeprefix(str(path))


def test_a_good_script_is_read(tmp_path: Path) -> None:
    path = tmp_path / "script.yaml"
    path.write_text(GOOD)
    script = load_script(path)
    assert script.model == "scripted-x" and len(script.turns) == 3
    assert script.turns[1].expected == ["exit code 0"]


def test_references_are_filled_in_everything_that_is_text() -> None:
    given = {"a": "x @{n} @@{n} ${n}", "b": ["@{n}"], "c": 3}
    assert fill(given, {"n": "1"}) == {"a": "x 1 @{n} ${n}", "b": ["1"], "c": 3}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("turns: [", ":1: not YAML: expected the node content"),
        ("- a", ": a script is a mapping with a list `turns`; see docs/agents.md"),
        ("model: x", ": a script is a mapping with a list `turns`"),
        ("turns: []", ": `turns` is empty"),
        ("turns: 3", ": turns: Expected `array`, got `int`"),
        ("turns: [{text: a, colour: red}]", ": turn 1: Object contains unknown field `colour`"),
        ("turns: [{calls: [{arguments: {}}]}]", ": turn 1.calls[0]: Object missing required field `tool`"),
        ("turns: [{text: a}, {calls: [{tool: 3}]}]", ": turn 2.calls[0].tool: Expected `str`, got `int`"),
        ("schema_version: 2\nturns: [{text: a}]", ": schema_version 2 is not known; write 1"),
        ("turns: [{}]", ": turn 1: it says nothing; give it `text`, `calls` or `error`"),
        ("turns: [{text: a, capture: {x: a}}]", ": turn 1: no tool result comes before it"),
        (
            "turns: [{text: a}, {text: b, capture: {x: '('}}]",
            ": turn 2: '(' is no regular expression: missing )",
        ),
        ("turns: [{text: a}, {text: b, expect: ['[']}]", ": turn 2: '[' is no regular expression"),
        ("turns: [{text: a}, {text: b, capture: {'x y': a}}]", ": turn 2: capture 'x y': use letters"),
        ("turns: [{text: '@{session}'}]", ": turn 1: @{session} is captured by no turn up to here"),
        ("turns: [{text: a, error: {status: 500, message: b}}]", ": turn 1: `error` stands alone"),
        ("turns: [{error: {status: 200, message: b}}]", ": turn 1: error status 200 is no HTTP error"),
        ("turns: [{text: a, stop: sometime}]", ": turn 1.stop: Invalid enum value 'sometime'"),
    ],
)
def test_a_mistake_is_one_line_that_says_where(tmp_path: Path, text: str, said: str) -> None:
    assert load(tmp_path, text).startswith(said)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "script.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ReplayError, match="not UTF-8 text"):
        load_script(path)
