"""The one door: `POST /run-task`."""

import hashlib
import json

from flask import Flask, jsonify, request

from .problems import InvalidRequest, Problem
from .tasks import TASKS
from .wire import Wire

WORDS = {"text": str, "number": int, "moment": int, "object": dict, "list": list}


def check(asked, wanted):
    """Refuse an input that is not what a task wants: `{name: kind}`, with `?` after a kind that may be null."""
    for name, kind in wanted.items():
        if name not in asked:
            raise InvalidRequest(f"{name} is missing")
        value = asked[name]
        if value is None and kind.endswith("?"):
            continue
        expected = WORDS[kind.rstrip("?")]
        if isinstance(value, bool) or not isinstance(value, expected) or value in ("", [], {}):
            raise InvalidRequest(f"{name} must be a {kind}")
        if kind == "number" and value < 1:
            raise InvalidRequest(f"{name} must be 1 or more")


def create_app(config):
    """The web application."""
    app = Flask(__name__)
    kept = config.data / "answers"
    kept.mkdir(parents=True, exist_ok=True)

    @app.get("/health")
    def health():
        return jsonify(ok=True)

    @app.post("/run-task")
    def run_task():
        order = request.get_json(silent=True)
        if not isinstance(order, dict):
            raise InvalidRequest("Send a JSON object.")
        check(order, {"request": "text", "task": "text", "input": "object"})
        found = TASKS.get(order["task"])
        if found is None:
            raise InvalidRequest(f"There is no task {order['task']}.")
        file = kept / hashlib.sha256(order["request"].encode()).hexdigest()
        if file.exists():
            return jsonify(json.loads(file.read_text()))
        task, wanted = found
        check(order["input"], wanted)
        wire = Wire(config.secret_key, order["request"])
        answer = task(wire, config.data, **{f"{name}_" if name == "from" else name: order["input"][name] for name in wanted})
        part = file.with_suffix(".part")
        part.write_text(json.dumps(answer))
        part.rename(file)
        return jsonify(answer)

    @app.errorhandler(Problem)
    def problem(error):
        return jsonify(error={"code": error.code, "message": error.message}), error.status

    return app
