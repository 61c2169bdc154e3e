"""The app as the task hands it out, beside the app under test: for tasks in which callers must notice nothing.

It runs in an environment of its own, with a twin of the same seed: what both twins were seeded with has the same ids
and keys, so the answers of both apps can be compared. The agent's code never gets near it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx

from trialbalance.grading.app import App, Ran
from trialbalance.grading.errors import Failed, GraderFault
from trialbalance.grading.evidence import Evidence
from trialbalance.grading.grader_twin import GraderTwin
from trialbalance.grading.log import Log
from trialbalance.tasks import Environment


class Original:
    """The start tree's app. Whatever it does wrong is our fault, never the agent's."""

    def __init__(self, environment: Environment, evidence: Evidence, log: Log) -> None:
        self._app = App(environment, evidence, log, None)
        self._session = self._app.session()
        self._environment = environment
        self._built = False
        self.twin = GraderTwin(environment, evidence, log)

    def start(self) -> None:
        """Build it if the task builds, and start it; otherwise the first request does."""
        self._build()
        try:
            self._app.start()
        except Failed as failed:
            raise self._fault(failed) from failed

    def request(self, method: str, path: str, **arguments: Any) -> httpx.Response:
        """One request, whatever its status; see `App.request`."""
        self.start()
        try:
            return self._app.request(method, path, **arguments)
        except Failed as failed:
            raise self._fault(failed) from failed

    def attempt(self, method: str, path: str, **arguments: Any) -> httpx.Response:
        """The same, written to the log only, as `Session.attempt` is."""
        self.start()
        response, problem = self._session.attempt(method, path, **arguments)
        if response is None:
            raise GraderFault(f"the original app: {method} {path}: {problem}")
        return response

    def run(self, argv: Sequence[str], timeout: float = 60.0) -> Ran:
        """A command beside it; see `App.run`."""
        self._build()
        try:
            return self._app.run(argv, timeout)
        except Failed as failed:
            raise self._fault(failed) from failed

    def close(self) -> None:
        """Stop it."""
        self._app.close()
        self.twin.close()

    def _build(self) -> None:
        app = self._environment.task.app
        if self._built or app is None or app.build is None:
            return
        done = self._app.run(["sh", "-c", app.build], app.build_timeout_sec)
        if done.exit_code != 0:
            raise GraderFault(f"the original app could not be built: {app.build}")
        self._built = True

    @staticmethod
    def _fault(failed: Failed) -> GraderFault:
        return GraderFault(f"the original app: {failed.message}")
