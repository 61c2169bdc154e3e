"""The app under test, in a real sandbox: its life, its requests, and whose fault it is when it fails."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.grading.build import PlaceOf, task_with
from trialbalance.grading import App, Failed, GraderFault, eventually
from trialbalance.grading.draw import derive
from trialbalance.tasks import Environment, Task, load_task, open_environment

pytestmark = pytest.mark.sandbox

SERVER = """
import hashlib, hmac, json, os, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

meeting = threading.Barrier(4)
print("desk is opening", flush=True)
if os.environ.get("REFUSE"):
    sys.exit("no key, no desk")
if os.environ.get("SILENT"):
    threading.Event().wait()

class Desk(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/health":
            return self.answer("ok")
        if self.path == "/env":
            return self.answer(dict(os.environ))
        if self.path == "/pid":
            return self.answer(os.getpid())
        if self.path == "/meet":
            return self.answer(meeting.wait(10))
        if self.path == "/count":
            with open("count.txt", "a+") as file:
                file.write("x")
                file.seek(0)
                return self.answer(len(file.read()))
        if self.path == "/die":
            print("dying", flush=True)
            os._exit(9)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        given = dict(part.split("=", 1) for part in self.headers.get("stripe-signature", "t=0,v1=").split(","))
        wanted = hmac.new(os.environ["HOOK"].encode(), given["t"].encode() + b"." + body, hashlib.sha256).hexdigest()
        good = wanted == given["v1"] and abs(time.time() - int(given["t"])) < 300
        self.answer(json.loads(body)["type"] if good else "refused", 200 if good else 400)

    def answer(self, value, status=200):
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        pass

ThreadingHTTPServer(("127.0.0.1", 4242), Desk).serve_forever()
"""


def make_task(tmp_path: Path, settings: str = "") -> Task:
    """A task around that server."""
    directory = tmp_path / "task"
    checks = "@check(cites=CITE)\ndef up(app):\n    app.get('/health')\n"
    task = task_with(directory, checks, settings=settings, app={"server.py": SERVER})
    assert task.app is not None
    task.app.env["HOOK"] = "{webhook_secret}"
    return task


@pytest.fixture
def app(tmp_path: Path, place_of: PlaceOf) -> App:
    """The app of that task, not started."""
    return place_of(make_task(tmp_path)).app


def test_nothing_runs_before_it_is_used(app: App) -> None:
    assert not app.running


def test_the_first_use_starts_it_with_the_tasks_variables(app: App) -> None:
    env = app.call("GET", "/env")

    assert app.running
    assert env["STRIPE_SECRET_KEY"].startswith("sk_test_")
    assert env["HOOK"].startswith("whsec_")
    assert app.url == "http://127.0.0.1:4242"
    assert "desk is opening" in app.log()


def test_more_variables_may_be_given(app: App) -> None:
    app.start(env={"CURRENCY": "sek"})
    app.start(env={"CURRENCY": "nok"})

    assert app.call("GET", "/env")["CURRENCY"] == "sek"


def test_it_is_restarted_on_the_same_files(app: App) -> None:
    first = app.call("GET", "/pid")
    assert app.call("GET", "/count") == 1
    app.restart()

    assert app.call("GET", "/pid") != first
    assert app.call("GET", "/count") == 2


def test_a_killed_app_is_started_again_by_its_next_use(app: App) -> None:
    app.start(env={"CURRENCY": "sek"})
    assert app.call("GET", "/count") == 1
    app.kill()

    assert not app.running
    assert app.call("GET", "/count") == 2
    assert app.call("GET", "/env")["CURRENCY"] == "sek"


def test_an_app_that_ends_at_once_did_not_start(app: App) -> None:
    with pytest.raises(Failed, match="the app did not start: it ended with exit code 1"):
        app.start(env={"REFUSE": "1"})
    assert "no key, no desk" in app.log()


def test_an_app_that_never_answers_did_not_start(tmp_path: Path, place_of: PlaceOf) -> None:
    task = make_task(tmp_path)
    toml = task.directory / "task.toml"
    toml.write_text(toml.read_text().replace("start_timeout_sec = 20", "start_timeout_sec = 0.5"))

    with pytest.raises(Failed, match=r"the app did not start: no answer within 0\.5 seconds"):
        place_of(load_task(task.directory)).app.start(env={"SILENT": "1"})


def test_an_app_that_crashes_fails_the_check(app: App) -> None:
    with pytest.raises(Failed, match=r"GET /die: no HTTP answer .*the app has ended with exit code 9"):
        app.get("/die")
    eventually(lambda: not app.running, "it has ended")


def test_a_sandbox_of_ours_that_dies_is_a_fault(tmp_path: Path, place_of: PlaceOf) -> None:
    place = place_of(make_task(tmp_path))
    place.app.start()
    place.environment.sandbox.close()

    with pytest.raises(GraderFault, match="the sandbox is gone"):
        place.app.get("/health")


def test_requests_meet(app: App) -> None:
    answers = app.together([("GET", "/meet", {})] * 4)

    assert sorted(answer.json() for answer in answers) == [0, 1, 2, 3]
    with pytest.raises(GraderFault, match="was given no request"):
        app.together([])


@pytest.mark.parametrize(
    ("signature", "status"), [("valid", 200), ("forged", 400), ("old", 400), ("missing", 400)]
)
def test_events_are_signed_as_asked(app: App, signature: str, status: int) -> None:
    event = {"id": "evt_1", "type": "invoice.paid"}

    answer = app.send_event("/webhook", event, signature=signature)  # type: ignore[arg-type]

    assert answer.status_code == status
    assert answer.json() == ("invoice.paid" if status == 200 else "refused")


def test_an_event_may_be_signed_by_another_secret(app: App) -> None:
    assert app.send_event("/webhook", {"type": "a"}, secret="whsec_other").status_code == 400


def test_commands_and_files(app: App) -> None:
    ran = app.run(["sh", "-c", 'echo out; echo bad >&2; echo data > made.txt; test -n "$STRIPE_SECRET_KEY"'])

    assert (ran.exit_code, ran.stdout, ran.stderr) == (0, "out\n", "bad\n")
    assert app.read("made.txt") == "data\n"
    with pytest.raises(Failed, match=r"there is no file none\.txt"):
        app.read("none.txt")
    with pytest.raises(Failed, match=r"did not end within 0\.3 seconds"):
        app.run(["sleep", "60"], timeout=0.3)


def test_a_link_the_app_makes_is_not_followed(app: App) -> None:
    app.run(["ln", "-s", "/etc/passwd", "/app/notes.txt"])

    with pytest.raises(Failed, match="is not a plain file"):
        app.read("notes.txt")


SERVICE = """
[[metadata.services]]
name = "queue"
start = "python3 -m http.server 7000 --bind 127.0.0.1"
port = 7000
start_timeout_sec = 10
"""


def test_services_are_started_first(tmp_path: Path, place_of: PlaceOf) -> None:
    app = place_of(make_task(tmp_path, SERVICE)).app
    app.start()

    assert (
        app.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:7000/"]).stdout
        == "200"
    )


def test_a_service_that_does_not_start_is_named(tmp_path: Path, place_of: PlaceOf) -> None:
    task = make_task(tmp_path, SERVICE.replace("python3 -m http.server 7000", "exit 3;"))

    with pytest.raises(Failed, match="the service queue did not start: it ended with exit code 3"):
        place_of(task).app.start()


def test_places_are_apart(tmp_path: Path, place_of: PlaceOf) -> None:
    task = make_task(tmp_path)
    one, other = place_of(task), place_of(task)

    assert one.app.call("GET", "/count") == 1
    assert other.app.call("GET", "/count") == 1
    keys = {place.app.call("GET", "/env")["STRIPE_SECRET_KEY"] for place in (one, other)}
    assert len(keys) == 2
    assert derive(1, "check-0") != derive(1, "check-1")


def test_nothing_is_left_running(tmp_path: Path, place_of: PlaceOf) -> None:
    place = place_of(make_task(tmp_path))
    place.app.start()
    twin = place.environment.twin
    place.close()

    assert not twin.alive()
    assert not (tmp_path / "places" / "check-0").exists()
    with pytest.raises(GraderFault, match="the grade has been ended"):
        _ = place.environment


def test_a_place_that_is_ended_while_it_opens_leaves_nothing(tmp_path: Path, place_of: PlaceOf) -> None:
    opened: list[Environment] = []

    def slow(task: Task, tree: Path, scratch: Path, seed: int) -> Environment:
        opened.append(open_environment(task, tree, scratch, seed=seed))
        place.end()
        return opened[-1]

    place = place_of(make_task(tmp_path))
    place._ground = replace(place._ground, open=slow)

    with pytest.raises(GraderFault, match="the grade has been ended"):
        place.app.start()
    assert not opened[0].twin.alive()
