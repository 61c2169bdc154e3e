"""`trialbalance run`: try tasks with agents, record every trial, write the report."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from trialbalance.cli import console, exits
from trialbalance.cli.choose import choose_agents, choose_tasks
from trialbalance.cli.live import LiveView
from trialbalance.cli.show import show_report
from trialbalance.report.statistics import is_ranked
from trialbalance.report.words import plural
from trialbalance.trials import BadJob, Job, JobConfig, Missing, executor_named, plan_trials
from trialbalance.trials.clock import WallClock, stamp
from trialbalance.trials.versions import versions


@click.command()
@click.option("--task", "tasks", multiple=True, metavar="NAME", help="A task by name or path; repeatable.")
@click.option("--suite", metavar="NAME", help="Every task of a suite.  [default: default]")
@click.option(
    "--agent",
    "agents",
    multiple=True,
    metavar="NAME",
    help="An agent; repeatable.  [default: reference, nop and goose-replay]",
)
@click.option(
    "--trials",
    "samples",
    default=1,
    show_default=True,
    metavar="K",
    help="Trials of each agent at each task.",
)
@click.option("--model", metavar="PROVIDER/NAME", help="The model that drives the agents, e.g. openai/gpt-5.")
@click.option(
    "--base-url", metavar="URL", help="Where the model is served, when it is not the provider's own address."
)
@click.option(
    "--replay", metavar="FILE", help="Answer from a recording instead of a model; `task` is the task's own."
)
@click.option(
    "--jobs-dir",
    default="jobs",
    show_default=True,
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where job folders are made.",
)
@click.option("--name", metavar="NAME", help="The job's name.  [default: the time, as 20260131-235959]")
@click.option("--seed", default=0, show_default=True, help="Draws the inputs of every trial.")
@click.option(
    "--parallel",
    type=int,
    metavar="N",
    help="Trials that run at the same time.  [default: one per core, at most 4]",
)
@click.option(
    "--resume",
    metavar="JOB",
    type=click.Path(path_type=Path),
    help="Run what a job folder still lacks, as it was asked.",
)
@click.option(
    "--backend",
    default="auto",
    show_default=True,
    metavar="NAME",
    help="Sandbox: auto, bubblewrap, unshare, …",
)
@click.option(
    "--on", "where", default="local", show_default=True, metavar="WHERE", help="Where trials run: local."
)
@click.option(
    "--max-seconds", "seconds", type=click.IntRange(min=1), metavar="S", help="Lower the task's time limit."
)
@click.option(
    "--max-turns", "turns", type=click.IntRange(min=1), metavar="N", help="Limit the agent's turns."
)
@click.option("--yes", is_flag=True, help="Do not ask before a model is paid for.")
@click.pass_context
def run(
    context: click.Context,
    tasks: tuple[str, ...],
    suite: str | None,
    agents: tuple[str, ...],
    samples: int,
    model: str | None,
    base_url: str | None,
    replay: str | None,
    jobs_dir: Path,
    name: str | None,
    seed: int,
    parallel: int | None,
    resume: Path | None,
    backend: str,
    where: str,
    seconds: int | None,
    turns: int | None,
    yes: bool,
) -> None:
    """Try tasks with agents and report which integrations work.

    Without options every task is tried once by the reference solution, by an agent that does nothing, and by the real
    goose playing back recorded model answers; that needs no key and no network.

    \b
    Examples:
      trialbalance run
      trialbalance run --agent goose --model openai/gpt-5 --trials 3
      trialbalance run --task card-element-to-checkout --agent reference
      trialbalance run --resume jobs/20260131-235959
    """
    executor = executor_named(where)
    if parallel is None:
        parallel = min(4, os.cpu_count() or 1)
    if parallel < 1:
        raise BadJob(f"--parallel {parallel}: at least one trial has to run at a time")
    if resume is not None:
        fixed = (
            "tasks",
            "suite",
            "agents",
            "samples",
            "model",
            "base_url",
            "replay",
            "name",
            "seed",
            "seconds",
            "turns",
        )
        given = [
            key
            for key in fixed
            if context.get_parameter_source(key) is not click.core.ParameterSource.DEFAULT
        ]
        if given:
            option = {
                "samples": "trials",
                "tasks": "task",
                "agents": "agent",
                "seconds": "max-seconds",
                "turns": "max-turns",
            }
            raise BadJob(
                f"--{option.get(given[0], given[0])} cannot change a job that is resumed; leave it out"
            )
        job = Job.load(resume)
    else:
        choices = choose_agents(agents, model=model, base_url=base_url, replay=replay)
        suite_name, chosen = choose_tasks(tasks, suite)
        clock = WallClock()
        job_name = name or stamp(clock.now())
        if "/" in job_name or job_name.startswith("."):
            raise BadJob(f"--name {name}: a job's name is one folder name; choose where with --jobs-dir")
        trials = plan_trials(
            job=job_name,
            tasks=chosen,
            agents=choices,
            samples=samples,
            seed=seed,
            backend=backend,
            seconds=seconds,
            turns=turns,
        )
        paid = sum(plan.agent.model is not None for plan in trials)
        if paid and not yes:
            _agree(paid, str(model))
        _able(backend)
        config = JobConfig(
            name=job_name, created_at=clock.now(), suite=suite_name, seed=seed, samples=samples, trials=trials
        )
        lock = {**versions(), "seed": seed, "tasks": {task.name: task.digest for task in chosen}}
        job = Job.create(jobs_dir / job_name, config, lock, clock=clock)
    terminal = console.err()
    terminal.print(f"{plural(len(job.config.trials), 'trial')} in {job.folder}", soft_wrap=True)
    with LiveView(terminal).shown() as view:
        try:
            results = job.run(executor, parallel=parallel, observer=view.update)
        except KeyboardInterrupt:
            terminal.print(f"stopped; continue with: trialbalance run --resume {job.folder}", soft_wrap=True)
            raise
    show_report(job.folder)
    if not is_ranked(results):
        context.exit(exits.NOT_RANKED)


def _agree(paid: int, model: str) -> None:
    """Let a person see what is about to cost money."""
    if not sys.stdin.isatty():
        raise BadJob(f"{paid} trials would be paid for at {model}; add --yes to agree")
    click.confirm(f"{paid} trials will call {model}, which may cost money. Go on?", abort=True, err=True)


def _able(backend: str) -> None:
    """Refuse to start a job that this machine cannot run."""
    from trialbalance.cli.doctor import blocking

    problem = blocking(backend)
    if problem is not None:
        raise Missing(f"{problem}; `trialbalance doctor` checks everything")
