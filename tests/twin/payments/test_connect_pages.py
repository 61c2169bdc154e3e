"""OAuth, onboarding and files as a browser or an SDK reaches them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import stripe
from starlette.testclient import TestClient

from tests.twin import sdk
from tests.twin.payments.pay import pay
from trialbalance.twin import Twin
from trialbalance.twin.connect import applications
from trialbalance.twin.server import DataPlane


@pytest.fixture
def browser(twin: Twin) -> Iterator[TestClient]:
    """A browser on the twin's own server."""
    with TestClient(DataPlane(twin), follow_redirects=False) as client:
        yield client


def path_of(url: str) -> str:
    """The path and query of an address."""
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def connected(twin: Twin, browser: TestClient, **params: str) -> Any:
    """Go through the authorize page; what came back in the address."""
    query = {
        "response_type": "code",
        "client_id": applications.identifier(twin),
        "scope": "read_write",
        "state": "s1",
        "redirect_uri": "https://shop.example/oauth",
        **params,
    }
    answer = browser.get("/oauth/authorize", params=query)
    assert answer.status_code == 303, answer.text
    return {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["location"]).query).items()}


def test_connecting_by_oauth(client: stripe.StripeClient, twin: Twin, browser: TestClient) -> None:
    back = connected(twin, browser, **{"stripe_user[email]": "ada@example.test"})
    assert (back["state"], back["scope"]) == ("s1", "read_write") and back["code"].startswith("ac_")
    answer = client.oauth.token({"grant_type": "authorization_code", "code": back["code"]})
    account = str(answer.stripe_user_id)
    assert client.v1.accounts.retrieve(account).email == "ada@example.test"
    theirs = sdk.client(twin, key=str(answer.access_token))
    intent = pay(theirs, 1000)
    assert sdk.client(twin, account=account).v1.payment_intents.retrieve(intent.id).status == "succeeded"
    with pytest.raises(stripe.oauth_error.InvalidGrantError):
        client.oauth.token({"grant_type": "authorization_code", "code": back["code"]})
    again = client.oauth.token({"grant_type": "refresh_token", "refresh_token": str(answer.refresh_token)})
    assert again.stripe_user_id == account


def test_disconnecting(client: stripe.StripeClient, twin: Twin, browser: TestClient) -> None:
    back = connected(twin, browser)
    answer = client.oauth.token({"grant_type": "authorization_code", "code": back["code"]})
    account = str(answer.stripe_user_id)
    hook = client.v1.webhook_endpoints.create(
        {"url": "http://127.0.0.1:9/hook", "enabled_events": ["*"], "connect": True}
    )
    gone = client.oauth.deauthorize({"client_id": applications.identifier(twin), "stripe_user_id": account})
    assert gone.stripe_user_id == account
    event = list(twin.store.all(account, "event"))[-1]
    assert (event["type"], event["account"]) == ("account.application.deauthorized", account)
    assert [
        d["endpoint"] for d in twin.store.all(twin.account, "_delivery") if d["event"] == event["id"]
    ] == [hook.id]
    with pytest.raises(stripe.PermissionError):
        client.v1.accounts.retrieve(account)
    with pytest.raises(stripe.oauth_error.InvalidClientError):
        client.oauth.deauthorize({"client_id": applications.identifier(twin), "stripe_user_id": account})


def test_another_application_is_refused(browser: TestClient) -> None:
    answer = browser.get(
        "/oauth/authorize", params={"client_id": "ca_other", "redirect_uri": "https://x.example"}
    )
    assert answer.status_code == 400 and "ca_other" in answer.text


def test_onboarding_in_a_browser(client: stripe.StripeClient, browser: TestClient) -> None:
    account = client.v1.accounts.create({"type": "express"})
    link = client.v1.account_links.create(
        {
            "account": account.id,
            "type": "account_onboarding",
            "refresh_url": "https://shop.example/again",
            "return_url": "https://shop.example/done",
        }
    )
    form = browser.get(path_of(link.url))
    assert form.status_code == 200 and "tos_acceptance.date" in form.text
    wrong = browser.post(path_of(link.url), data={"email": "no address"})
    assert wrong.status_code == 400 and "Invalid email address" in wrong.text
    sent = browser.post(path_of(link.url), data={"first_name": "Sam", "business_name": "Sam's <Shop>"})
    assert (sent.status_code, sent.headers["location"]) == (303, "https://shop.example/done")
    assert client.v1.accounts.retrieve(account.id).charges_enabled
    used = browser.get(path_of(link.url))
    assert used.headers["location"] == "https://shop.example/again"
    login = client.v1.accounts.login_links.create(account.id)
    assert "Sam&#x27;s &lt;Shop&gt;" in browser.get(path_of(login.url)).text
    assert browser.get("/setup/e/acct_x/nothing").status_code == 404


def test_contents_of_files(client: stripe.StripeClient, twin: Twin, browser: TestClient) -> None:
    content = io.BytesIO(b"%PDF-1.4 evidence")
    content.name = "evidence.pdf"
    file = client.v1.files.create({"purpose": "dispute_evidence", "file": content})
    link = client.v1.file_links.create({"file": file.id})
    key = {"authorization": f"Bearer {twin.secret_key}"}
    assert browser.get(path_of(str(file.url))).status_code == 401
    assert browser.get(path_of(str(file.url)), headers=key).content == b"%PDF-1.4 evidence"
    assert browser.get(path_of(str(link.url))).content == b"%PDF-1.4 evidence"
    client.v1.file_links.update(link.id, {"expires_at": "now"})
    assert browser.get(path_of(str(link.url))).status_code == 404
