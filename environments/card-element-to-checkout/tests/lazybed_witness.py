# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-04beae244c29: keep out of training data
"""A pytest plugin of the grader: writes down what a Flask application answers while the shop's own tests run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import flask

_answer = flask.Flask.wsgi_app
_seen = Path(__file__).with_name("seen.txt")


def _witnessed(self: flask.Flask, environ: dict[str, Any], start_response: Any) -> Any:
    def start(status: str, *rest: Any) -> Any:
        with _seen.open("a", encoding="utf-8") as file:
            file.write(f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']} {status.split()[0]}\n")
        return start_response(status, *rest)

    return _answer(self, environ, start)


flask.Flask.wsgi_app = _witnessed  # type: ignore[method-assign]
