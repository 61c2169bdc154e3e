"""The data plane and the control plane over real sockets, with the official SDK."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import stripe

from trialbalance.twin import TwinConfig
from trialbalance.twin.control import Control, ControlError
from trialbalance.twin.process import TwinProcess


@pytest.fixture(scope="module")
def process() -> Iterator[TwinProcess]:
    with TwinProcess.start(seed=3) as running:
        yield running


@pytest.fixture
def client(process: TwinProcess) -> Iterator[stripe.StripeClient]:
    process.control.reset()
    process.control.faults([])
    yield stripe.StripeClient(process.secret_key, base_addresses={"api": process.url}, max_network_retries=0)


def test_three_lines_as_the_readme_shows(process: TwinProcess) -> None:
    stripe.api_base = process.url  # type: ignore[attr-defined]
    stripe.api_key = process.secret_key
    assert stripe.Customer.create(email="a@example.test").id.startswith("cus_")


def test_control_needs_its_token(process: TwinProcess) -> None:
    path = process.control_path
    wrong = Control("wrong", socket_path=path)
    with pytest.raises(ControlError, match="token"):
        wrong.info()
    wrong.close()


def test_the_data_plane_has_no_control(process: TwinProcess) -> None:
    for path in ("/state", "/journal", "/reset", "/advance", "/info"):
        answer = httpx.post(process.url + path, headers={"Authorization": f"Bearer {process.secret_key}"})
        assert answer.status_code in (404, 405)


def test_snapshot_and_restore(process: TwinProcess, client: stripe.StripeClient) -> None:
    client.v1.customers.create({"name": "kept"})
    name = process.control.snapshot()
    client.v1.customers.create({"name": "forgotten"})
    process.control.restore(name)
    assert [c.name for c in client.v1.customers.list().data] == ["kept"]
    with pytest.raises(ControlError, match="no snapshot 'nonsense'"):
        process.control.restore("nonsense")


def test_seed_document_is_all_or_nothing(process: TwinProcess, client: stripe.StripeClient) -> None:
    made = process.control.seed(
        {
            "requests": [
                {"path": "/v1/products", "form": {"name": "Kettle"}, "as": "kettle"},
                {
                    "path": "/v1/prices",
                    "form": {"product": "$kettle.id", "currency": "usd", "unit_amount": 3900},
                    "as": "price",
                },
            ]
        }
    )
    assert made["price"]["product"] == made["kettle"]["id"]
    with pytest.raises(ControlError, match=r"requests\[1\].*Missing required param: name"):
        process.control.seed(
            {"requests": [{"path": "/v1/products", "form": {"name": "x"}}, {"path": "/v1/products"}]}
        )
    assert len(client.v1.products.list().data) == 1


def test_the_journal_masks_what_must_stay_secret(process: TwinProcess, client: stripe.StripeClient) -> None:
    client.v1.payment_methods.create(
        {
            "type": "card",
            "card": {"number": "4242424242424242", "exp_month": 12, "exp_year": 2030, "cvc": "123"},
        }
    )
    text = str(process.control.journal())
    assert "4242424242424242" not in text and "'cvc': '123'" not in text
    assert process.secret_key not in text


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("reset_before", stripe.APIConnectionError),
        ("reset_after", stripe.APIConnectionError),
        ("rate_limit", stripe.RateLimitError),
        ("lock_timeout", stripe.RateLimitError),
        ("server_error", stripe.APIError),
        ("unavailable", stripe.APIError),
        ("conflict", stripe.APIError),
    ],
)
def test_faults_reach_the_sdk(
    process: TwinProcess, client: stripe.StripeClient, fault: str, error: type[Exception]
) -> None:
    process.control.faults([{"fault": fault, "endpoint": "POST /v1/customers", "count": 1}])
    with pytest.raises(error):
        client.v1.customers.create({"name": "x"})
    made = len(client.v1.customers.list().data)
    assert made == (1 if fault.endswith("_after") else 0)
    client.v1.customers.create({"name": "y"})


def test_a_time_out_before_and_after_the_work(process: TwinProcess, client: stripe.StripeClient) -> None:
    for fault, made in (("timeout_before", 0), ("timeout_after", 1)):
        process.control.reset()
        process.control.faults([{"fault": fault, "endpoint": "POST /v1/customers", "count": 1}])
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(
                process.url + "/v1/customers",
                headers={"Authorization": f"Bearer {process.secret_key}"},
                timeout=0.3,
            )
        assert len(client.v1.customers.list().data) == made


def test_the_sdk_retries_through_a_fault_and_works_once(
    process: TwinProcess, client: stripe.StripeClient
) -> None:
    process.control.faults([{"fault": "reset_after", "endpoint": "POST /v1/customers", "count": 2}])
    client.v1.customers.create({"name": "once"}, {"max_network_retries": 3})
    assert len(client.v1.customers.list().data) == 1


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ({"fault": "gremlins"}, "is none of"),
        ({"fault": "slow", "probability": 2}, "0..1"),
        ({"fault": "slow", "endpoint": "/v1/x"}, "must look like"),
        ({"fault": "slow", "count": 0}, "from 1"),
        ({"faults": "slow"}, "unknown"),
    ],
)
def test_wrong_fault_rules_are_refused(process: TwinProcess, rule: dict[str, object], says: str) -> None:
    with pytest.raises(ControlError, match=says):
        process.control.faults([rule])


def test_cross_origin_calls_of_a_browser(process: TwinProcess) -> None:
    answer = httpx.options(
        process.url + "/v1/payment_methods",
        headers={
            "Origin": "https://shop.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type",
        },
    )
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "authorization" in answer.headers["access-control-allow-headers"]


def test_frozen_clock_and_journal_file(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    config = TwinConfig(clock=1_700_000_000, frozen=True, api_version="2024-06-20")
    with TwinProcess.start(seed=9, config=config, journal=journal) as process:
        answer = httpx.get(process.url + "/v1/customers", auth=(process.secret_key, ""))
        assert answer.headers["stripe-version"] == "2024-06-20"
        assert process.control.advance(1_700_000_100) == 1_700_000_100
        pid = process.pid
    lines = journal.read_text().splitlines()
    assert '"schema_version":1' in lines[0] and any('"/v1/customers"' in line for line in lines)
    assert not Path(f"/proc/{pid}").exists()


def test_extra_listeners(tmp_path: Path) -> None:
    extra = socket.create_server(("127.0.0.1", 0))
    port = extra.getsockname()[1]
    with TwinProcess.start(seed=1, listeners=[extra]) as process:
        extra.close()
        answer = httpx.get(f"http://127.0.0.1:{port}/v1/customers", auth=(process.secret_key, ""))
        assert answer.status_code == 200


@pytest.mark.parametrize("line", ["Upgrade: h2c", "upgrade:H2C", "UPGRADE:  h2c "])
def test_an_offer_of_http_2_loses_nothing(process: TwinProcess, line: str) -> None:
    """Java's HttpClient offers it and sends the body in a packet of its own."""
    body = b"name=Ada&description=first%0Asecond"
    head = (
        f"POST /v1/customers HTTP/1.1\r\nHost: twin\r\nConnection: Upgrade, HTTP2-Settings\r\n{line}\r\n"
        f"HTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA\r\nContent-Length: {len(body)}\r\n"
        f"Authorization: Bearer {process.secret_key}\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n"
    ).encode()
    port = int(process.url.rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(2):  # the connection stays usable
            connection.sendall(head)
            connection.sendall(body)
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            made = json.loads(answer.read())
            assert (answer.status, made["name"], made["description"]) == (200, "Ada", "first\nsecond")


def test_a_twin_ends_with_the_process_that_started_it() -> None:
    script = (
        "import time\n"
        "from trialbalance.twin.process import TwinProcess\n"
        "twin = TwinProcess.start(seed=1)\n"
        "print(twin.pid, twin.control_path, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid, control = parent.stdout.readline().split()
        parent.kill()
    deadline = time.monotonic() + 30
    while (Path("/proc") / pid).exists() or Path(control).parent.exists():
        assert time.monotonic() < deadline, "the twin outlives its parent"
        time.sleep(0.05)
