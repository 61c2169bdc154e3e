"""A job: many trials, run a few at a time, recorded so that it can be killed at any moment and taken up
again.

```
<job>/config.json    what was asked, with every trial's plan
<job>/lock.json      versions and digests it ran with
<job>/results.jsonl  one line per finished trial, appended and synced
<job>/<trial>/       see trial.py
```
A trial is finished when its `result.json` is there; `results.jsonl` is brought up to date from those, so
that a kill between the two loses nothing and repeats nothing.
"""

from __future__ import annotations

import select
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from trialbalance.trials.clock import Clock, WallClock
from trialbalance.trials.errors import BadJob
from trialbalance.trials.executor import Executor, Running
from trialbalance.trials.files import (
    append_line,
    make_folder,
    read_json,
    read_lines,
    repair_lines,
    write_json,
)
from trialbalance.trials.holding import held
from trialbalance.trials.plan import TrialPlan
from trialbalance.trials.result import TrialResult, decode_result, read_result, read_results

SCHEMA = "1"


class JobConfig(msgspec.Struct, frozen=True, kw_only=True):
    """`config.json` of a job."""

    schema_version: str = SCHEMA
    name: str
    created_at: int
    suite: str | None
    seed: int
    samples: int
    trials: tuple[TrialPlan, ...]


class Tick(NamedTuple):
    """What a live view is told four times a second: who runs, and what is done."""

    running: Mapping[str, Path]
    finished: tuple[TrialResult, ...]
    total: int


Observer = Callable[[Tick], None]


def _nobody(_: Tick) -> None:
    return None


