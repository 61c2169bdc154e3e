"""Grade a finished trial: from the agent's files and the trial's twin to reward.json and metrics.json."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from trialbalance.grading.check import CheckSet, load_checks
from trialbalance.grading.errors import ChecksError, Failed, GraderFault
from trialbalance.grading.integrity import flags_of
from trialbalance.grading.log import Log
from trialbalance.grading.place import Ground, Opener
from trialbalance.grading.result import (
    CheckResult,
    Flag,
    Grade,
    Status,
    check_result,
    judge,
    metrics_json,
    reward_json,
)
from trialbalance.grading.runner import Progress, Runner, Watch
from trialbalance.tasks import (
    Environment,
    Task,
    TaskError,
    WorkspaceTooLarge,
    copy_untrusted,
    open_environment,
    prepare,
    remove_tree,
)

_WIND_DOWN = 30.0


def grade(
    task: Task,
    workspace: Path,
    trial_dir: Path,
    seed: int,
    *,
    start: Path | None = None,
    only: Sequence[str] = (),
    order: Sequence[str] | None = None,
    backend: str = "auto",
    timeout: float | None = None,
    watch: Watch | None = None,
    opener: Opener | None = None,
) -> Grade:
    """Grade what an agent left in `workspace`, and write `trial_dir/grader/`. Args: task: the task, which
    brings `tests/checks.py`. workspace: the agent's files as they were when it was stopped. They are
    copied, never changed. trial_dir: the trial's folder; `twin/journal.jsonl` and `twin/state.json` in it
    are offered to checks as `trial`. seed: draws every random input. The same files and seed give the same
    bytes. start: the prepared tree the agent began with, to tell what is new in `flags`. only: ids of the
    only checks to run; the others are `not_run`, and so the grade is invalid. order: ids in the order in
    which to run them; it changes nothing but the time each takes. backend: how to isolate; see
    `trialbalance.sandbox`. timeout: seconds for everything; by default the task's `verifier.timeout_sec`.
    watch: told of each check as it begins and ends. Returns: The grade. A fault of ours makes it invalid:
    then there is no reward.json. KeyboardInterrupt ends everything that was started.
    """
    seconds = timeout if timeout is not None else task.config.verifier.timeout_sec
    directory = trial_dir / "grader"
    remove_tree(directory)
    directory.mkdir(parents=True)
    scratch = Path(tempfile.mkdtemp(prefix="trialbalance-grade-"))
    try:
        with Log(directory / "log.txt") as log:
            work = _Work(task, workspace, trial_dir, seed, scratch, log, watch or _ignore)
            work.opener = opener or partial(_open, backend)
            work.order = order
            work.only = tuple(only)
            work.start = start
            work.backend = backend
            result = work.grade(start, seconds)
    finally:
        remove_tree(scratch)
    (directory / "metrics.json").write_bytes(metrics_json(result))
    if result.valid:
        (directory / "reward.json").write_bytes(reward_json(result))
    return result


class _Work:
    """One grade, in a thread of its own so that it can be ended in time."""

    opener: Opener
    order: Sequence[str] | None = None
    only: tuple[str, ...] = ()
    start: Path | None = None
    backend: str = "auto"

    def __init__(
        self, task: Task, workspace: Path, trial_dir: Path, seed: int, scratch: Path, log: Log, watch: Watch
    ) -> None:
        self.task = task
        self.workspace = workspace
        self.trial_dir = trial_dir
        self.seed = seed
        self.scratch = scratch
        self.log = log
        self.watch = watch
        self._runner: Runner | None = None
        self._building: Environment | None = None
        self._error: BaseException | None = None
        self._done = threading.Event()
        self._stopping = False

    def grade(self, start: Path | None, seconds: float) -> Grade:
        try:
            checks = load_checks(self.task.checks)
        except ChecksError as error:
            return judge((), (), str(error))
        unknown = sorted({*self.only, *(self.order or ())} - {check.id for check in checks.checks})
        if unknown:
            raise ValueError(f"there is no check {unknown[0]!r} in {self.task.name}")
        flags = flags_of(self.workspace, start or self.task.directory / "environment" / "app")
        tree = self.scratch / "tree"
        maximum = self.task.config.environment.storage_mb << 20
        try:
            copy_untrusted(self.workspace, tree, maximum)
        except WorkspaceTooLarge as error:
            return judge(_results(checks, "fail", str(error)), flags, None)
        except TaskError as error:
            return judge(_results(checks, "not_run", "it was not run"), flags, str(error))
        thread = threading.Thread(target=self._run, args=(checks, tree), name="grade", daemon=True)
        thread.start()
        try:
            # An event, because a thread whose join was interrupted passes for ended.
            in_time = self._done.wait(seconds)
        finally:
            if not self._done.is_set():
                self._stop()
                self._done.wait(_WIND_DOWN)
        return self._concluded(checks, flags, None if in_time else seconds)

    def _run(self, checks: CheckSet, tree: Path) -> None:
        try:
            started = time.time()
            build = self._build(tree)
            ground = Ground(
                task=self.task,
                tree=tree,
                scratch=self.scratch / "places",
                screenshots=self.trial_dir / "grader" / "screenshots",
                trial_twin=self.trial_dir / "twin",
                seed=self.seed,
                log=self.log,
                open=self.opener,
                build=build,
                started=started,
                start=self._start,
            )
            self._runner = Runner(ground, checks, self.watch)
            if self._stopping:
                return
            ids = [check.id for check in checks.checks]
            self._runner.run([name for name in self.order or ids if not self.only or name in self.only])
        except BaseException as error:
            self._error = error
        finally:
            self._done.set()

    def _build(self, tree: Path) -> Failed | None:
        """Run the task's build command on the graded copy; its failure fails every check that needs the
        app.
        """
        app = self.task.app
        if app is None or app.build is None:
            return None
        self.watch(Progress("build", app.build))
        with self.opener(self.task, tree, self.scratch / "build", self.seed) as environment:
            self._building = environment
            if self._stopping:
                return None
            done = environment.sandbox.exec(
                ["sh", "-c", app.build],
                cwd=f"/app/{app.directory}",
                env=environment.app_env(),
                timeout=app.build_timeout_sec,
            )
        self._building = None
        self.log.write(f"$ {app.build} -> {done.exit_code}\n{done.stdout[-8000:]}\n{done.stderr[-8000:]}")
        if done.timed_out:
            return Failed(
                f"the app was not built within {app.build_timeout_sec:g} seconds", command=app.build
            )
        if done.exit_code != 0:
            return Failed("the app could not be built", command=app.build, exit_code=done.exit_code)
        return None

    def _start(self) -> Path:
        """The tree the agent began with, prepared when it is not at hand."""
        if self.start is None:
            try:
                self.start = prepare(self.task, backend=self.backend).tree
            except TaskError as error:
                raise GraderFault(str(error)) from error
        return self.start

    def _stop(self) -> None:
        self._stopping = True
        if self._runner is not None:
            self._runner.stop()
        if self._building is not None:
            self._building.close()

    def _concluded(self, checks: CheckSet, flags: tuple[Flag, ...], late: float | None) -> Grade:
        runner = self._runner
        faults = [] if runner is None else list(runner.faults)
        if self._error is not None:
            faults.insert(0, f"{type(self._error).__name__}: {self._error}")
        if late is not None:
            faults.insert(0, f"the grader was not done within {late:g} seconds")
        if runner is None:
            results = _results(checks, "not_run", "it was not run")
        else:
            results = tuple(runner.result(check) for check in checks.checks)
        return judge(results, flags, "; ".join(faults) or None)


def _results(checks: CheckSet, status: Status, message: str) -> tuple[CheckResult, ...]:
    return tuple(check_result(check, status, message) for check in checks.checks)


def _open(backend: str, task: Task, tree: Path, scratch: Path, seed: int) -> Environment:
    return open_environment(task, tree, scratch, seed=seed, backend=backend)


def _ignore(progress: Progress) -> None:
    """Nobody watches."""
