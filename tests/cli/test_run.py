"""Bad input to `run`, `report` and `grade`: one line on stderr, a documented exit code, nothing left behind."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.cli.program import ROOT, Ran, one_line, run
from tests.report.sample import make_job

from trialbalance.cli import main
from trialbalance.cli.doctor import check_postgresql
from trialbalance.sandbox.browser import CANDIDATES, COMMANDS

TASKS = ROOT / "tests" / "tasks" / "data"
TASK = TASKS / "member-desk"


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("run", "--task", "no-such-task"), 2, "no-such-task: no such task; there are:"),
        (("run", "--suite", "no-such-suite"), 2, "no-such-suite"),
        (("run", "--agent", "no-such-agent"), 2, "--agent no-such-agent: no such agent; there are:"),
        (("run", "--agent", "goose"), 3, "--agent goose needs a model: add --model"),
        (("run", "--model", "gpt-5"), 2, "write provider/name"),
        (("run", "--model", "openai/gpt-5", "--yes"), 2, "set OPENAI_API_KEY"),
        (("run", "--model", "openai/x", "--replay", "y"), 2, "cannot go together"),
        (("run", "--base-url", "http://127.0.0.1"), 2, "--base-url needs --model"),
        (("run", "--replay", "absent.yaml"), 2, "--replay absent.yaml: no such file"),
        (("run", "--trials", "0"), 2, "at least one trial"),
        (("run", "--trials", "x"), 2, "'x' is not a valid integer"),
        (("run", "--parallel", "0"), 2, "at least one trial has to run"),
        (("run", "--on", "ray"), 2, "not built yet"),
        (("run", "--name", "../x"), 2, "one folder name"),
        (("run", "--task", "a", "--suite", "b"), 2, "cannot go together"),
        (("run", "--nope"), 2, "see `trialbalance run --help`"),
        (("run", "--resume", "absent"), 2, "absent is no job folder"),
        (("run", "--resume", "absent", "--seed", "1"), 2, "--seed cannot change a job that is resumed"),
        (("nonsense",), 2, "No such command 'nonsense'"),
        (("report", "absent"), 2, "absent is no job folder"),
        (("grade", "absent"), 2, "absent is no trial folder"),
        (("completion", "tcsh"), 2, "'tcsh' is not one of"),
        (("tasks", "show", "absent"), 2, "absent: no such task"),
    ],
)
def test_bad_requests(
    arguments: tuple[str, ...],
    code: int,
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRIALBALANCE_TASKS", str(TASKS))
    for name in ("OPENAI_API_KEY", "TRIALBALANCE_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SystemExit) as left:
        main(arguments)
    said = capsys.readouterr()
    ran = Ran(int(str(left.value.code)), said.out, said.err)
    assert ran.code == code, ran
    assert says in one_line(ran)
    assert list(tmp_path.iterdir()) == []


def test_a_paid_model_needs_a_yes(tmp_path: Path) -> None:
    environment = {"OPENAI_API_KEY": "k", "TRIALBALANCE_TASKS": str(TASKS)}
    ran = run("run", "--model", "openai/gpt-5", "--trials", "3", cwd=tmp_path, env=environment)
    assert ran.code == 2 and "add --yes to agree" in one_line(ran)
    assert list(tmp_path.iterdir()) == []


def test_a_broken_task_is_named(tmp_path: Path) -> None:
    copy = tmp_path / "environments" / TASK.name
    shutil.copytree(TASK, copy)
    (copy / "task.toml").write_text('schema_version = "1.4"\n[task]\nname = 3\n')
    ran = run("run", "--task", TASK.name, cwd=tmp_path)
    assert ran.code == 2 and f"{TASK.name}/task.toml" in one_line(ran)
    (copy / "task.toml").write_text("= broken")
    ran = run("tasks", "list", cwd=tmp_path)
    assert ran.code == 2 and f"{TASK.name}/task.toml" in one_line(ran)


def test_a_jobs_dir_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "jobs").write_text("")
    ran = run("run", "--agent", "nop", "--task", str(TASK), "--jobs-dir", "jobs", cwd=tmp_path)
    assert ran.code == 2 and "jobs" in one_line(ran)
    ran = run("run", "--agent", "nop", "--task", str(TASK), "--jobs-dir", "jobs/below", cwd=tmp_path)
    assert ran.code == 5 and "cannot create the folder" in one_line(ran)


def browsers() -> list[Path]:
    """Every program that could be the browser."""
    found = [Path(name) for name in CANDIDATES] + [
        Path(path) for name in COMMANDS if (path := shutil.which(name))
    ]
    return [path for path in dict.fromkeys(found) if path.exists()]


def test_a_missing_program_is_named_before_anything_starts(tmp_path: Path) -> None:
    for name, programs in (("chromium", browsers()), ("git", [Path(str(shutil.which("git")))])):
        jobs = tmp_path / "jobs"
        ran = run("run", "--agent", "nop", "--task", str(TASK), "--jobs-dir", str(jobs), hide=programs)
        assert ran.code == 3 and f"{name}: not found; apt-get install" in one_line(ran)
        assert not jobs.exists()


def test_doctor_tells_what_is_missing() -> None:
    ran = run("doctor", hide=browsers(), env={"COLUMNS": "200"})
    assert ran.code == 1
    assert re.search(r"^bad +sandbox: browser", ran.out, re.MULTILINE) and "→ apt-get install" in ran.out


def test_doctor_is_content_here() -> None:
    ran = run("doctor")
    assert ran.code == 0, ran
    for name in ("python", "browser", "goose", "node", "postgresql", "disk", "ports", "fonts", "sandbox"):
        assert name in ran.out


def test_a_machine_without_postgresql_is_told_so(tmp_path: Path) -> None:
    found = check_postgresql(tmp_path)
    assert (found.status, found.hint) == ("warn", "apt-get install --no-install-recommends postgresql")


def test_report_of_a_job(tmp_path: Path) -> None:
    make_job(tmp_path / "job", samples=1)
    ran = run("report", "job", cwd=tmp_path, env={"COLUMNS": "160"})
    assert ran.code == 0 and ran.err == ""
    assert ran.out.splitlines()[-1] == "report: job/index.html"
    assert (tmp_path / "job" / "index.html").is_file()
    assert "\x1b" not in ran.out


def test_colours_only_when_wanted(tmp_path: Path) -> None:
    make_job(tmp_path / "job", samples=1)
    forced = {"FORCE_COLOR": "1"}
    assert "\x1b[" in run("report", "job", cwd=tmp_path, env=forced).out
    assert "\x1b[3" not in run("--no-color", "report", "job", cwd=tmp_path, env=forced).out
    assert "\x1b[3" not in run("report", "job", cwd=tmp_path, env={**forced, "NO_COLOR": "1"}).out


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path) -> None:
    """The job folder is on a full file system, in a mount namespace of the test's own."""
    small = tmp_path / "small"
    small.mkdir()
    make_job(tmp_path / "job", samples=1)
    script = f"""
        mount -t tmpfs -o size=2m none {small} || exit 99
        cp -r {tmp_path}/job {small}/job
        echo before > {small}/job/index.html
        dd if=/dev/zero of={small}/fill bs=1k 2>/dev/null
        {sys.executable} -m trialbalance.cli report {small}/job >/dev/null
        echo "exit $?"; cat {small}/job/index.html; find {small} -name '*.part'
    """
    argv = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode != 99, done.stderr
    assert done.stdout == "exit 5\nbefore\n"
    assert done.stderr.startswith("trialbalance: cannot write ") and "No space left on device" in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str) -> None:
    ran = run("completion", shell)
    assert ran.code == 0 and "_TRIALBALANCE_COMPLETE" in ran.out


def test_version_and_help() -> None:
    assert run("--version").out.startswith("trialbalance, version ")
    shown = run("--help").out
    assert "Exit codes:" in shown and "doctor" in shown


def test_a_port_that_is_taken() -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        ran = run("twin", "serve", "--port", str(server.getsockname()[1]))
    assert ran.code == 2 and "is taken; choose another with --port" in one_line(ran)


def test_a_closed_pipe_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m trialbalance.cli run --help | head -n 1",
        shell=True, cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == "" and done.stdout.startswith("Usage: trialbalance run")


def test_ctrl_c_stops_a_twin() -> None:
    argv = [sys.executable, "-m", "trialbalance.cli", "twin", "serve", "--port", "0"]
    with subprocess.Popen(
        argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        killer = threading.Timer(60, process.kill)
        killer.start()
        try:
            assert process.stdout is not None
            shown = next((line for line in iter(process.stdout.readline, "") if "Ctrl-C" in line), "")
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate()
        finally:
            killer.cancel()
            process.kill()
    assert shown, errors
    assert process.returncode in {0, 130} and "Traceback" not in errors
