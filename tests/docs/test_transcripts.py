"""The transcripts in the docs are run: what they show is what the twin answers.

A `console` block is a command after `$ ` and JSON below it; every field shown must be in the answer with this value; a text
that ends in `…` is a beginning. `python` blocks with a `Twin(seed=…)` are run as they stand.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from trialbalance.twin import TwinConfig
from trialbalance.twin.process import TwinProcess

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"```console\n\$ (.+?)\n(.*?)```", re.DOTALL)
TRANSCRIPTS = [
    pytest.param(page.name, command, shown, id=f"{page.name}-{n}")
    for page in sorted(DOCS.glob("*.md"))
    for n, (command, shown) in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")))
    if "$TWIN" in command or "$CONTROL" in command
]


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """A fresh twin: seed 0, clock frozen at 2026-01-01."""
    config = TwinConfig(clock=1_767_225_600, frozen=True)
    with TwinProcess.start(seed=0, config=config) as process:
        yield {
            **os.environ,
            "TWIN": process.url,
            "KEY": process.secret_key,
            "SOCKET": process.control_path,
            "TOKEN": process.control_token,
        }


def contained(shown: Any, answer: Any, path: str = "") -> list[str]:
    """Where the answer differs from what the page shows of it."""
    if isinstance(shown, dict) and isinstance(answer, dict):
        return [
            problem
            for name, value in shown.items()
            for problem in (
                contained(value, answer[name], f"{path}.{name}")
                if name in answer
                else [f"{path}.{name} is missing"]
            )
        ]
    if isinstance(shown, str) and shown.endswith("…") and isinstance(answer, str):
        return [] if answer.startswith(shown[:-1]) else [f"{path}: shown {shown!r}, answered {answer!r}"]
    return [] if shown == answer else [f"{path}: shown {shown!r}, answered {answer!r}"]


@pytest.mark.parametrize(("page", "command", "shown"), TRANSCRIPTS)
def test_transcript(environment: dict[str, str], page: str, command: str, shown: str) -> None:
    command = command.replace("$CONTROL", "--unix-socket $SOCKET http://control")
    done = subprocess.run(
        ["bash", "-c", command], env=environment, capture_output=True, text=True, check=True
    )
    answer = json.loads(done.stdout)
    assert contained(json.loads(shown), answer) == []


def test_there_are_transcripts() -> None:
    assert len(TRANSCRIPTS) >= 6


@pytest.mark.parametrize("page", ["twin.md", "billing.md"])
def test_the_in_process_example_runs(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    (code,) = [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "Twin(seed" in block]
    exec(compile(code, f"docs/{page}", "exec"), {})


def test_the_seed_file_example_plays(tmp_path: Path) -> None:
    from trialbalance.twin import Twin
    from trialbalance.twin.control import play
    from trialbalance.twin.state import read_state

    text = (DOCS / "twin.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    path = tmp_path / "shop.yaml"
    path.write_text(block, encoding="utf-8")
    named = play(Twin(seed=1), read_state(path))
    assert named["notebook"]["name"] == "Field notebook"
