"""What goose is told survives goose's templates."""

import json
import subprocess
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from trialbalance.agents import AgentUnavailable
from trialbalance.agents.goose import find_goose
from trialbalance.agents.goose.recipe import write_recipe

HARD = 'Use {{ braces }} {% raw %} {# no #} {{\'{\'}} "quotes" \\ back\nand:\n- "a": b\n${HOME} ünïcode'


@given(st.text())
def test_an_instruction_without_templates_is_plain_json(instruction: str) -> None:
    plain = instruction.replace("{", "")
    recipe = json.loads(write_recipe(plain, ["socat", "-", "x"]))
    assert recipe["prompt"] == plain
    assert recipe["extensions"][0] | {"timeout": 0} == {
        "type": "stdio",
        "name": "trial",
        "description": "Terminal, browser and documentation",
        "cmd": "socat",
        "args": ["-", "x"],
        "timeout": 0,
    }


@pytest.mark.parametrize("instruction", [HARD, "{", "{{", "}}", "{%", "{{{a}}}", "{{ '{' }}"])
def test_the_real_goose_reads_any_instruction_as_it_is(tmp_path: Path, instruction: str) -> None:
    try:
        goose = find_goose()
    except AgentUnavailable as missing:
        pytest.skip(str(missing))
    path = tmp_path / "recipe.json"
    path.write_text(write_recipe(instruction, ["socat"]))
    command = [str(goose.path), "run", "--recipe", str(path), "--render-recipe"]
    done = subprocess.run(command, capture_output=True, text=True, env={"HOME": str(tmp_path)}, check=True)
    assert yaml.safe_load(done.stdout)["prompt"] == instruction
