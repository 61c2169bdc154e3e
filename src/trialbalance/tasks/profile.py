"""task.toml: Harbor's schema 1.4, and what we keep in its free `[metadata]` table."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

Text = Annotated[str, Meta(min_length=1, max_length=4000)]
Seconds = Annotated[float, Meta(gt=0, le=86400)]
Port = Annotated[int, Meta(ge=1, le=65535)]
Count = Annotated[int, Meta(ge=1, le=1_000_000)]
EnvironmentVariables = dict[Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")], str]
NetworkMode = Literal["public", "no-network", "allowlist"]


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table in which every key is known."""


class Author(_Table, frozen=True, kw_only=True):
    """Who wrote the task."""

    name: Text
    email: Annotated[str, Meta(pattern=r"^[^@\s]+@[^@\s]+$")] | None = None


class TaskTable(_Table, frozen=True, kw_only=True):
    """`[task]`: what the task is called."""

    name: Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]*/[a-z0-9][a-z0-9-]*$")]
    version: Annotated[str, Meta(pattern=r"^[1-9][0-9]*-[0-9]+$")]
    description: Text
    authors: Annotated[list[Author], Meta(min_length=1)]
    keywords: list[Text] = []


class AppTable(_Table, frozen=True, kw_only=True):
    """`[metadata.app]`: how the app under test is built, started and known to be up."""

    start: Text
    port: Port
    health: Annotated[str, Meta(pattern=r"^/\S*$")] = "/"
    directory: Text = "."
    build: Text | None = None
    build_timeout_sec: Seconds = 300.0
    start_timeout_sec: Seconds = 30.0
    env: EnvironmentVariables = {}


class TwinTable(_Table, frozen=True, kw_only=True):
    """`[metadata.twin]`: the payment account the task begins with."""

    api_version: Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}(\.[a-z]+)?$")] | None = None
    clock: datetime | None = None
    seed: Text | None = None
    webhook: Text | None = None
    raw_card_numbers: bool = False


class DatabaseTable(_Table, frozen=True, kw_only=True):
    """`[metadata.database]`: what a grader reads."""

    kind: Literal["sqlite", "postgresql"]
    path: Text
    name: Text | None = None
    user: Text | None = None


class ServiceTable(_Table, frozen=True, kw_only=True):
    """`[[metadata.services]]`: a process that the app needs, started before it."""

    name: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]*$")]
    start: Text
    port: Port
    start_timeout_sec: Seconds = 30.0


class Metadata(_Table, frozen=True, kw_only=True):
    """`[metadata]`: free in Harbor, ours here."""

    category: Literal["backend", "full-stack", "gym", "production"]
    languages: Annotated[list[Text], Meta(min_length=1)]
    difficulty: Literal["easy", "medium", "hard"]
    expert_minutes: Annotated[int, Meta(ge=1, le=10_000)]
    failure_modes: Annotated[list[Text], Meta(min_length=1)]
    requirements: Annotated[list[Text], Meta(min_length=1)]
    submission: Text | None = None
    app: AppTable | None = None
    twin: TwinTable = TwinTable()
    database: DatabaseTable | None = None
    services: list[ServiceTable] = []


class AgentTable(_Table, frozen=True, kw_only=True):
    """`[agent]`: the agent's limits."""

    timeout_sec: Seconds = 3600.0
    user: str | int | None = None
    network_mode: NetworkMode | None = None
    allowed_hosts: list[Text] = []


class Collect(_Table, frozen=True, kw_only=True):
    """`[[verifier.collect]]`: a command whose output the verifier gets."""

    command: Text
    service: Text = "main"
    timeout_sec: Seconds = 60.0
    user: str | int | None = None


class McpServer(_Table, frozen=True, kw_only=True):
    """`[[environment.mcp_servers]]`."""

    name: Text
    transport: Literal["stdio", "sse", "streamable-http"] = "stdio"
    url: Text | None = None
    command: Text | None = None
    args: list[str] = []
    headers: dict[str, str] = {}


class Healthcheck(_Table, frozen=True, kw_only=True):
    """`[environment.healthcheck]`."""

    command: Text
    interval_sec: Seconds = 5.0
    timeout_sec: Seconds = 30.0
    start_period_sec: Annotated[float, Meta(ge=0, le=86400)] = 0.0
    start_interval_sec: Seconds = 5.0
    retries: Annotated[int, Meta(ge=1, le=1000)] = 3


class EnvironmentTable(_Table, frozen=True, kw_only=True):
    """`[environment]`: the machine the agent works on."""

    network_mode: NetworkMode = "no-network"
    allowed_hosts: list[Text] = []
    build_timeout_sec: Seconds = 600.0
    docker_image: Text | None = None
    os: Literal["linux"] | None = None
    cpus: Annotated[int, Meta(ge=1, le=256)] | None = None
    memory_mb: Annotated[int, Meta(ge=128, le=1_048_576)] = 2048
    storage_mb: Annotated[int, Meta(ge=16, le=10_485_760)] = 4096
    gpus: Annotated[int, Meta(ge=0, le=64)] | None = None
    mcp_servers: list[McpServer] = []
    env: EnvironmentVariables = {}
    skills_dir: Text | None = None
    healthcheck: Healthcheck | None = None
    workdir: Text | None = None


class VerifierTable(_Table, frozen=True, kw_only=True):
    """`[verifier]`: the grader's limits."""

    environment_mode: Literal["shared", "separate"] = "separate"
    timeout_sec: Seconds = 600.0
    env: EnvironmentVariables = {}
    user: str | int | None = None
    environment: EnvironmentTable | None = None
    network_mode: NetworkMode | None = None
    allowed_hosts: list[Text] = []
    collect: list[Collect] = []


class SolutionTable(_Table, frozen=True, kw_only=True):
    """`[solution]`: variables of the reference solution."""

    env: EnvironmentVariables = {}


class TaskConfig(_Table, frozen=True, kw_only=True):
    """A whole task.toml."""

    schema_version: Literal["1.4"]
    task: TaskTable
    metadata: Metadata
    source: Text | None = None
    multi_step_reward_strategy: Literal["mean", "final"] | None = None
    artifacts: list[Text] = []
    steps: list[dict[str, Any]] = []
    agent: AgentTable = AgentTable()
    verifier: VerifierTable = VerifierTable()
    environment: EnvironmentTable = EnvironmentTable()
    solution: SolutionTable = SolutionTable()


class OverlayTable(_Table, frozen=True, kw_only=True):
    """overlay.toml of an alternate, a mutant or a cheat."""

    reason: Annotated[str, Meta(pattern=r"^[^\n]{10,300}$")]
    base: Literal["reference", "start"] | None = None
    kills: Text | None = None
    also: list[Text] = []
    remove: list[Text] = []
    flag: Text | None = None
    keeps_reward: bool = False


class SuiteTable(_Table, frozen=True, kw_only=True):
    """A suite's file."""

    schema_version: Literal[1]
    name: Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    version: Annotated[str, Meta(pattern=r"^[1-9][0-9]*-[0-9]+$")]
    description: Text
    tasks: Annotated[
        list[Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]*(@[1-9][0-9]*-[0-9]+)?$")]], Meta(min_length=1)
    ]
