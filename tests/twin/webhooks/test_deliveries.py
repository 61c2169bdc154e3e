"""Webhooks: who gets what, signed how, retried when.

Source: https://docs.stripe.com/webhooks
"""

from __future__ import annotations

import json
import time

import httpx
import pytest
import stripe

from tests.twin import sdk
from trialbalance.twin import Twin
from trialbalance.twin.webhooks.deliveries import RETRY_DELAYS, Disruption, all_deliveries
from trialbalance.twin.webhooks.sender import deliver_now

URL = "https://shop.example/hook"


class Receiver:
    """An endpoint of a shop: keeps what it got and answers what it is told."""

    def __init__(self, status: int = 200) -> None:
        self.status = status
        self.got: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.got.append(request)
        return httpx.Response(self.status, text="noted")

    def client(self) -> httpx.Client:
        return httpx.Client(transport=httpx.MockTransport(self))

    @property
    def types(self) -> list[str]:
        return [json.loads(request.content)["type"] for request in self.got]


def endpoint(client: stripe.StripeClient, **more: object) -> stripe.WebhookEndpoint:
    params = {"url": URL, "enabled_events": ["*"], **more}
    return client.v1.webhook_endpoints.create(params)  # type: ignore[arg-type]


def test_secret_is_shown_once(client: stripe.StripeClient) -> None:
    made = endpoint(client)
    assert made.secret and made.secret.startswith("whsec_")
    read = client.v1.webhook_endpoints.retrieve(made.id)
    assert "secret" not in read
    assert "secret" not in client.v1.webhook_endpoints.list().data[0]


def test_official_sdk_verifies_the_signature_and_refuses_others(
    twin: Twin, client: stripe.StripeClient
) -> None:
    """Case A58."""
    made = endpoint(client)
    other = endpoint(client)
    shop = Receiver()
    client.v1.customers.create({"email": "a@example.test"})
    assert deliver_now(twin, shop.client()) == 2
    request = shop.got[0]
    header = request.headers["stripe-signature"]
    secret = made.secret
    assert secret and other.secret
    event = stripe.Webhook.construct_event(request.content, header, secret)
    assert event.type == "customer.created"
    with pytest.raises(stripe.SignatureVerificationError):
        stripe.Webhook.construct_event(request.content, header, other.secret)
    rewritten = json.dumps(json.loads(request.content)).encode()
    with pytest.raises(stripe.SignatureVerificationError):
        stripe.Webhook.construct_event(rewritten, header, secret)
    from trialbalance.twin.webhooks.signing import signature_header

    old = signature_header(request.content, secret, int(time.time()) - 301)
    with pytest.raises(stripe.SignatureVerificationError, match="tolerance"):
        stripe.Webhook.construct_event(request.content, old, secret)


def test_only_enabled_events_are_sent(twin: Twin, client: stripe.StripeClient) -> None:
    endpoint(client, enabled_events=["customer.updated"])
    shop = Receiver()
    customer = client.v1.customers.create({"email": "a@example.test"})
    client.v1.customers.update(customer.id, {"email": "b@example.test"})
    deliver_now(twin, shop.client())
    assert shop.types == ["customer.updated"]
    body = json.loads(shop.got[0].content)
    assert body["data"]["previous_attributes"] == {"email": "a@example.test"}


def test_pending_webhooks_count_down(twin: Twin, client: stripe.StripeClient) -> None:
    endpoint(client)
    endpoint(client)
    client.v1.customers.create({})
    event = client.v1.events.list().data[0]
    assert event.pending_webhooks == 2
    deliver_now(twin, Receiver().client())
    assert client.v1.events.retrieve(event.id).pending_webhooks == 0
    assert client.v1.events.list({"delivery_success": True}).data[0].id == event.id


