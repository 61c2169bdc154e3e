"""How fast the twin answers, beside an empty application on the same server and other emulators, in one run.

    python benchmarks/twin_throughput.py [--seconds 5] [--sizes 100 1000 10000 100000]

Mixed load: 30 % retrieve a customer, 30 % retrieve a payment intent, 25 % create a customer, 15 % create and
confirm a payment intent; 1 and 16 connections; journal on. Prints requests a second, ratios to the empty
application, p50 and p99, memory and the time from start to the first 200. Needs `wrk` (Debian package). Emulators
are measured where PATH has them: `localstripe` (PyPI) and `emulate` (npm install emulate@0.12.2;
it wants Node 22).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from rich.console import Console
from rich.table import Table

from trialbalance.twin.process import TwinProcess

CARD = "payment_method=pm_card_visa&payment_method_types[]=card"
LUA = """
local customer, intent, key, body = "{customer}", "{intent}", "{key}", "{body}"
local n, sent = {seed}, 0
local headers = {{["Authorization"] = "Bearer " .. key, ["Content-Type"] = "application/x-www-form-urlencoded",
  ["Stripe-Version"] = "{version}"}}
request = function()
  n = (n * 1103515245 + 12345) % 2147483648
  sent = sent + 1
  if {rotate} and sent % 4000 == 0 then headers["Authorization"] = "Bearer " .. key .. n end
  local draw = math.floor(n / 65536) % 100
  if draw < 30 then return wrk.format("GET", "/v1/customers/" .. customer, headers) end
  if draw < 60 then return wrk.format("GET", "/v1/payment_intents/" .. intent, headers) end
  if draw < 85 then return wrk.format("POST", "/v1/customers", headers, "email=a%40example.test&metadata[a]=b") end
  return wrk.format("POST", "/v1/payment_intents", headers, body)
end
"""
EMPTY = """
async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json"),
        (b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"{}"})
"""


class Server(NamedTuple):
    """A running server and what the load needs to know of it."""

    name: str
    url: str
    key: str
    pid: int
    first: float
    customer: str
    intent: str
    rotate: bool = False
    """Whether it counts requests of each key and refuses after some thousands; any key is as good."""


class NotReady(RuntimeError):
    """A server that does not come up, for example an emulator that wants another Node."""


class Result(NamedTuple):
    """One measurement."""

    rate: float
    p50: float
    p99: float
    errors: int
    memory: float


def free_port() -> int:
    """A port nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return int(sock.getsockname()[1])


def wait(url: str, key: str, started: float, path: str = "/v1/customers") -> float:
    """Seconds from the start to the first 200."""
    while time.perf_counter() - started < 60:
        try:
            if httpx.get(url + path, auth=(key, ""), timeout=2).status_code == 200:
                return time.perf_counter() - started
        except httpx.HTTPError:
            pass
        time.sleep(0.005)
    raise NotReady(f"{url} did not answer 200 within a minute")


def objects(url: str, key: str) -> tuple[str, str]:
    """A customer and a payment intent to retrieve."""
    customer = httpx.post(url + "/v1/customers", data={"email": "a@example.test"}, auth=(key, "")).json()
    intent = httpx.post(
        url + "/v1/payment_intents",
        data={"amount": "2000", "currency": "usd", "payment_method_types[]": "card"},
        auth=(key, ""),
        headers={"Stripe-Version": VERSION},
    ).json()
    return customer.get("id", "cus_x"), intent.get("id", "pi_x")


VERSION = "2025-03-31.basil"


@contextmanager
def twin() -> Iterator[Server]:
    """The twin in its own process, journal on disk."""
    with tempfile.TemporaryDirectory() as directory:
        started = time.perf_counter()
        with TwinProcess.start(seed=1, journal=Path(directory) / "journal.jsonl") as process:
            first = wait(process.url, process.secret_key, started)
            found = objects(process.url, process.secret_key)
            yield Server("twin", process.url, process.secret_key, process.pid, first, *found)


@contextmanager
def empty() -> Iterator[Server]:
    """An application that answers `{}` to everything, on the same server with the same settings."""
    port = free_port()
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "empty.py").write_text(EMPTY)
        command = [
            sys.executable, "-m", "uvicorn", "empty:app", "--port", str(port), "--log-level", "critical",
            "--http", "httptools", "--loop", "uvloop", "--no-access-log", "--lifespan", "off", "--no-server-header",
        ]  # fmt: skip
        yield from spawned("empty ASGI", command, port, "sk_test_x", cwd=directory)


