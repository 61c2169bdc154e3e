"""What a person sees while a job runs."""

from __future__ import annotations

import io
import json
from pathlib import Path

from rich.console import Console
from tests.report.sample import make_job

from trialbalance.cli.live import LiveView, finished_line, last_step
from trialbalance.trials import Tick


class Hour:
    """A clock that stands where it is put."""

    at = 0.0

    def now(self) -> int:
        return 0

    def monotonic(self) -> float:
        return self.at


def add(path: Path, *entries: dict[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.writelines(json.dumps(entry) + "\n" for entry in entries)


def test_plain_lines_where_there_is_no_terminal(tmp_path: Path) -> None:
    output = io.StringIO()
    view = LiveView(Console(file=output, width=100, force_terminal=False), Hour())
    with view.shown():
        add(tmp_path / "t" / "events.jsonl", {"event": "phase", "name": "agent"})
        view.update(Tick({"t": tmp_path / "t"}, (), 2))
        view.update(Tick({"t": tmp_path / "t"}, (), 2))
        result = make_job(tmp_path / "job", samples=1).results()[0]
        view.update(Tick({}, (result,), 2))
        view.update(Tick({}, (result,), 2))
    assert output.getvalue().splitlines() == [
        "  t: agent",
        "[1/2] card-element-to-checkout · goose-replay: reward 1, 6/6 checks, 1 min 02 s",
    ]


def test_a_table_that_follows_the_agent(tmp_path: Path) -> None:
    output, clock = io.StringIO(), Hour()
    console = Console(file=output, width=120, force_terminal=True, no_color=True)
    view = LiveView(console, clock)
    call = {"cost_usd": 0.25, "response": {"choices": [{"message": {"tool_calls": [
        {"function": {"name": "trial__terminal", "arguments": '{"command": "npm test"}'}}]}}]}}  # fmt: skip
    with view.shown():
        view.update(Tick({"t": tmp_path / "t"}, (), 1))
        clock.at = 61.0
        add(tmp_path / "t" / "events.jsonl", {"event": "phase", "name": "agent"})
        add(tmp_path / "t" / "gateway" / "calls.jsonl", call, call)
        tick = Tick({"t": tmp_path / "t"}, (), 1)
        view.update(tick)
        shown = console.render_str("")
        with console.capture() as capture:
            console.print(view._table(tick, clock.at))
    assert shown is not None
    for part in (
        "0 of 1 trials done",
        "agent",
        "1 min 01 s",
        "2",
        "$0.50",
        'terminal {"command": "npm test"}',
    ):
        assert part in capture.get()


def test_the_last_step_of_every_dialect() -> None:
    assert last_step(
        {"response": {"content": [{"type": "tool_use", "name": "Bash", "input": {"command": "ls"}}]}}
    ) == ("Bash {'command': 'ls'}")
    assert (
        last_step({"response": {"output": [{"type": "function_call", "name": "shell", "arguments": "{}"}]}})
        == "shell {}"
    )
    assert last_step({"response": None}) == ""


def test_finished_lines_tell_what_matters(tmp_path: Path) -> None:
    results = {result.trial: result for result in make_job(tmp_path / "job").results()}
    limited = results["card-element-to-checkout__goose-large-1__3"]
    line = finished_line(limited, 1, 2).plain
    assert "· 3: reward 0, 4/6 checks" in line and "agent ended by timeout" in line and "$0.0731" in line
    assert (
        "invalid (agent: the model provider"
        in finished_line(results["subscription-upgrades__goose-large-1__4"], 1, 2).plain
    )
