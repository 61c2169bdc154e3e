"""A task: its directory, read and found complete."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC
from functools import cached_property
from pathlib import Path
from typing import Any

from trialbalance.tasks.canary import strip_canary
from trialbalance.tasks.digest import digest_of, task_files
from trialbalance.tasks.errors import ProfileError
from trialbalance.tasks.overlay import Overlay, load_overlays
from trialbalance.tasks.profile import AppTable, TaskConfig
from trialbalance.tasks.requirement import Requirement, headings_of, normal, requirements_of
from trialbalance.tasks.table import read_table

_NEEDED = (
    "instruction.md",
    "task.toml",
    "AUDIT.md",
    "README.md",
    "environment",
    "environment/app",
    "solution/solve.sh",
    "tests/checks.py",
    "tests/test.sh",
)
_PLACEHOLDERS = ("secret_key", "publishable_key", "webhook_secret", "port")
_SEEDED_URL = re.compile(r"\{([A-Za-z0-9_-]+)\.url\}")
"""`{name.url}`: the `url` of what the seed's request `name` made."""


@dataclass(frozen=True)
class Task:
    """A task directory that keeps the profile.

    `instruction` is what the agent reads: `instruction.md` without its canary.
    """

    directory: Path
    config: TaskConfig
    instruction: str
    requirements: tuple[Requirement, ...]
    alternates: tuple[Overlay, ...]
    mutants: tuple[Overlay, ...]
    cheats: tuple[Overlay, ...]

    @property
    def name(self) -> str:
        """The short name: the directory's, and the part of `task.name` after the slash."""
        return self.directory.name

    @property
    def full_name(self) -> str:
        """`organisation/name`."""
        return self.config.task.name

    @property
    def version(self) -> str:
        """`N-X`: scores of different N are not comparable."""
        return self.config.task.version

    @property
    def major(self) -> int:
        """The N of the version."""
        return int(self.version.split("-")[0])

    @property
    def app(self) -> AppTable | None:
        """How the app is started, or None when the task has no app."""
        return self.config.metadata.app

    @property
    def as_root(self) -> bool:
        """Whether everything in its sandbox is user 0; PostgreSQL refuses that."""
        return not self.needs_postgresql

    @property
    def needs_postgresql(self) -> bool:
        """Whether its database is PostgreSQL, whose server is the machine's own."""
        database = self.config.metadata.database
        return database is not None and database.kind == "postgresql"

    @property
    def clock(self) -> int | None:
        """Unix seconds at which the twin's clock stands at first; None is the twin's own choice."""
        moment = self.config.metadata.twin.clock
        return None if moment is None else int(moment.timestamp())

    @property
    def checks(self) -> Path:
        """The grader's file."""
        return self.directory / "tests" / "checks.py"

    @cached_property
    def digest(self) -> str:
        """Digest of every file of the task but soundness.json."""
        return digest_of(self.directory, task_files(self.directory))

    @cached_property
    def environment_digest(self) -> str:
        """Digest of `environment/`: what a preparation is valid for."""
        environment = self.directory / "environment"
        return digest_of(environment, task_files(environment))

    def seed_document(self) -> dict[str, Any] | None:
        """What the twin holds when the task begins, or None."""
        name = self.config.metadata.twin.seed
        if name is None:
            return None
        document = json.loads((self.directory / name).read_text("utf-8"))
        assert isinstance(document, dict)
        return document


def load_task(directory: Path | str) -> Task:
    """Read a task directory, and refuse what does not keep the profile with one line that says what to do."""
    path = Path(os.path.normpath(Path(directory).absolute()))
    if not path.is_dir():
        raise ProfileError(f"{directory}: no such directory; give the path of a task")
    _complete(path)
    config = read_table(path / "task.toml", TaskConfig, f"{path.name}/task.toml")
    _consistent(path, config)
    instruction = strip_canary((path / "instruction.md").read_text("utf-8"))
    task = Task(
        directory=path,
        config=config,
        instruction=instruction,
        requirements=_requirements(path, config, instruction),
        alternates=load_overlays(path, "alternate"),
        mutants=load_overlays(path, "mutant"),
        cheats=load_overlays(path, "cheat"),
    )
    _seed_is_right(task)
    return task


