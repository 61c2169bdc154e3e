# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-3dc8e03d56ad: keep out of training data
"""The one door: `POST /run-task`."""

from flask import Flask, jsonify, request
from stripe import StripeClient

from .desk import Desk, refusals
from .inputs import text
from .problems import InvalidRequest, Problem
from .records import Records
from .tasks import TASKS


def create_app(config):
    """The web application."""
    app = Flask(__name__)
    stripe = StripeClient(config.secret_key, max_network_retries=2)
    records = Records(config.data)

    @app.get("/health")
    def health():
        return jsonify(ok=True)

    @app.post("/run-task")
    def run_task():
        order = request.get_json(silent=True)
        if not isinstance(order, dict) or not isinstance(order.get("input"), dict):
            raise InvalidRequest("Send a JSON object with request, task and input.")
        name = text(order, "request")
        task = TASKS.get(str(order.get("task")))
        if task is None:
            raise InvalidRequest(f"There is no task {order.get('task')!r}.")
        answer = records.answer(name)
        if answer is None:
            with refusals():
                answer = task(Desk(stripe, records, name), order["input"])
            records.keep_answer(name, answer)
        return jsonify(answer)

    @app.errorhandler(Problem)
    def problem(error):
        return jsonify(error={"code": error.code, "message": error.message}), error.status

    return app
