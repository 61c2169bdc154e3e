"""`trialbalance twin listen`: a temporary webhook endpoint, and a line for every event it gets."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import httpx

from trialbalance.twin.errors import JsonObject

POLL = 0.3


class ListenError(RuntimeError):
    """The twin does not answer, or refuses: the message says what to do."""


def target(address: str) -> str:
    """`localhost:4242/hook` -> `http://localhost:4242/hook`; a bare port is one of localhost."""
    if address.isdigit():
        return f"http://localhost:{address}"
    return address if "://" in address else f"http://{address}"


def listen(
    url: str,
    key: str,
    forward_to: str,
    events: Sequence[str],
    *,
    api_version: str | None,
    connect: bool,
    echo: Callable[[str], None],
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Create an endpoint at the twin, print events as they are made, remove the endpoint at the end.

    Raises:
        ListenError: the twin is not there, or the key or the address is refused.
    """
    with httpx.Client(base_url=url, auth=(key, ""), timeout=10, trust_env=False) as client:
        form: dict[str, str] = {"url": target(forward_to), "connect": "true" if connect else "false"}
        form |= {f"enabled_events[{n}]": name.strip() for n, name in enumerate(events)}
        if api_version:
            form["api_version"] = api_version
        endpoint = _ask(client, "POST", "/v1/webhook_endpoints", form)
        echo(f"Ready. Events go to {target(forward_to)}. Signing secret: {endpoint['secret']}")
        newest = _newest(client)
        try:
            while not stop():
                for event in _since(client, newest):
                    newest = event["id"]
                    echo(f"{event['created']}  -->  {event['type']}  {event['id']}")
                time.sleep(POLL)
        except KeyboardInterrupt:
            pass
        finally:
            _ask(client, "DELETE", f"/v1/webhook_endpoints/{endpoint['id']}", None)


def _newest(client: httpx.Client) -> str | None:
    data = _ask(client, "GET", "/v1/events?limit=1", None)["data"]
    return data[0]["id"] if data else None


def _since(client: httpx.Client, newest: str | None) -> list[JsonObject]:
    query = f"?limit=100&ending_before={newest}" if newest else "?limit=100"
    data: list[JsonObject] = _ask(client, "GET", f"/v1/events{query}", None)["data"]
    return data[::-1]


def _ask(client: httpx.Client, method: str, path: str, form: dict[str, str] | None) -> JsonObject:
    try:
        answer = client.request(method, path, data=form)
    except httpx.HTTPError as problem:
        raise ListenError(
            f"no twin answers at {client.base_url} ({problem}); is `twin serve` running?"
        ) from None
    decoded: JsonObject = answer.json()
    if answer.status_code != 200:
        raise ListenError(decoded["error"]["message"])
    return decoded
