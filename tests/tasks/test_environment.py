"""A task's environment, running: the network inside, the twin behind Stripe's names, webhooks, what is left."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.tasks.build import copy_task, edit
from trialbalance.grading import eventually
from trialbalance.tasks import Environment, load_task, open_environment

pytestmark = pytest.mark.sandbox

HOOK = """
import hashlib, hmac, os
from http.server import BaseHTTPRequestHandler, HTTPServer

class Hook(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        parts = dict(part.split("=", 1) for part in self.headers["stripe-signature"].split(","))
        wanted = hmac.new(os.environ["SECRET"].encode(), parts["t"].encode() + b"." + body, hashlib.sha256).hexdigest()
        with open("/app/events.txt", "a") as file:
            file.write(f"{wanted == parts['v1']}\\n")
        self.send_response(200)
        self.end_headers()

HTTPServer(("127.0.0.1", 4242), Hook).serve_forever()
"""


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[Environment]:
    """The miniature task with a customer and a webhook endpoint in its twin."""
    directory = copy_task(tmp_path)
    seed = {
        "requests": [
            {"path": "/v1/customers", "form": {"email": "first@example.test"}},
            {
                "path": "/v1/webhook_endpoints",
                "form": {"url": "http://127.0.0.1:4242/hook", "enabled_events": ["customer.created"]},
                "as": "hook",
            },
        ]
    }
    (directory / "environment" / "twin.json").write_text(json.dumps(seed))
    edit(directory / "task.toml", "clock =", 'seed = "environment/twin.json"\nwebhook = "hook"\nclock =')
    edit(directory / "task.toml", "memory_mb", 'env = { HOOK = "{hook.url}" }\nmemory_mb')
    edit(directory / "task.toml", "[metadata.app.env]", '[metadata.app.env]\nSECRET = "{webhook_secret}"')
    workspace = tmp_path / "app"
    workspace.mkdir()
    (workspace / "hook.py").write_text(HOOK)
    with open_environment(load_task(directory), workspace, tmp_path / "host", seed=7) as environment:
        yield environment


def test_the_twin_is_behind_stripes_name_and_holds_the_seed(environment: Environment) -> None:
    done = environment.sandbox.exec(
        ["sh", "-c", "curl -sS --fail -u $STRIPE_SECRET_KEY: https://api.stripe.com/v1/customers"],
        env=environment.agent_env(),
        timeout=30,
    )

    assert done.exit_code == 0, done.stderr
    assert [customer["email"] for customer in json.loads(done.stdout)["data"]] == ["first@example.test"]


def test_addresses_of_what_the_seed_made_are_variables(environment: Environment) -> None:
    assert environment.agent_env()["HOOK"] == "http://127.0.0.1:4242/hook"


def test_the_clock_stands_where_the_task_says(environment: Environment) -> None:
    assert environment.twin.control.info()["now"] == environment.task.clock


def test_signed_webhooks_reach_the_app_inside(environment: Environment, tmp_path: Path) -> None:
    log = tmp_path / "hook.log"
    process = environment.sandbox.spawn(
        ["python3", "hook.py"], cwd="/app", env=environment.app_env(), log=log
    )
    eventually(lambda: _listens(environment), "the endpoint is up", seconds=20)

    answer = httpx.post(
        environment.twin.url + "/v1/customers",
        data={"email": "second@example.test"},
        auth=(environment.twin.secret_key, ""),
        trust_env=False,
    )
    assert answer.status_code == 200

    events = environment.workspace / "events.txt"
    assert eventually(lambda: events.is_file() and events.read_text(), "the event arrives") == "True\n", (
        log.read_text()
    )
    process.kill()


def test_journal_and_state_are_left(environment: Environment, tmp_path: Path) -> None:
    environment.dump(tmp_path / "twin")

    entries = [json.loads(line) for line in (tmp_path / "twin" / "journal.jsonl").read_text().splitlines()]
    state = json.loads((tmp_path / "twin" / "state.json").read_text())
    assert "/v1/customers" in [entry.get("path") for entry in entries]
    assert len(state["accounts"][state["account"]]["customer"]) == 1


def test_closing_twice_ends_everything_once(environment: Environment) -> None:
    environment.close()
    environment.close()

    assert not environment.twin.alive()


def _listens(environment: Environment) -> bool:
    try:
        environment.sandbox.connect(4242, timeout=1).close()
    except OSError:
        return False
    return True
