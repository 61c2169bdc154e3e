"""Durable mode: what was acknowledged survives kill -9, what was not is whole or absent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest

from trialbalance.twin import Twin, TwinConfig
from trialbalance.twin.ledger.durable import Durable, DurableError

CONFIG = TwinConfig(seed=4, clock=1_767_225_600, frozen=True)


def open_twin(path: Path) -> tuple[Twin, Durable]:
    twin = Twin(config=CONFIG)
    return twin, Durable.attach(twin, path)


def test_state_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "twin.db"
    twin, durable = open_twin(path)
    customer = twin.request("POST", "/v1/customers", {"email": "a@example.test", "metadata": {"k": "v"}})
    gone = twin.request("POST", "/v1/products", {"name": "gone"}).json()["id"]
    assert twin.request("DELETE", f"/v1/products/{gone}").status == 200
    kept = twin.request("POST", "/v1/customers", {"name": "x"}, idempotency_key="k")
    twin.advance(twin.now() + 60)
    twin.request("GET", "/v1/customers")
    durable.close()

    again, durable = open_twin(path)
    read = again.request("GET", f"/v1/customers/{customer.json()['id']}")
    assert read.json() == customer.json()
    assert again.request("GET", f"/v1/products/{gone}").status == 404
    replay = again.request("POST", "/v1/customers", {"name": "x"}, idempotency_key="k")
    assert replay.body == kept.body and replay.headers["idempotent-replayed"] == "true"
    assert again.now() >= twin.now() - 60
    fresh = again.request("POST", "/v1/customers").json()["id"]
    assert fresh not in {customer.json()["id"], kept.json()["id"]}
    listed = [c["id"] for c in again.request("GET", "/v1/customers").json()["data"]]
    assert listed == [fresh, kept.json()["id"], customer.json()["id"]]
    durable.close()


def test_due_actions_come_back(tmp_path: Path) -> None:
    path = tmp_path / "twin.db"
    twin, durable = open_twin(path)
    twin.request("POST", "/v1/webhook_endpoints", {"url": "http://127.0.0.1:9/", "enabled_events": ["*"]})
    twin.request("POST", "/v1/customers")
    from trialbalance.twin.webhooks.deliveries import record, take

    (item,) = take(twin)
    record(twin, item.account, item.delivery, 500, "no")
    durable.close()
    again, durable = open_twin(path)
    again.advance(again.now() + 600)
    assert [o.delivery for o in take(again)] == [item.delivery]
    durable.close()


@pytest.mark.parametrize("content", [b"this is no database, it is a letter" * 50, b"\x00" * 4096])
def test_a_file_that_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "letter.db"
    path.write_bytes(content)
    with pytest.raises(DurableError, match=r"letter\.db: cannot be used.*--db"):
        Durable.attach(Twin(config=CONFIG), path)
    assert path.read_bytes() == content


def test_another_seed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "twin.db"
    _, durable = open_twin(path)
    durable.close()
    with pytest.raises(DurableError, match="--seed 4"):
        Durable.attach(Twin(config=TwinConfig(seed=5)), path)


def serve(path: Path) -> tuple[subprocess.Popen[str], str, str]:
    command = [sys.executable, "-m", "trialbalance.twin", "serve", "--port", "0", "--db", str(path), "--json"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "NO_COLOR": "1"}
    )
    assert process.stdout is not None
    with process.stdout:
        settings = json.loads(process.stdout.readline())
    return process, settings["url"], settings["secret_key"]


def load(url: str, key: str, kills_after: int, acknowledged: dict[str, str], worker: int) -> None:
    """Create customers with keys until the server is gone; keep what was acknowledged."""
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=5) as client:
        for number in range(10_000):
            name = f"{kills_after}-{worker}-{number}"
            try:
                answer = client.post("/v1/customers", data={"name": name}, headers={"Idempotency-Key": name})
            except httpx.HTTPError:
                return
            if answer.status_code == 200:
                acknowledged[answer.json()["id"]] = name


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_kill_nine_loses_no_acknowledged_write(tmp_path: Path) -> None:
    """Killed in the middle of a load from two clients, fifty times over."""
    path = tmp_path / "twin.db"
    acknowledged: dict[str, str] = {}
    for round_ in range(50):
        process, url, key = serve(path)
        threads = [
            threading.Thread(target=load, args=(url, key, round_, acknowledged, worker)) for worker in (1, 2)
        ]
        for thread in threads:
            thread.start()
        goal = len(acknowledged) + 5 + round_ % 7
        while len(acknowledged) < goal:
            threads[0].join(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        for thread in threads:
            thread.join()
    process, url, key = serve(path)
    try:
        with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=5) as client:
            found: dict[str, str] = {}
            after = None
            while True:
                params = {"limit": "100", **({"starting_after": after} if after else {})}
                page = client.get("/v1/customers", params=params).json()
                found |= {c["id"]: c["name"] for c in page["data"]}
                if not page["has_more"]:
                    break
                after = page["data"][-1]["id"]
            assert acknowledged.items() <= found.items()
            assert len(set(found.values())) == len(found), "a retried key did its work twice"
            name = next(iter(acknowledged.values()))
            retry = client.post("/v1/customers", data={"name": name}, headers={"Idempotency-Key": name})
            assert retry.headers["idempotent-replayed"] == "true"
    finally:
        process.terminate()
        process.wait()
