"""The real goose with a scripted model and our tools on a real sandbox."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.agents.conftest import Try
from trialbalance.agents import AgentBroken, Limits, ModelSpec, read_trajectory
from trialbalance.agents.goose.recipe import write_recipe
from trialbalance.gateway import Gateway, Patience, ReplayError, Upstream, read_calls
from trialbalance.sandbox import Sandbox

pytestmark = [pytest.mark.sandbox]

WORK = r"""
turns:
  - text: I look around and start the shop.
    calls:
      - {tool: terminal, arguments: {command: "ls; (python3 -m http.server 4242 >/dev/null 2>&1 &); export SHOP=open"}}
  - expect: ['index\.html', 'exit code 0']
    calls:
      - {tool: terminal, arguments: {command: "until curl -sf localhost:4242 >/dev/null; do :; done; echo shop $SHOP"}}
  - expect: 'shop open'
    calls:
      - {tool: browser_navigate, arguments: {url: "http://localhost:4242/"}}
  - capture: {pay: 'button "Pay" \[ref=(\w+)\]'}
    calls:
      - {tool: browser_screenshot, arguments: {}}
      - {tool: terminal, arguments: {command: "printf 'the button is @{pay}' > result.txt"}}
  - text: Done, the button is @{pay}.
"""
LOOP = "turns:\n" + "  - calls: [{tool: terminal, arguments: {command: date}}]\n" * 6 + "  - text: Done.\n"


def test_a_trial_by_hand_with_terminal_and_browser(goose: Try, project: Path, trial_dir: Path) -> None:
    (project / "index.html").write_text("<title>Shop</title><iframe srcdoc='<button>Pay</button>'></iframe>")
    outcome = goose(WORK, "Build {{ it }}: {% now %}.", limits=Limits(seconds=120, turns=20))
    assert (outcome.status, outcome.message, outcome.turns) == ("completed", "Done, the button is f1e2.", 5)
    assert (project / "result.txt").read_text() == "the button is f1e2"

    trajectory = read_trajectory((trial_dir / "agent" / "trajectory.json").read_bytes())
    assert trajectory == outcome.trajectory and trajectory.agent.name == "goose"
    assert trajectory.steps[0].message == "Build {{ it }}: {% now %}."
    shown = [[call.function_name for call in step.tool_calls or ()] for step in trajectory.steps[1:]]
    assert shown == [
        ["trial__terminal"],
        ["trial__terminal"],
        ["trial__browser_navigate"],
        ["trial__browser_screenshot", "trial__terminal"],
        [],
    ]
    second = trajectory.steps[2].observation
    assert second is not None and str(second.results[0].content).startswith("shop open\n[exit code 0]")
    assert (trial_dir / "agent" / "images" / "001.png").read_bytes().startswith(b"\x89PNG")
    assert trajectory.final_metrics is not None and trajectory.steps[1].metrics is not None
    assert trajectory.final_metrics.total_prompt_tokens == outcome.usage.prompt_tokens > 0

    calls = list(read_calls(trial_dir / "gateway" / "calls.jsonl"))
    assert len(calls) == 5 and all(call.error is None for call in calls)
    events = [json.loads(line) for line in (trial_dir / "events.jsonl").read_text().splitlines()]
    assert [event["tool"] for event in events[:3]] == ["terminal", "terminal", "browser_navigate"]
    assert {event["tool"] for event in events[3:]} == {"browser_screenshot", "terminal"}  # called at once


def test_the_projects_hints_reach_the_model(goose: Try, project: Path, trial_dir: Path) -> None:
    (project / "AGENTS.md").write_text("Prices are in cents.")
    (project / ".goosehints").write_text("Use tabs.")
    assert goose("turns: [{text: Done.}]").status == "completed"
    (call,) = read_calls(trial_dir / "gateway" / "calls.jsonl")
    system = call.request["messages"][0]["content"]
    assert "Prices are in cents." in system and "Use tabs." in system


def test_a_recorded_trial_is_replayed_to_the_same_end(
    goose: Try, project: Path, trial_dir: Path, tmp_path: Path
) -> None:
    first = goose(
        "turns: [{calls: [{tool: terminal, arguments: {command: 'date; echo hi > a'}}]}, {text: Done.}]"
    )
    recording = (trial_dir / "gateway" / "calls.jsonl").rename(tmp_path / "recording.jsonl")
    (project / "a").unlink()
    again = goose(replay=recording)
    assert (again.status, again.turns, again.usage) == (first.status, first.turns, first.usage)
    assert (project / "a").read_text() == "hi\n"
    other = goose(replay=recording, instruction="Make it fail.")
    assert other.status == "provider_error"
    assert "call 1, part 1 (user's text): recorded 'Make it work.', now 'Make it fail.'" in other.message


@pytest.mark.parametrize("name", ["openai/gpt-4.1", "openai/gpt-5", "anthropic/claude-opus-5"])
def test_goose_speaks_the_dialect_of_its_model_and_never_has_the_key(
    goose: Try, project: Path, trial_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    script = tmp_path / "provider.yaml"
    script.write_text(
        "turns: [{calls: [{tool: terminal, arguments: {command: 'env > env.txt'}}]}, {text: Done.}]"
    )
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real-secret")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-real-secret")
    with Gateway.start(record=tmp_path / "provider.jsonl", replay=script) as provider:
        outcome = goose(model=ModelSpec.parse(name, base_url=f"{provider.url}/v1"))
    assert outcome.status == "completed" and outcome.usage.cost_usd is not None and outcome.usage.cost_usd > 0
    dialects = {call.dialect for call in read_calls(trial_dir / "gateway" / "calls.jsonl")}
    assert dialects <= {"chat-completions", "responses"} if "openai" in name else dialects == {"messages"}
    for path in [project / "env.txt", *trial_dir.rglob("*")]:
        assert not path.is_file() or b"sk-real-secret" not in path.read_bytes()


def test_a_dead_provider_is_a_provider_error(goose: Try, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    dead = Upstream(url, "k", "openai", "gpt-5", Patience(attempts=2, first=0))
    monkeypatch.setattr(Upstream, "of", lambda spec: dead)
    outcome = goose(model=ModelSpec.parse("openai/gpt-5", base_url=url))
    assert outcome.status == "provider_error" and f"{url} cannot be reached" in outcome.message
    assert outcome.turns == 0 and outcome.trajectory is not None
    assert "cannot be reached" in str(outcome.trajectory.steps[-1].message)


@pytest.mark.parametrize(
    ("script", "limits", "status", "said", "turns"),
    [
        (LOOP, Limits(turns=3), "turn_limit", "3 turns", 3),
        (LOOP, Limits(tokens=600), "token_limit", "of its 600 tokens", 3),
        (
            "turns: [{calls: [{tool: terminal, arguments: {command: 'sleep 1000'}}]}, {text: a}]",
            Limits(seconds=3),
            "timeout",
            "after 3 s",
            1,
        ),
        ("turns: [{error: {status: 503, message: busy}}]", Limits(), "provider_error", "503: busy", 0),
        (
            "turns: [{text: 'I will not do this.', stop: refusal}]",
            Limits(),
            "refused",
            "I will not do this.",
            1,
        ),
        (
            "turns:\n" + "  - error: {status: 400, message: maximum context length is 10 tokens}\n" * 8,
            Limits(),
            "context_exhausted",
            "maximum context length",
            1,
        ),
        ("turns: [{calls: [{tool: teleport}]}]", Limits(), "provider_error", "calls 'teleport'", 0),
    ],
    ids=["turns", "tokens", "time", "provider", "refusal", "context", "script"],
)
def test_how_trials_end(goose: Try, script: str, limits: Limits, status: str, said: str, turns: int) -> None:
    outcome = goose(script, limits=limits)
    assert outcome.status == status and said in outcome.message
    assert outcome.turns == turns
    assert outcome.trajectory is not None and outcome.trajectory.notes == f"{status}: {outcome.message}"


def test_a_malformed_script_is_one_line_and_nothing_is_started(goose: Try, trial_dir: Path) -> None:
    with pytest.raises(ReplayError, match=r"script\.yaml: turn 1: Object contains unknown field `colour`"):
        goose("turns: [{text: a, colour: red}]")
    assert not (trial_dir / "events.jsonl").exists()


def test_goose_without_a_model_is_refused(goose: Try) -> None:
    with pytest.raises(AgentBroken, match=r"goose needs a model \(--model openai/NAME\) or a replay"):
        goose()


def test_goose_without_our_tools_is_no_trial(goose: Try, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = write_recipe("Go.", ["false"])
    monkeypatch.setattr("trialbalance.agents.goose.goose.write_recipe", lambda instruction, command: recipe)
    with pytest.raises(AgentBroken, match=r"goose worked without our tools: .*[Ff]ailed to start extension"):
        goose(LOOP)


def test_a_project_whose_machine_dies_is_no_trial(goose: Try, sandbox: Sandbox, project: Path) -> None:
    def pull_the_plug() -> None:
        while not (project / "on").exists():
            pass
        sandbox.close()

    puller = threading.Thread(target=pull_the_plug)
    puller.start()
    with pytest.raises(AgentBroken, match="the project's sandbox died while goose worked in it"):
        goose("turns: [{calls: [{tool: terminal, arguments: {command: 'mkfifo on; cat on'}}]}, {text: a}]")
    puller.join()


INTERRUPTED = """
import sys
import threading
from pathlib import Path
from trialbalance.agents import AgentContext, get_agent
from trialbalance.sandbox import SandboxSpec, open_sandbox
project, trial, script = (Path(name) for name in sys.argv[1:])
with open_sandbox(SandboxSpec(workspace=project)) as sandbox:
    get_agent("goose").run(AgentContext("Go.", trial, sandbox, replay=script))
"""


def test_an_interrupt_ends_everything(goose: Try, project: Path, trial_dir: Path, tmp_path: Path) -> None:
    script = tmp_path / "long.yaml"
    script.write_text(
        "turns: [{calls: [{tool: terminal, arguments: {command: 'mkfifo on; cat on; sleep 999'}}]}]"
    )
    command = [sys.executable, "-c", INTERRUPTED, str(project), str(trial_dir), str(script)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as running:
        while not (project / "on").exists():
            assert running.poll() is None, running.stderr.read() if running.stderr else ""
        os.kill(running.pid, signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    assert running.returncode in (1, 130, -signal.SIGINT) and "KeyboardInterrupt" in errors
    left = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    assert "sleep 999" not in left and str(trial_dir) not in left
