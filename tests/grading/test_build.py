"""Building the graded copy, and telling the twin's failures from the app's: whole grades in real sandboxes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.grading.build import start_tree, task_with
from trialbalance.grading import Grade, grade
from trialbalance.tasks import load_task

pytestmark = pytest.mark.sandbox

CHECKS = """
@check(cites=CITE)
def shows_what_was_built(app):
    same(app.get("/").status_code, 200, "the front page")
    same(app.read("built.txt"), "built\\n", "what was built")

@check(cites=CITE)
def readable(submission):
    submission.text("server.py")
"""


def built(tmp_path: Path, command: str, seconds: float = 60) -> Grade:
    task = task_with(tmp_path / "task", CHECKS)
    toml = task.directory / "task.toml"
    build = f"build = '''{command}'''\nbuild_timeout_sec = {seconds}\nport = 4242"
    toml.write_text(toml.read_text().replace("port = 4242", build))
    task = load_task(task.directory)
    result = grade(task, start_tree(task), tmp_path / "trial", 1)
    assert not (start_tree(task) / "built.txt").exists()
    return result


def test_the_graded_copy_is_built_once(tmp_path: Path) -> None:
    result = built(tmp_path, 'test -n "$STRIPE_SECRET_KEY" && test ! -e built.txt && echo built > built.txt')

    assert (result.reward, result.fault) == (1, None)


@pytest.mark.parametrize(
    ("command", "seconds", "message"),
    [
        ("echo broken >&2; exit 4", 60, "the app could not be built"),
        ("sleep 60", 0.3, "the app was not built within 0.3 seconds"),
    ],
)
def test_an_app_that_cannot_be_built_fails_what_needs_it(
    tmp_path: Path, command: str, seconds: float, message: str
) -> None:
    result = built(tmp_path, command, seconds)

    assert result.valid
    assert [check.status for check in result.checks] == ["fail", "pass"]
    assert result.checks[0].evidence[-1]["command"] == command


ASKING = """
import http.server, os, subprocess

class Desk(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = "issuing/cards" if self.path == "/unbuilt" else "customers?colour=red" if self.path == "/wrong" else ""
        if path:
            key = os.environ["STRIPE_SECRET_KEY"]
            subprocess.run(["curl", "-s", "-o", "/dev/null", "-u", key + ":", "https://api.stripe.com/v1/" + path])
        self.send_response(500 if path else 200)
        self.end_headers()

    def log_message(self, *arguments):
        pass

http.server.HTTPServer(("127.0.0.1", 4242), Desk).serve_forever()
"""


def asked(tmp_path: Path, path: str) -> Grade:
    checks = (
        f"@check(cites=CITE)\ndef answers(app):\n    same(app.get('{path}').status_code, 200, 'the status')\n"
    )
    task = task_with(tmp_path / "task", checks, app={"server.py": ASKING})
    return grade(task, start_tree(task), tmp_path / "trial", 1)


def test_what_the_twin_has_not_built_is_no_failure_of_the_app(tmp_path: Path) -> None:
    result = asked(tmp_path, "/unbuilt")

    assert not result.valid
    assert (
        "the status is not what it should be; but the twin broke: GET /v1/issuing/cards answered 501"
        in str(result.fault)
    )


def test_what_the_twin_refuses_is_the_apps_failure(tmp_path: Path) -> None:
    result = asked(tmp_path, "/wrong")

    assert (result.reward, result.fault) == (0, None)


def test_faults_on_demand_are_no_faults_of_ours(tmp_path: Path) -> None:
    checks = """
@check(cites=CITE)
def survives(app, twin):
    twin.faults([{"fault": "server_error", "endpoint": "GET /v1/customers"}])
    same(app.get("/wrong").status_code, 200, "the status")
"""
    task = task_with(tmp_path / "task", checks, app={"server.py": ASKING})
    result = grade(task, start_tree(task), tmp_path / "trial", 1)

    assert (result.reward, result.fault) == (0, None)
    assert {
        "kind": "twin",
        "event": "faults",
        "rules": [{"fault": "server_error", "endpoint": "GET /v1/customers"}],
    } in [dict(entry) for entry in result.checks[0].evidence]
