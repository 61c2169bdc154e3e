"""The one door: `POST /run-task`."""

from flask import Flask, jsonify, request
from stripe import StripeClient

from .problems import InvalidRequest, Problem
from .tasks import TASKS


def create_app(config):
    """The web application."""
    app = Flask(__name__)
    stripe = StripeClient(config.secret_key)

    @app.get("/health")
    def health():
        return jsonify(ok=True)

    @app.post("/run-task")
    def run_task():
        order = request.get_json(silent=True)
        if not isinstance(order, dict) or not isinstance(order.get("input"), dict):
            raise InvalidRequest("Send a JSON object with request, task and input.")
        task = TASKS.get(str(order.get("task")))
        if task is None:
            raise InvalidRequest(f"There is no task {order.get('task')!r}.")
        return jsonify(task(stripe, order["input"]))

    @app.errorhandler(Problem)
    def problem(error):
        return jsonify(error={"code": error.code, "message": error.message}), error.status

    return app
