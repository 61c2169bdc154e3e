"""A task's environment, running: a tree of files in a sandbox, with a payments twin behind Stripe's names.

Trials open one for the agent, graders open one for each check. Nothing outside it is reachable from inside.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from trialbalance.sandbox import (
    STRIPE_HOSTS,
    Authority,
    Forward,
    Mount,
    Sandbox,
    SandboxSpec,
    open_sandbox,
)
from trialbalance.tasks.deliveries import DeliveryProxy
from trialbalance.tasks.task import Task, expand
from trialbalance.twin.config import DEFAULT_START, TwinConfig
from trialbalance.twin.process import TwinProcess

HTTPS = 443


@dataclass
class Environment:
    """A sandbox and its twin, with the task they belong to.

    `values` are what the `{placeholders}` of the task's variables stand for. `scratch` is a directory of the
    host for logs and certificates.
    """

    task: Task
    workspace: Path
    scratch: Path
    sandbox: Sandbox
    twin: TwinProcess
    values: dict[str, str]
    deliveries: DeliveryProxy
    _forwards: dict[int, Forward] = field(default_factory=dict)
    _closed: bool = False

    def app_env(self) -> dict[str, str]:
        """The variables the task gives its app."""
        app = self.task.app
        return expand(app.env.items(), self.values) if app is not None else {}

    def agent_env(self) -> dict[str, str]:
        """The variables an agent's shell has: the task's, and those of its app."""
        return {**self.app_env(), **expand(self.task.config.environment.env.items(), self.values)}

    def forward(self, port: int) -> str:
        """A URL of the host that reaches a port inside the sandbox."""
        if port not in self._forwards:
            self._forwards[port] = self.sandbox.forward(port)
        return self._forwards[port].url

    def dump(self, directory: Path) -> None:
        """Write the twin's journal and state as `journal.jsonl` and `state.json`."""
        directory.mkdir(parents=True, exist_ok=True)
        state = self.twin.control.state()
        (directory / "state.json").write_text(json.dumps(state, sort_keys=True) + "\n", "utf-8")
        entries = self.twin.control.journal()
        lines = "".join(json.dumps(entry) + "\n" for entry in entries)
        (directory / "journal.jsonl").write_text(lines, "utf-8")

    def close(self) -> None:
        """Stop everything inside, then the twin. May be called twice, and from another thread."""
        if self._closed:
            return
        self._closed = True
        with ExitStack() as ending:
            ending.callback(self.twin.stop)
            ending.callback(self.deliveries.close)
            ending.callback(self.sandbox.close)

    def __enter__(self) -> Environment:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_environment(
    task: Task,
    workspace: Path,
    scratch: Path,
    *,
    seed: int,
    mounts: Sequence[Mount] = (),
    backend: str = "auto",
) -> Environment:
    """Put a tree into a sandbox, with a fresh twin that holds what the task begins with.

    `workspace` is mounted as it is and will be changed. Ids, keys and secrets of the twin come from `seed`;
    its clock stands where the task says.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    authority = Authority.create(scratch / "authority")
    table = task.config.metadata.twin
    config = TwinConfig(
        seed=seed,
        api_version=table.api_version,
        clock=task.clock if task.clock is not None else DEFAULT_START,
        frozen=True,
        raw_card_numbers=table.raw_card_numbers,
        site="stripe",
    )
    values = {"webhook_secret": _webhook_secret(seed), "port": str(task.app.port if task.app else 0)}
    spec = SandboxSpec(
        workspace=workspace,
        mounts=tuple(mounts),
        env={},
        hosts=STRIPE_HOSTS,
        authority=authority,
        memory_mb=task.config.environment.memory_mb,
        hostname=task.name[:60],
        as_root=task.as_root,
    )
    with ExitStack() as undo:
        sandbox = undo.enter_context(open_sandbox(spec, backend=backend))
        deliveries = DeliveryProxy(sandbox.connect)
        undo.callback(deliveries.close)
        with sandbox.listen(HTTPS) as listener:
            twin = TwinProcess.start(
                seed=seed,
                config=config,
                listeners=[listener],
                tls=authority.issue(STRIPE_HOSTS),
                log=scratch / "twin.log",
                webhook_proxy=deliveries.url,
            )
        undo.callback(twin.stop)
        values |= {"secret_key": twin.secret_key, "publishable_key": twin.publishable_key}
        document = task.seed_document()
        if document is not None:
            objects = twin.control.seed(document)
            values |= {f"{name}.url": str(made["url"]) for name, made in objects.items() if made.get("url")}
            if table.webhook is not None:
                values["webhook_secret"] = objects[table.webhook]["secret"]
        undo.pop_all()
    return Environment(task, workspace, scratch, sandbox, twin, values, deliveries)


def _webhook_secret(seed: int) -> str:
    return "whsec_" + hashlib.sha256(f"webhook secret {seed}".encode()).hexdigest()[:32]