def test_failures_are_retried_on_the_twins_clock_and_then_given_up(
    twin: Twin, client: stripe.StripeClient
) -> None:
    endpoint(client)
    shop = Receiver(500)
    client.v1.customers.create({})
    assert deliver_now(twin, shop.client()) == 1
    for delay in RETRY_DELAYS:
        twin.advance(twin.now() + delay - 1)
        assert deliver_now(twin, shop.client()) == 0
        twin.advance(twin.now() + 1)
        assert deliver_now(twin, shop.client()) == 1
    twin.advance(twin.now() + 10 * 24 * 3600)
    assert deliver_now(twin, shop.client()) == 0
    (delivery,) = all_deliveries(twin)
    assert delivery["status"] == "failed"
    assert [a["status"] for a in delivery["attempts"]] == [500] * (1 + len(RETRY_DELAYS))
    assert client.v1.events.list().data[0].pending_webhooks == 1


def test_a_retry_carries_the_same_event_and_a_fresh_signature(
    twin: Twin, client: stripe.StripeClient
) -> None:
    made = endpoint(client)
    shop = Receiver(503)
    client.v1.customers.create({})
    deliver_now(twin, shop.client())
    shop.status = 200
    twin.advance(twin.now() + RETRY_DELAYS[0])
    deliver_now(twin, shop.client())
    first, second = shop.got
    assert first.content == second.content
    assert made.secret
    stripe.Webhook.construct_event(second.content, second.headers["stripe-signature"], made.secret)


def test_a_disabled_endpoint_gets_nothing(twin: Twin, client: stripe.StripeClient) -> None:
    made = endpoint(client)
    client.v1.webhook_endpoints.update(made.id, {"disabled": True})
    client.v1.customers.create({})
    assert deliver_now(twin, Receiver().client()) == 0


def test_duplicates_and_disorder_on_demand(twin: Twin, client: stripe.StripeClient) -> None:
    endpoint(client)
    twin.disruption = Disruption(duplicate=1.0, shuffle=True)
    for name in "abcdef":
        client.v1.customers.create({"name": name})
    shop = Receiver()
    assert deliver_now(twin, shop.client()) == 12
    names = [json.loads(r.content)["data"]["object"]["name"] for r in shop.got]
    assert sorted(names) == sorted("aabbccddeeff")
    assert names != sorted(names)
    assert all(len(d["attempts"]) == 2 and d["status"] == "delivered" for d in all_deliveries(twin))


def test_nothing_is_planned_for_a_request_that_is_refused(twin: Twin, client: stripe.StripeClient) -> None:
    endpoint(client)
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.customers.create({"expand": ["bogus"]})
    assert twin.outbox == []
    assert all_deliveries(twin) == []


def test_event_is_read_in_the_version_it_was_made_in(twin: Twin, client: stripe.StripeClient) -> None:
    """Case A57, the reading half."""
    client.v1.customers.create({})
    event = client.v1.events.list().data[0]
    read = sdk.client(twin, version="2022-11-15").v1.events.retrieve(event.id)
    assert read.api_version == twin.config.default_version


@pytest.mark.parametrize(
    ("params", "param"),
    [
        ({"url": "ftp://x", "enabled_events": ["*"]}, "url"),
        ({"url": URL, "enabled_events": []}, "enabled_events"),
        ({"url": URL, "enabled_events": ["nonsense.happened"]}, "enabled_events[0]"),
        ({"enabled_events": ["*"]}, "url"),
    ],
)
def test_bad_endpoints_are_refused(
    client: stripe.StripeClient, params: dict[str, object], param: str
) -> None:
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.webhook_endpoints.create(params)  # type: ignore[arg-type]
    assert caught.value.param == param


def test_event_types_can_be_filtered(client: stripe.StripeClient) -> None:
    customer = client.v1.customers.create({})
    client.v1.customers.update(customer.id, {"name": "x"})
    types = [e.type for e in client.v1.events.list({"type": "customer.*"}).data]
    assert types == ["customer.updated", "customer.created"]
    assert [e.type for e in client.v1.events.list({"types": ["customer.created"]}).data] == [
        "customer.created"
    ]


def test_listing_backwards_ends(client: stripe.StripeClient) -> None:
    """A client that asks `ending_before` the last event until nothing comes must come to an end."""
    for _ in range(3):
        client.v1.customers.create({})
    newest = client.v1.events.list().data[0]
    assert client.v1.events.list({"ending_before": newest.id, "limit": 100}).data == []
