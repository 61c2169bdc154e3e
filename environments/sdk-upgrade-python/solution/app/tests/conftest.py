# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-5e5991f6a942: keep out of training data
"""A service whose Stripe is a table of prepared answers: nothing here leaves the machine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import stripe

from bellows.app import create_app
from bellows.books import Books
from bellows.config import Config


@pytest.fixture
def config(tmp_path):
    return Config("sk_test_of_nobody", tmp_path / "books.db", "127.0.0.1", 4242)


@pytest.fixture
def books(config):
    return Books(config.database_path)


@pytest.fixture
def client(config):
    app = create_app(config)
    stripe.max_network_retries = 0
    return app.test_client()


@pytest.fixture
def answers(monkeypatch):
    """What Stripe answers, by method and path: {"GET /v1/charges": (200, {...})}."""
    table = {}

    class Prepared(stripe.HTTPClient):
        name = "prepared"

        def request_with_retries(self, method, url, headers, post_data=None, max_network_retries=None, *, _usage=None):
            return self.request(method, url, headers, post_data)

        def request(self, method, url, headers, post_data=None):
            import json

            path = url.split("stripe.com", 1)[1].split("?")[0]
            status, body = table.get(f"{method.upper()} {path}", (404, {"error": {"message": "No such thing", "type": "invalid_request_error"}}))
            return json.dumps(body), status, {}

        def close(self):
            pass

    monkeypatch.setattr(stripe, "default_http_client", Prepared())
    return table
