"""The place of one check: a copy of the agent's files, a sandbox, a twin, and the drivers that use them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from trialbalance.grading.app import App
from trialbalance.grading.database import Database
from trialbalance.grading.draw import Draw, derive
from trialbalance.grading.errors import Failed, GraderFault
from trialbalance.grading.evidence import Evidence, Settler
from trialbalance.grading.grader_twin import GraderTwin
from trialbalance.grading.log import Log
from trialbalance.grading.original import Original
from trialbalance.grading.shopper import Shopper
from trialbalance.grading.submission import Submission
from trialbalance.grading.trial_twin import TrialTwin
from trialbalance.tasks import Environment, Task, copy_tree, remove_tree

Opener = Callable[[Task, Path, Path, int], Environment]
"""Opens a task's environment on a tree: task, tree, scratch directory, seed."""


@dataclass(frozen=True)
class Ground:
    """What all places of one grade share. `tree` is the copy of the agent's files, built when the task
    builds; `build` is the failure of that build, if it failed. `start` finds the prepared tree that the agent began with.
    """

    task: Task
    tree: Path
    scratch: Path
    screenshots: Path
    trial_twin: Path
    seed: int
    log: Log
    open: Opener
    build: Failed | None
    started: float
    start: Callable[[], Path] | None = None


class Place:
    """Drivers for one check or scenario, each made when it is asked for. Close it in the thread that used
    it.
    """

    def __init__(self, ground: Ground, label: str) -> None:
        self.label = label
        self.evidence = Evidence()
        self._ground = ground
        self._scratch = ground.scratch / label
        self._seed = derive(ground.seed, label)
        self._environment: Environment | None = None
        self._all: list[Environment] = []
        self._ended = threading.Event()
        self._lock = threading.Lock()

    def driver(self, name: str) -> Any:
        """The driver of a name that checks may ask for."""
        return getattr(self, name)

    @property
    def environment(self) -> Environment:
        """The running environment, on a fresh copy of the files."""
        if self._environment is None and not self._ended.is_set():
            self._environment = self._opened(self._ground.tree, "app", "host")
        if self._ended.is_set() or self._environment is None:
            raise GraderFault("the grade has been ended")
        return self._environment

    def _opened(self, source: Path, app: str, host: str) -> Environment:
        tree = self._scratch / app
        copy_tree(source, tree)
        opened = self._ground.open(self._ground.task, tree, self._scratch / host, self._seed)
        with self._lock:
            self._all.append(opened)
        if self._ended.is_set():  # meanwhile, by another thread
            opened.close()
        return opened

    @cached_property
    def app(self) -> App:
        """The app, not started yet."""
        return App(self.environment, self.evidence, self._ground.log, self._ground.build)

    @cached_property
    def twin(self) -> GraderTwin:
        """The twin behind the app."""
        return GraderTwin(self.environment, self.evidence, self._ground.log)

    @cached_property
    def original(self) -> Original:
        """The app as the task hands it out, with a twin of the same seed."""
        if self._ground.start is None:
            raise GraderFault("the tree the agent began with is not at hand, so there is no original app")
        opened = self._opened(self._ground.start(), "original", "original-host")
        return Original(opened, self.evidence, self._ground.log)

    @cached_property
    def shopper(self) -> Shopper:
        """A browser in the app's network."""
        screenshots = self._ground.screenshots / self.label
        app = self.app if self._ground.task.app is not None else None
        return Shopper(self.environment, app, self.evidence, self._ground.log, screenshots)

    @cached_property
    def database(self) -> Database:
        """The database of the running copy."""
        app = self.app if self._ground.task.app is not None else None
        return Database(self.environment, app, self.evidence)

    @cached_property
    def submission(self) -> Submission:
        """The submitted file, in the agent's files as they were."""
        return Submission(self._ground.tree, self._ground.task.config.metadata.submission, self.evidence)

    @cached_property
    def trial(self) -> TrialTwin:
        """The twin of the agent's own trial."""
        return TrialTwin(self._ground.trial_twin, self.evidence)

    @cached_property
    def draw(self) -> Draw:
        """Random inputs of this check."""
        return Draw(self._seed, self.evidence)

    def broken(self) -> list[str]:
        """What of ours broke while the check ran: answers of the twin that are no answers."""
        broken = self.twin.broken() if self._environment is not None else []
        original = self.__dict__.get("original")
        return broken + original.twin.broken() if original is not None else broken

    def settler(self) -> Settler:
        """Stable names for this place's evidence."""
        names = {
            self._scratch / "app": "/app",
            self._scratch / "original": "/app",
            self._ground.tree: "/app",
            self._scratch: "<scratch>",
            self._ground.scratch: "<scratch>",
        }
        drawn = self.draw.values if "draw" in self.__dict__ else []
        app = self._ground.task.app
        port = app.port if app is not None else None
        return Settler(paths=names, keep=drawn, port=port, started=self._ground.started)

    def close(self) -> None:
        """End everything and remove the copy."""
        for name in ("shopper", "original", "app", "twin"):
            driver = self.__dict__.get(name)
            if driver is not None:
                driver.close()
        self.end()
        remove_tree(self._scratch)

    def end(self) -> None:
        """End sandbox and twin, from any thread: whoever is waiting for them gets an error."""
        with self._lock:
            self._ended.set()
            opened = list(self._all)
        for environment in opened:
            environment.close()
