"""A job runs each trial once, whatever happens on the way."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.trials.conftest import FAKE, MakeJob, fake

from trialbalance.trials import BadJob, Job, StorageFailed, Threads, Tick
from trialbalance.trials.holding import held
from trialbalance.trials.processes import descendants
from trialbalance.trials.result import read_result


def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait for a condition without a fixed pause."""
    gate, tries = threading.Event(), int(seconds / 0.02)
    for _ in range(tries):
        if condition():
            return
        gate.wait(0.02)
    raise AssertionError("the condition did not come true in time")


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_every_trial_runs_and_is_recorded(make_job: MakeJob) -> None:
    job = make_job("nop", "reference", samples=3)
    ticks: list[Tick] = []
    results = job.run(fake("pass"), parallel=2, observer=ticks.append)
    assert [(r.agent, r.sample, r.reward) for r in results] == [
        (agent, sample, 1) for agent in ("nop", "reference") for sample in (1, 2, 3)
    ]
    assert {result.job for result in results} == {"job"}
    assert max(len(tick.running) for tick in ticks) == 2
    assert len(ticks[-1].finished) == 6 and not ticks[-1].running
    assert read_result(job.folder / "shop__nop__1") == results[0]
    assert len((job.folder / "results.jsonl").read_text().splitlines()) == 6


def test_the_same_sample_has_the_same_seed_for_every_agent(make_job: MakeJob) -> None:
    plans = make_job("nop", "reference", samples=2).config.trials
    seeds = {(plan.agent.label, plan.sample): plan.seed for plan in plans}
    assert seeds["nop", 1] == seeds["reference", 1] != seeds["nop", 2]


def test_a_job_that_is_whole_runs_nothing_again(make_job: MakeJob) -> None:
    job = make_job("nop", samples=2)
    first = job.run(fake("pass"))
    assert Job.load(job.folder).run(fake("fail")) == first


def test_an_invalid_trial_is_tried_again_with_the_same_seed(make_job: MakeJob) -> None:
    (result,) = make_job().run(fake("invalid-once"))
    assert (result.status, result.reward, result.attempts) == ("completed", 1, 2)


def test_a_trial_stays_invalid_after_two_more_tries(make_job: MakeJob) -> None:
    job = make_job()
    (result,) = job.run(fake("invalid"))
    assert (result.status, result.reward, result.attempts) == ("invalid", None, 3)
    assert result.invalid_reason == "the sandbox did not start"
    assert (job.folder / "runs.txt").read_text().splitlines() == ["shop__nop__1"] * 3
    assert sorted(p.name for p in (job.folder / "shop__nop__1").glob("attempt-*")) == [
        "attempt-1",
        "attempt-2",
    ]


def test_a_grading_is_repeated_once_and_keeps_what_the_agent_did(make_job: MakeJob) -> None:
    job = make_job()
    (result,) = job.run(fake("ungraded"))
    assert (result.status, result.attempts) == ("invalid", 2)
    assert (job.folder / "shop__nop__1" / "agent").is_dir()


def test_a_trial_whose_process_dies_is_invalid_and_says_so(make_job: MakeJob) -> None:
    (result,) = make_job().run(fake("die"))
    assert (result.status, result.invalid_stage, result.attempts) == ("invalid", "worker", 3)
    assert "signal 9" in str(result.invalid_reason)


def test_ctrl_c_leaves_no_child(make_job: MakeJob) -> None:
    job = make_job("nop", "reference")
    pids: list[int] = []

    def interrupt(tick: Tick) -> None:
        files = [folder / "child.pid" for folder in tick.running.values()]
        if len(files) == 2 and all(file.exists() and file.read_text() for file in files):
            pids.extend(int(file.read_text()) for file in files)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        job.run(fake("hang"), parallel=2, observer=interrupt)
    assert len(pids) == 2
    until(lambda: not any(alive(pid) for pid in pids))
    assert len(Job.load(job.folder).run(fake("pass"))) == 2


def test_a_trial_that_ignores_sigterm_is_killed_with_its_children(make_job: MakeJob) -> None:
    from trialbalance.trials import processes

    job = make_job()
    folder = job.folder / "shop__nop__1"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    process = processes.start(
        [sys.executable, str(FAKE), "stubborn", str(folder), str(os.getpid())], log=folder / "log"
    )
    until(lambda: (folder / "child.pid").exists() and (folder / "child.pid").read_text() != "")
    child = int((folder / "child.pid").read_text())
    assert child in descendants(process.pid)
    processes.end(process, patience=0.1)
    until(lambda: not alive(child))
    assert process.poll() == -signal.SIGKILL


