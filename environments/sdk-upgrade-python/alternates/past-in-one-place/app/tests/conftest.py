"""A service whose Stripe is a table of prepared answers: nothing here leaves the machine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import stripe

from bellows import past
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
    return create_app(config).test_client()


@pytest.fixture
def answers(client):
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

    past.connect("sk_test_of_nobody", Prepared())
    return table
