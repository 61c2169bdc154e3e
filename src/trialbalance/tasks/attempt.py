"""Apply solutions and overlays of ours to a task, as an agent would work: in a sandbox, with the trial's
twin.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from trialbalance.sandbox import Mount
from trialbalance.tasks.environment import Environment, open_environment
from trialbalance.tasks.errors import AttemptError
from trialbalance.tasks.overlay import Overlay
from trialbalance.tasks.prepare import Prepared
from trialbalance.tasks.workspace import remove_tree

Base = Literal["reference", "start", "empty"]
_TAIL = 8


@dataclass(frozen=True)
class Attempt:
    """A finished attempt: the tree it left, and a trial folder with its twin's journal and state."""

    workspace: Path
    trial: Path


def attempt(
    prepared: Prepared,
    directory: Path,
    *,
    seed: int,
    base: Base = "start",
    overlay: Overlay | None = None,
    backend: str = "auto",
) -> Attempt:
    """Start from the prepared tree (or from an empty one), solve it when `base` is the reference, and lay
    an overlay on it.

    Raises:
        AttemptError: the reference or the overlay could not be applied; the message ends with its last lines.
    """
    task = prepared.task
    workspace = directory / "app"
    trial = directory / "trial"
    if base == "empty":
        workspace.mkdir(parents=True)
    else:
        prepared.copy_to(workspace)
    mounts = []
    if base == "reference":
        mounts.append(Mount(task.directory / "solution", "/solution"))
    if overlay is not None:
        mounts.append(Mount(overlay.directory, "/overlay"))
    with open_environment(
        task, workspace, directory / "host", seed=seed, mounts=mounts, backend=backend
    ) as environment:
        if base == "reference":
            _run(environment, ["bash", "/solution/solve.sh"], f"{task.name}/solution/solve.sh", solution=True)
        if overlay is not None:
            _lay(environment, overlay)
        environment.sandbox.freeze()
        environment.dump(trial / "twin")
    return Attempt(workspace, trial)


def _lay(environment: Environment, overlay: Overlay) -> None:
    label = f"{environment.task.name}/{overlay.label}"
    for name in overlay.remove:
        path = environment.workspace / name
        if not path.exists() and not path.is_symlink():
            raise AttemptError(
                f"{label}/overlay.toml: remove: there is no {name} in the tree; correct the path"
            )
        remove_tree(path)
    files = overlay.directory / "app"
    if files.is_dir():
        shutil.copytree(files, environment.workspace, symlinks=True, dirs_exist_ok=True)
    if (overlay.directory / "change.patch").is_file():
        _run(
            environment,
            ["git", "apply", "--whitespace=nowarn", "/overlay/change.patch"],
            f"{label}/change.patch",
        )
    if (overlay.directory / "solve.sh").is_file():
        _run(environment, ["bash", "/overlay/solve.sh"], f"{label}/solve.sh")


def _run(environment: Environment, argv: list[str], label: str, *, solution: bool = False) -> None:
    task = environment.task
    env = environment.agent_env()
    if solution:
        env |= task.config.solution.env
    done = environment.sandbox.exec(argv, cwd="/app", env=env, timeout=task.config.agent.timeout_sec)
    if done.exit_code != 0 or done.timed_out:
        lines = (done.stdout + done.stderr).strip().splitlines()[-_TAIL:]
        reason = "ran out of time" if done.timed_out else f"ended with exit code {done.exit_code}"
        said = " | ".join(line.strip() for line in lines) or "nothing"
        raise AttemptError(f"{label}: it {reason}; correct it. It said: {said}")
