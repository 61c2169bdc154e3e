"""The agent's app: started afresh in a sandbox of its own, driven over HTTP, restarted, killed."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal, NamedTuple

import httpx

from trialbalance.grading.errors import Failed, GraderFault
from trialbalance.grading.evidence import Evidence
from trialbalance.grading.files import read_file
from trialbalance.grading.log import Log
from trialbalance.grading.session import Session
from trialbalance.sandbox import Process
from trialbalance.tasks import AppTable, Environment, ServiceTable

_INTERVAL = 0.05
_POLITE_SECONDS = 5.0
_DYING = 2.0
_TAIL = 40

Signature = Literal["valid", "forged", "old", "missing"]


class Ran(NamedTuple):
    """A finished command."""

    exit_code: int
    stdout: str
    stderr: str


class App:
    """The app under test.

    The first use starts it. Whatever it does wrong is `Failed`: it does not start, crashes, hangs, answers
    nonsense. When instead the sandbox is gone, that is a `GraderFault`.
    """

    def __init__(self, environment: Environment, evidence: Evidence, log: Log, build: Failed | None) -> None:
        table = environment.task.app
        if table is None:
            raise GraderFault("the task has no [metadata.app], so there is no app to drive")
        self._table: AppTable = table
        self._environment = environment
        self._evidence = evidence
        self._log = log
        self._build = build
        self._process: Process | None = None
        self._services: list[Process] = []
        self._extra: dict[str, str] = {}
        self._sessions: list[Session] = []
        self._runs = 0
        self._main = self.session()

    # Life

    def start(self, env: Mapping[str, str] | None = None) -> None:
        """Start the services and the app, and wait until its health path answers below 500.

        `env` are variables on top of the task's, kept for later starts. Starting twice is starting once.
        """
        if self._process is not None:
            return
        if self._build is not None:
            raise Failed(self._build.message, **self._build.evidence)
        if env is not None:
            self._extra = dict(env)
        self.start_services()
        self._launch()

    def restart(self) -> None:
        """Stop the app and start it again on the same files; services keep running."""
        self.stop()
        self._launch()

    def stop(self) -> None:
        """Ask the app to stop, and kill what is left after some seconds."""
        if self._process is not None:
            self._process.terminate()
            self._evidence.add("app", event="stopped")
            self._process = None

    def kill(self) -> None:
        """Kill the app at once, as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._evidence.add("app", event="killed")
            self._process = None

    @property
    def running(self) -> bool:
        """Whether the app has been started and has not ended."""
        return self._process is not None and self._process.poll() is None

    # Requests

    @property
    def url(self) -> str:
        """The app as its own network sees it."""
        return f"http://127.0.0.1:{self._table.port}"

    def session(self) -> Session:
        """A connection with cookies of its own."""
        session = Session(lambda: _AppDoor(self), self._evidence, self._log)
        self._sessions.append(session)
        return session

    def request(self, method: str, path: str, **arguments: Any) -> httpx.Response:
        """See `Session.request`."""
        return self._main.request(method, path, **arguments)

    def get(self, path: str, **arguments: Any) -> httpx.Response:
        """See `Session.get`."""
        return self._main.get(path, **arguments)

    def post(self, path: str, **arguments: Any) -> httpx.Response:
        """See `Session.post`."""
        return self._main.post(path, **arguments)

    def call(self, method: str, path: str, **arguments: Any) -> Any:
        """See `Session.call`."""
        return self._main.call(method, path, **arguments)

    def together(self, requests: Sequence[tuple[str, str, Mapping[str, Any]]]) -> list[httpx.Response]:
        """Send several requests at the same moment, each on a connection of its own; the answers in order."""
        if not requests:
            raise GraderFault("together() was given no request")
        self.start()
        sessions = [self.session() for _ in requests]
        with ThreadPoolExecutor(len(requests)) as pool:
            pending = [
                pool.submit(session.attempt, method, path, **arguments)
                for session, (method, path, arguments) in zip(sessions, requests, strict=True)
            ]
            outcomes = [future.result() for future in pending]
        answers = []
        for (method, path, _), (response, problem) in zip(requests, outcomes, strict=True):
            self._evidence.add("http", request=f"{method} {path}", together=len(requests))
            if response is None:
                raise self.explain(f"{method} {path}: {problem}")
            answers.append(response)
        statuses = sorted(response.status_code for response in answers)
        self._evidence.add("http", together=len(requests), statuses=statuses)
        return answers

    def send_event(
        self,
        path: str,
        event: Mapping[str, Any],
        *,
        secret: str | None = None,
        signature: Signature = "valid",
    ) -> httpx.Response:
        """Post an event to the app's webhook, signed as asked.

        `old` is a right signature of ten minutes ago, outside the tolerance of every SDK.
        Source: https://docs.stripe.com/webhooks/signature
        """
        payload = json.dumps(event, separators=(",", ":"))
        key = secret or self._environment.values["webhook_secret"]
        moment = int(time.time()) - (600 if signature == "old" else 0)
        headers = {"content-type": "application/json; charset=utf-8"}
        if signature != "missing":
            used = "whsec_" + "0" * 32 if signature == "forged" else key
            digest = hmac.new(used.encode(), f"{moment}.{payload}".encode(), hashlib.sha256).hexdigest()
            headers["stripe-signature"] = f"t={moment},v1={digest}"
        self._evidence.add("event", type=str(event.get("type")), signature=signature)
        return self.post(path, content=payload, headers=headers)

    # Files and commands

    @property
    def files(self) -> Path:
        """The running copy's directory on the host."""
        return self._environment.workspace

    def read(self, path: str, max_bytes: int = 1 << 20) -> str:
        """A text file of the running copy, read without following links; `Failed` when there is none."""
        self._evidence.add("file", path=path)
        return read_file(self.files, path, max_bytes).decode("utf-8", "replace")

    def run(self, argv: Sequence[str], timeout: float = 60.0) -> Ran:
        """A command in the app's sandbox, with the app's variables; its exit code is the caller's to judge."""
        done = self._environment.sandbox.exec(
            list(argv), cwd=self._directory(), env=self._env(), timeout=timeout
        )
        shown = " ".join(argv)
        self._log.write(f"$ {shown} -> {done.exit_code}\n{done.stdout}\n{done.stderr}")
        self._evidence.add("command", command=shown, exit_code=done.exit_code)
        if done.timed_out:
            raise Failed(f"{shown}: did not end within {timeout:g} seconds")
        return Ran(done.exit_code, done.stdout, done.stderr)

    def log(self) -> str:
        """What the app has printed so far."""
        parts = sorted(self._logs().glob("app-*.log"))
        return "".join(part.read_text("utf-8", "replace") for part in parts)

    # Whose fault

    def explain(self, problem: str) -> Failed:
        """The failure to report when the app did not answer; `GraderFault` when the sandbox is gone."""
        self._ours_is_alive()
        code = self._ended(_DYING)
        self._show_log()
        if code is not None:
            return Failed(f"{problem}; the app has ended with exit code {code}")
        return Failed(problem)

    def close(self) -> None:
        """Stop everything; called when the check is over."""
        for session in self._sessions:
            session.close()
        for process in (self._process, *reversed(self._services)):
            if process is not None and process.poll() is None:
                process.kill()
        self._process = None

    def _ended(self, seconds: float) -> int | None:
        """The app's exit code; its connections are reset some moments before its end is known."""
        if self._process is None:
            return None
        deadline = time.monotonic() + seconds
        while (code := self._process.poll()) is None and time.monotonic() < deadline:
            time.sleep(0.02)
        return code

    def _ours_is_alive(self) -> None:
        try:
            alive = self._environment.sandbox.exec(["true"], timeout=20).exit_code == 0
        except Exception as error:
            raise GraderFault(f"the sandbox is gone: {error}") from error
        if not alive:
            raise GraderFault("the sandbox does not run commands any more")

    def _launch(self) -> None:
        self._runs += 1
        log = self._logs() / f"app-{self._runs:02}.log"
        process = self._environment.sandbox.spawn(
            ["sh", "-c", self._table.start], cwd=self._directory(), env=self._env(), log=log
        )
        self._process = process
        self._log.write(f"starting the app: {self._table.start}")
        self._await(process, "the app", self._table.start_timeout_sec, self._answers)
        self._evidence.add("app", event="started", command=self._table.start)

    def start_services(self) -> None:
        """Start the services of the task without the app; starting twice is starting once."""
        if self._services:
            return
        for service in self._environment.task.config.metadata.services:
            log = self._logs() / f"service-{service.name}.log"
            process = self._environment.sandbox.spawn(
                ["sh", "-c", service.start], cwd="/app", env=self._env(), log=log
            )
            self._services.append(process)
            what = f"the service {service.name}"
            self._await(process, what, service.start_timeout_sec, lambda s=service: self._accepts(s))

    def _await(self, process: Process, what: str, seconds: float, up: Any) -> None:
        deadline = time.monotonic() + seconds
        while not up():
            code = process.poll()
            problem = None
            if code:
                problem = f"{what} did not start: it ended with exit code {code}"
            elif time.monotonic() > deadline:
                problem = f"{what} did not start: no answer within {seconds:g} seconds"
            if problem is not None:
                self._evidence.add("app", event="did not start", command=self._table.start)
                self._ours_is_alive()
                self._show_log()
                self._process = process
                raise Failed(problem)
            time.sleep(_INTERVAL)

    def _answers(self) -> bool:
        try:
            answer = httpx.get(
                self._environment.forward(self._table.port) + self._table.health,
                headers={"host": f"127.0.0.1:{self._table.port}"},
                timeout=2.0,
                trust_env=False,
            )
        except httpx.HTTPError:
            return False
        return answer.status_code < 500

    def _accepts(self, service: ServiceTable) -> bool:
        try:
            self._environment.sandbox.connect(service.port, timeout=1.0).close()
        except OSError:
            return False
        return True

    def _directory(self) -> str:
        return os.path.normpath(f"/app/{self._table.directory}")

    def _env(self) -> dict[str, str]:
        return {**self._environment.app_env(), **self._extra}

    def _logs(self) -> Path:
        return self._environment.scratch

    def _show_log(self) -> None:
        lines = self.log().splitlines()[-_TAIL:]
        self._log.write("the app's last lines:\n" + "\n".join(lines))


class _AppDoor:
    """The way to a started app."""

    def __init__(self, app: App) -> None:
        app.start()
        self._app = app

    @property
    def url(self) -> str:
        return self._app._environment.forward(self._app._table.port)

    @property
    def authority(self) -> str:
        return f"127.0.0.1:{self._app._table.port}"

    def explain(self, problem: str) -> Failed:
        return self._app.explain(problem)