def spawned(name: str, command: list[str], port: int, key: str, **options: Any) -> Iterator[Server]:
    """Run a command until the measurement is over."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, **options
    )
    try:
        url = f"http://127.0.0.1:{port}"
        first = wait(url, key, started)
        yield Server(name, url, key, process.pid, first, *objects(url, key))
    finally:
        os.killpg(process.pid, 15)
        process.wait()


@contextmanager
def localstripe() -> Iterator[Server]:
    """localstripe, where it is installed."""
    port = free_port()
    command = [shutil.which("localstripe") or "localstripe", "--port", str(port), "--from-scratch"]
    yield from spawned("localstripe", command, port, "sk_test_12345")


@contextmanager
def emulate() -> Iterator[Server]:
    """emulate@0.12.2, where it is installed."""
    port = free_port()
    command = [shutil.which("emulate") or "emulate", "start", "--service", "stripe", "--port", str(port)]
    for server in spawned("emulate", command, port, "sk_test_emulate"):
        yield server._replace(rotate=True)


def load(server: Server, connections: int, seconds: float) -> Result:
    """Run wrk with the mix against a server."""
    body = f"amount=2000&currency=usd&confirm=true&{CARD}"
    script = LUA.format(
        customer=server.customer,
        intent=server.intent,
        key=server.key,
        body=body,
        version=VERSION,
        seed=connections,
        rotate=str(server.rotate).lower(),
    )
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(script)
        file.flush()
        text = subprocess.run(
            [
                "wrk",
                "-t1",
                f"-c{connections}",
                f"-d{max(1, round(seconds))}s",
                "--latency",
                "-s",
                file.name,
                server.url,
            ],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])  # type: ignore[index]
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    return Result(
        rate,
        latency(text, "50%"),
        latency(text, "99%"),
        int(refused[1]) if refused else 0,
        memory(server.pid),
    )


def latency(text: str, name: str) -> float:
    """Milliseconds at a percentile of wrk's table."""
    found = re.search(rf"{re.escape(name)}\s+([\d.]+)(us|ms|s)\b", text)
    assert found, text
    return float(found[1]) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[found[2]]


def memory(pid: int) -> float:
    """Resident megabytes of a process and its children."""
    total = 0.0
    for candidate in Path("/proc").glob("[0-9]*/status"):
        try:
            text = candidate.read_text()
        except OSError:
            continue
        if re.search(rf"^(Pid|PPid):\s+{pid}$", text, re.MULTILINE) and (
            found := re.search(r"VmRSS:\s+(\d+)", text)
        ):
            total += int(found[1]) / 1024
    return total


def fill(server: Server, count: int) -> None:
    """Create customers until there are about `count` objects."""
    script = (
        LUA.format(
            customer=server.customer,
            intent=server.intent,
            key=server.key,
            body="",
            version=VERSION,
            seed=1,
            rotate="false",
        )
        .replace("draw < 30", "draw < 0")
        .replace("draw < 60", "draw < 0")
        .replace("draw < 85", "draw < 100")
    )
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(script)
        file.flush()
        made = 0
        while made < count:
            text = subprocess.run(
                ["wrk", "-t1", "-c4", "-d1s", "-s", file.name, server.url],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            made += int(re.search(r"(\d+) requests in", text)[1])  # type: ignore[index]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--sizes", type=int, nargs="*", default=[100, 1_000, 10_000, 100_000])
    arguments = parser.parse_args()
    if shutil.which("wrk") is None:
        raise SystemExit("twin_throughput: wrk is missing; apt-get install wrk")
    console = Console()
    contenders: list[Callable[[], Any]] = [empty, twin]
    if shutil.which("localstripe"):
        contenders.append(localstripe)
    if shutil.which("emulate"):
        contenders.append(emulate)
    table = Table(title="Mixed load")
    for name in (
        "server",
        "connections",
        "requests/s",
        "of empty",
        "p50 ms",
        "p99 ms",
        "refused",
        "MB",
        "first 200",
    ):
        table.add_column(name, justify="left" if name == "server" else "right")
    base: dict[int, float] = {}
    for make in contenders:
        with contextlib.ExitStack() as stack:
            try:
                server = stack.enter_context(make())
            except NotReady as error:
                console.print(f"left out: {error}")
                continue
            for connections in (1, 16):
                load(server, connections, 1)
                result = load(server, connections, arguments.seconds)
                base.setdefault(connections, result.rate)
                table.add_row(
                    server.name, str(connections), f"{result.rate:,.0f}", f"{result.rate / base[connections]:.2f}",
                    f"{result.p50:.2f}", f"{result.p99:.2f}", str(result.errors), f"{result.memory:.0f}",
                    f"{server.first:.2f} s",
                )  # fmt: skip
    console.print(table)
    growth = Table(title="Cost per request as the twin fills")
    for name in ("objects", "requests/s", "of the first"):
        growth.add_column(name, justify="right")
    first = 0.0
    with twin() as server:
        made = 0
        for size in arguments.sizes:
            fill(server, size - made)
            made = size
            rate = load(server, 16, arguments.seconds).rate
            first = first or rate
            growth.add_row(f"{size:,}", f"{rate:,.0f}", f"{rate / first:.2f}")
    console.print(growth)


if __name__ == "__main__":
    main()