def default_root() -> Path:
    """Where tasks are: `$TRIALBALANCE_TASKS`, else `environments/` here, else that of the checkout."""
    chosen = os.environ.get("TRIALBALANCE_TASKS")
    if chosen:
        return Path(chosen)
    here = Path.cwd() / "environments"
    return here if here.is_dir() else Path(__file__).parents[3] / "environments"


def find_tasks(root: Path | str | None = None) -> tuple[Task, ...]:
    """Every task under a directory, sorted by name; directories without a task.toml are passed over."""
    parent = Path(root) if root is not None else default_root()
    if not parent.is_dir():
        raise ProfileError(f"{parent}: no such directory; give the directory that holds the tasks")
    return tuple(load_task(path) for path in sorted(parent.iterdir()) if (path / "task.toml").is_file())


def find_task(name: str, root: Path | str | None = None) -> Task:
    """One task by its path or by its name under the root."""
    if "/" in name or Path(name).joinpath("task.toml").is_file():
        return load_task(name)
    parent = Path(root) if root is not None else default_root()
    if not (parent / name / "task.toml").is_file():
        known = sorted(path.parent.name for path in parent.glob("*/task.toml"))
        options = ", ".join(known) or f"none in {parent}"
        raise ProfileError(f"{name}: no such task; there are: {options}")
    return load_task(parent / name)


def _complete(path: Path) -> None:
    for name in _NEEDED:
        if not (path / name).exists():
            raise ProfileError(f"{path.name}/{name}: it is missing; add it as docs/tasks.md shows")
    for name in (name for name in _NEEDED if name.endswith((".md", ".sh", ".py"))):
        if not (path / name).read_text("utf-8", "replace").strip():
            raise ProfileError(f"{path.name}/{name}: it is empty; write it as docs/tasks.md shows")
    for entry in path.rglob("*"):
        if entry.is_symlink():
            shown = entry.relative_to(path).as_posix()
            raise ProfileError(f"{path.name}/{shown}: a symbolic link; put the file itself there")


def _consistent(path: Path, config: TaskConfig) -> None:
    file = f"{path.name}/task.toml"
    if config.task.name.split("/")[1] != path.name:
        raise ProfileError(
            f'{file}: task.name: "{config.task.name}" is not the directory\'s name; make it "…/{path.name}"'
        )
    if config.verifier.environment_mode != "separate":
        raise ProfileError(
            f'{file}: verifier.environment_mode: "shared" lets an agent reach its grader; make it "separate"'
        )
    if config.environment.network_mode == "public":
        raise ProfileError(f'{file}: environment.network_mode: "public" is not offline; make it "no-network"')
    if config.steps or config.multi_step_reward_strategy:
        raise ProfileError(f"{file}: steps: our tasks have one step; remove it")
    if not config.environment.docker_image and not (path / "environment" / "Dockerfile").is_file():
        raise ProfileError(
            f"{path.name}/environment/Dockerfile: it is missing; add it, or set environment.docker_image"
        )
    metadata = config.metadata
    if metadata.app is None and metadata.submission is None:
        raise ProfileError(
            f"{file}: metadata: it has neither app nor submission, so nothing can be graded; add one"
        )
    if (
        metadata.database is not None
        and metadata.database.kind == "postgresql"
        and metadata.database.name is None
    ):
        raise ProfileError(f"{file}: metadata.database.name: it is missing; name the PostgreSQL database")
    ports = [service.port for service in metadata.services] + ([metadata.app.port] if metadata.app else [])
    if len(set(ports)) != len(ports):
        raise ProfileError(
            f"{file}: metadata.services: two of app and services use one port; give each its own"
        )
    _inside(file, config)
    _known_placeholders(file, "metadata.app.env", metadata.app.env if metadata.app else {})
    without = {name: _SEEDED_URL.sub("", value) for name, value in config.environment.env.items()}
    _known_placeholders(file, "environment.env", without)
    if metadata.twin.clock is not None and metadata.twin.clock.tzinfo is None:
        moment = metadata.twin.clock.isoformat()
        raise ProfileError(f"{file}: metadata.twin.clock: {moment} has no time zone; write {moment}Z")
    if metadata.twin.clock is not None and metadata.twin.clock.astimezone(UTC).year < 2011:
        raise ProfileError(
            f"{file}: metadata.twin.clock: {metadata.twin.clock} is too early; choose a date after 2010"
        )
    if metadata.twin.seed is not None and not (path / metadata.twin.seed).is_file():
        raise ProfileError(f'{file}: metadata.twin.seed: there is no file "{metadata.twin.seed}"; add it')