RUN_JOB = """
import sys
from pathlib import Path
from tests.trials.conftest import fake
from trialbalance.trials import Job
Job.load(Path(sys.argv[1])).run(fake(sys.argv[2]), parallel=2)
"""


def test_kill_9_in_the_middle_loses_and_repeats_nothing(make_job: MakeJob) -> None:
    job = make_job("nop", samples=12)
    root = Path(__file__).parents[2]
    process = subprocess.Popen([sys.executable, "-c", RUN_JOB, str(job.folder), "pass"], cwd=root)
    results = job.folder / "results.jsonl"
    try:
        until(lambda: results.exists() and len(results.read_bytes().splitlines()) >= 3)
    finally:
        process.kill()
        process.wait()
    recorded = {json.loads(line)["trial"] for line in results.read_bytes().split(b"\n")[:-1]}
    with contextlib.suppress(OSError), results.open("ab") as file:
        file.write(b'{"trial": "cut sho')  # as a kill between two pages of a write would leave it
    after = Job.load(job.folder).run(fake("pass"), parallel=2)
    assert len(after) == 12
    lines = [json.loads(line)["trial"] for line in results.read_text().splitlines()]
    assert sorted(lines) == sorted(set(lines)) and len(lines) == 12
    runs = (job.folder / "runs.txt").read_text().splitlines()
    assert all(runs.count(trial) == 1 for trial in recorded)


def test_a_result_whose_line_was_lost_is_recorded_again(make_job: MakeJob) -> None:
    job = make_job("nop", samples=2)
    job.run(fake("pass"))
    (job.folder / "results.jsonl").unlink()
    assert len(Job.load(job.folder).run(fake("die"))) == 2


def test_two_processes_cannot_run_one_job(make_job: MakeJob) -> None:
    job = make_job()

    def second(_: Tick) -> None:
        Job.load(job.folder).run(fake("pass"))

    with pytest.raises(BadJob, match="being run by process"):
        job.run(fake("pass"), observer=second)


def test_a_job_folder_is_not_written_over(make_job: MakeJob) -> None:
    make_job()
    with pytest.raises(BadJob, match="--resume"):
        make_job()


def test_threads_run_trials_too(make_job: MakeJob) -> None:
    from tests.trials.fake_trial import finish

    results = make_job("nop", samples=3).run(Threads(lambda folder: finish(folder, reward=0)), parallel=3)
    assert [result.reward for result in results] == [0, 0, 0]


def test_a_thread_that_raises_is_an_invalid_trial(make_job: MakeJob) -> None:
    def broken(_: Path) -> None:
        raise ValueError("oops")

    (result,) = make_job().run(Threads(broken))
    assert result.status == "invalid" and "ValueError: oops" in str(result.invalid_reason)


@pytest.mark.parametrize("content", ["{", '{"schema_version": "9"}', '{"schema_version": "1"}'])
def test_a_broken_config_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(BadJob, match=r"config\.json"):
        Job.load(tmp_path)


def test_a_folder_that_is_no_job_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadJob, match="no job folder"):
        Job.load(tmp_path / "absent")


def test_a_job_cannot_be_made_below_a_file(make_job: MakeJob, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageFailed, match="--jobs-dir"):
        make_job(folder=tmp_path / "file" / "job")


def test_whoever_resumes_waits_for_the_trials_of_a_killed_run(tmp_path: Path) -> None:
    """The lock is free only when the last process that inherited it is gone."""
    script = """
import os, subprocess, sys
from pathlib import Path
from trialbalance.trials.holding import held
with held(Path(sys.argv[1])) as lock:
    child = subprocess.Popen(["sleep", "1000"], pass_fds=(lock,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(child.pid, flush=True)
    os.kill(os.getpid(), 9)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=False
    )
    trial = int(done.stdout)
    try:
        with pytest.raises(BadJob, match="have not ended"), held(tmp_path, patience=0.2):
            pass
    finally:
        os.kill(trial, signal.SIGKILL)
    with held(tmp_path, patience=20):
        assert (tmp_path / ".lock").read_text().startswith(f"{os.getpid()} ")
