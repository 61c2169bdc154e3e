"""A job that is interrupted or killed in the middle of a real trial leaves no process behind, and goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.program import ROOT, run

from trialbalance.trials import read_results
from trialbalance.trials.processes import descendants

TASK = ROOT / "tests" / "tasks" / "data" / "member-desk"

pytestmark = [pytest.mark.sandbox, pytest.mark.browser, pytest.mark.timeout(600)]


def until(condition: Callable[[], bool], seconds: float, what: str) -> None:
    """Wait for a condition without a fixed pause."""
    gate = threading.Event()
    for _ in range(int(seconds / 0.05)):
        if condition():
            return
        gate.wait(0.05)
    raise AssertionError(f"not in time: {what}")


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def reached(trial: Path, phase: str) -> bool:
    try:
        lines = (trial / "events.jsonl").read_text().splitlines()
    except OSError:
        return False
    return any(json.loads(line).get("name") == phase for line in lines)


@pytest.mark.parametrize("phase", ["agent", "grading"])
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-c", "kill-9"])
def test_nothing_is_left_and_the_job_goes_on(tmp_path: Path, phase: str, sign: signal.Signals) -> None:
    trial = tmp_path / "job" / f"{TASK.name}__reference__1"
    argv = [sys.executable, "-m", "trialbalance.cli", "run", "--task", str(TASK), "--agent", "reference"]
    argv += ["--jobs-dir", str(tmp_path), "--name", "job"]
    with subprocess.Popen(
        argv, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            until(lambda: reached(trial, phase) or process.poll() is not None, 180, f"phase {phase}")
            assert process.poll() is None, process.communicate()
            until(lambda: len(descendants(process.pid)) >= 3, 60, "a sandbox or a twin of the trial")
            below = descendants(process.pid)
            process.send_signal(sign)
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    if sign == signal.SIGINT:
        assert process.returncode == 130 and errors.endswith("trialbalance: interrupted\n")
        assert f"--resume {tmp_path / 'job'}" in errors
    until(lambda: not any(alive(pid) for pid in below), 60, f"{len(below)} processes end")
    assert read_results(tmp_path / "job") == []
    ran = run("run", "--resume", str(tmp_path / "job"), timeout=400)
    assert ran.code == 0, ran
    (result,) = read_results(tmp_path / "job")
    assert (result.status, result.reward, result.attempts) == ("completed", 1, 1)
    if phase == "grading":
        events = (trial / "events.jsonl").read_text()
        assert events.count('"name":"agent"') == 2, "the agent ran again, though it had finished"