class Job:
    """One job folder, held by one process at a time."""

    def __init__(self, folder: Path, config: JobConfig, *, clock: Clock | None = None) -> None:
        self.folder = folder
        self.config = config
        self.clock = clock or WallClock()
        self._finished: dict[str, TrialResult] = {}

    @classmethod
    def create(
        cls, folder: Path, config: JobConfig, lock: Mapping[str, Any], *, clock: Clock | None = None
    ) -> Job:
        """Write a new job's folder; BadJob when it exists."""
        if (folder / "config.json").exists():
            raise BadJob(f"{folder} holds a job already; continue it with --resume {folder}, or name another")
        make_folder(folder)
        write_json(folder / "lock.json", {"schema_version": SCHEMA, **lock})
        write_json(folder / "config.json", config)
        return cls(folder, config, clock=clock)

    @classmethod
    def load(cls, folder: Path, *, clock: Clock | None = None) -> Job:
        """Read a job that exists."""
        if not folder.is_dir():
            raise BadJob(f"{folder} is no job folder; `trialbalance run` prints the path of each job")
        path = folder / "config.json"
        value = read_json(path, what="the job's config")
        if isinstance(value, dict) and str(value.get("schema_version", "1")) != SCHEMA:
            raise BadJob(f"{path} has schema_version {value['schema_version']!r}; upgrade trialbalance")
        try:
            return cls(folder, msgspec.convert(value, JobConfig), clock=clock)
        except msgspec.ValidationError as error:
            raise BadJob(f"{path} is no job config: {error}") from error

    def results(self) -> list[TrialResult]:
        """Every finished trial's result."""
        return read_results(self.folder)

    def run(
        self, executor: Executor, *, parallel: int = 1, observer: Observer = _nobody
    ) -> list[TrialResult]:
        """Run every trial that has no result yet; returns all results. KeyboardInterrupt stops what runs."""
        if parallel < 1:
            raise BadJob(f"--parallel {parallel}: at least one trial has to run at a time")
        with held(self.folder) as lock:
            self._catch_up()
            self._finished = {result.trial: result for result in self.results()}
            waiting = [plan for plan in self.config.trials if plan.trial not in self._finished]
            running: dict[str, tuple[TrialPlan, Running]] = {}
            try:
                while waiting or running:
                    while waiting and len(running) < parallel:
                        plan = waiting.pop(0)
                        running[plan.trial] = (plan, executor.start(self._prepare(plan), hold=lock))
                    self._tell(observer, running)
                    select.select([one.fileno() for _, one in running.values()], [], [], 0.25)
                    for name, (plan, one) in list(running.items()):
                        how = one.ended()
                        if how is not None:
                            del running[name]
                            if not self._settle(plan, how):
                                waiting.insert(0, plan)
                self._tell(observer, running)
            finally:
                _stop([one for _, one in running.values()])
        return self.results()

    def _tell(self, observer: Observer, running: Mapping[str, object]) -> None:
        folders = {name: self.folder / name for name in running}
        observer(Tick(folders, tuple(self._finished.values()), len(self.config.trials)))

    def _prepare(self, plan: TrialPlan) -> Path:
        """The trial's folder with its config, ready to be started."""
        folder = make_folder(self.folder / plan.trial)
        (folder / "attempt.json").unlink(missing_ok=True)
        write_json(folder / "config.json", plan)
        return folder

    def _catch_up(self) -> None:
        """Record the trials that finished, but of which a kill kept the result or its line from being
        written.
        """
        path = self.folder / "results.jsonl"
        repair_lines(path)
        recorded = {value.get("trial") for value in read_lines(path) if isinstance(value, dict)}
        for plan in self.config.trials:
            if plan.trial not in recorded:
                result = read_result(self.folder / plan.trial)
                if result is not None:
                    self._record(result)
                elif (self.folder / plan.trial / "attempt.json").exists():
                    self._settle(plan, "")

    def _record(self, result: TrialResult) -> None:
        append_line(self.folder / "results.jsonl", msgspec.json.encode(result))
        self._finished[result.trial] = result

    def _settle(self, plan: TrialPlan, how: str) -> bool:
        """Record a trial that ended; False when it has to be tried again."""
        folder = self.folder / plan.trial
        attempt_path = folder / "attempt.json"
        if attempt_path.exists():
            verdict = read_json(attempt_path, what="the attempt")
            retries, result = int(verdict["retries"]), decode_result(verdict["result"], where=attempt_path)
        else:
            retries, result = 2, self._died(plan, how or "ended without a result")
        number = len(list(folder.glob("attempt-*"))) + 1
        if result.status == "invalid" and number <= retries:
            keep_aside(folder, number, again_from=result.invalid_stage)
            return False
        result = msgspec.structs.replace(result, job=self.config.name, attempts=number)
        write_json(folder / "result.json", result)
        attempt_path.unlink(missing_ok=True)
        self._record(result)
        return True

    def _died(self, plan: TrialPlan, how: str) -> TrialResult:
        now = self.clock.now()
        return blank_result(
            plan,
            status="invalid",
            invalid_stage="worker",
            invalid_reason=f"the trial's process {how}; see harness.log",
            started_at=now,
            finished_at=now,
        )


def _stop(running: list[Running]) -> None:
    """End all at once; a second Ctrl-C ends them by force."""
    for one in running:
        one.ask()
    try:
        for one in running:
            one.stop()
    except KeyboardInterrupt:
        for one in running:
            one.stop(patience=0.0)
        raise


def blank_result(plan: TrialPlan, **fields: Any) -> TrialResult:
    """A result with what the plan says, and the given fields."""
    return TrialResult(
        job=plan.job,
        trial=plan.trial,
        task=plan.task.name,
        task_version=plan.task.version,
        task_digest=plan.task.digest,
        suite=plan.task.suite,
        agent=plan.agent.label,
        agent_program=plan.agent.program,
        model=plan.agent.model,
        sample=plan.sample,
        seed=plan.seed,
        **fields,
    )


def keep_aside(folder: Path, number: int, *, again_from: str | None) -> None:
    """Move what an attempt left into `attempt-N/`, so that it stays visible; the agent's part stays when only
    the grading has to be repeated."""
    aside = folder / f"attempt-{number}"
    aside.mkdir()
    keep = {"config.json", aside.name}
    if again_from == "grading":
        keep |= {"agent", "gateway", "twin", "lock.json"}
    for entry in sorted(folder.iterdir()):
        if entry.name in keep or entry.name.startswith("attempt-"):
            continue
        if entry.name.startswith(".work"):
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.rename(aside / entry.name)