def _inside(file: str, config: TaskConfig) -> None:
    metadata = config.metadata
    paths = {
        "metadata.submission": metadata.submission,
        "metadata.app.directory": metadata.app.directory if metadata.app else None,
        "metadata.database.path": metadata.database.path if metadata.database else None,
        "metadata.twin.seed": metadata.twin.seed,
    }
    for field, value in paths.items():
        if value is not None and (value.startswith("/") or ".." in Path(value).parts):
            raise ProfileError(f'{file}: {field}: "{value}" leaves the tree; give a relative path')


def _known_placeholders(file: str, field: str, env: dict[str, str]) -> None:
    for name, value in env.items():
        rest = value
        for placeholder in _PLACEHOLDERS:
            rest = rest.replace("{" + placeholder + "}", "")
        if "{" in rest or "}" in rest:
            options = ", ".join("{" + placeholder + "}" for placeholder in _PLACEHOLDERS)
            raise ProfileError(
                f'{file}: {field}.{name}: "{value}" has an unknown placeholder; there are {options}'
            )


def _requirements(path: Path, config: TaskConfig, instruction: str) -> tuple[Requirement, ...]:
    file = f"{path.name}/task.toml"
    present = {normal(heading).lower() for heading in headings_of(instruction)}
    for heading in config.metadata.requirements:
        if normal(heading).lower() not in present:
            raise ProfileError(
                f'{file}: metadata.requirements: instruction.md has no heading "{heading}"; correct one'
            )
        if not requirements_of(instruction, [heading]):
            raise ProfileError(
                f'{file}: metadata.requirements: there is no sentence under "{heading}"; write one'
            )
    return requirements_of(instruction, config.metadata.requirements)


def _seed_is_right(task: Task) -> None:
    table = task.config.metadata.twin
    try:
        document = task.seed_document() or {}
    except (ValueError, AssertionError):
        raise ProfileError(f"{task.name}/{table.seed}: not a JSON object; correct it") from None
    names = [step.get("as") for step in document.get("requests", []) if isinstance(step, dict)]
    if table.webhook is not None and table.webhook not in names:
        raise ProfileError(
            f'{task.name}/task.toml: metadata.twin.webhook: no request of the seed is named "{table.webhook}"; '
            f'add "as": "{table.webhook}" to the one that makes the webhook endpoint'
        )
    for variable, value in task.config.environment.env.items():
        for name in _SEEDED_URL.findall(value):
            if name not in names:
                raise ProfileError(
                    f'{task.name}/task.toml: environment.env.{variable}: no request of the seed is named "{name}"; '
                    f'add "as": "{name}" to the one whose url is meant'
                )


def expand(env: Iterable[tuple[str, str]], values: dict[str, str]) -> dict[str, str]:
    """Variables with their `{placeholders}` filled in."""
    filled = {}
    for name, value in env:
        for placeholder, actual in values.items():
            value = value.replace("{" + placeholder + "}", actual)
        filled[name] = value
    return filled
