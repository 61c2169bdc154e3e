"""Who may call: secret, publishable and restricted keys, and connected accounts.

Source: https://docs.stripe.com/keys
"""

from __future__ import annotations

import base64

import pytest

from trialbalance.twin import Twin, TwinConfig
from trialbalance.twin.wire.keys import ApiKey


def message(twin: Twin, key: str, method: str = "GET", path: str = "/v1/customers") -> tuple[int, str]:
    answer = twin.request(method, path, key=key)
    return answer.status, answer.json().get("error", {}).get("message", "")


def test_no_key(twin: Twin) -> None:
    answer = twin.handle("GET", "/v1/customers", "", b"", {})
    assert answer.status == 401
    assert answer.json()["error"]["message"].startswith("You did not provide an API key.")


def test_unknown_keys_are_masked(twin: Twin) -> None:
    status, text = message(twin, "sk_test_abcdefghijklmnop")
    assert (status, text) == (401, "Invalid API Key provided: sk_test_************mnop")


def test_live_keys_are_refused_clearly(twin: Twin) -> None:
    status, text = message(twin, "sk_live_abcdefghijklmnop")
    assert status == 401
    assert "live key" in text and "abcdefgh" not in text


def test_basic_auth_as_curl_sends_it(twin: Twin) -> None:
    token = base64.b64encode(f"{twin.secret_key}:".encode()).decode()
    assert twin.handle("GET", "/v1/customers", "", b"", {"authorization": f"Basic {token}"}).status == 200


def test_a_publishable_key_may_not_read_customers(twin: Twin) -> None:
    answer = twin.request("GET", "/v1/customers", key=twin.publishable_key)
    assert answer.status == 403
    assert answer.json()["error"]["code"] == "secret_key_required"


def test_any_key_mode_takes_well_formed_test_keys_only() -> None:
    twin = Twin(config=TwinConfig(any_key=True))
    assert message(twin, "sk_test_whatever123")[0] == 200
    assert message(twin, "sk_live_whatever123")[0] == 401
    assert message(twin, "whatever")[0] == 401


def test_keys_have_the_real_shape(twin: Twin) -> None:
    import re

    assert re.fullmatch(r"sk_test_51[A-Za-z0-9]{40,}", twin.secret_key)
    assert re.fullmatch(r"pk_test_51[A-Za-z0-9]{40,}", twin.publishable_key)


def test_restricted_keys_name_the_permission_that_is_missing(twin: Twin) -> None:
    twin.keys.add(ApiKey("rk_test_shopkeeper0001", "restricted", twin.account, {"customer": "read"}))
    assert message(twin, "rk_test_shopkeeper0001")[0] == 200
    status, text = message(twin, "rk_test_shopkeeper0001", "POST")
    assert status == 403
    assert "'rak_customer_write'" in text and twin.account in text
    status, text = message(twin, "rk_test_shopkeeper0001", "GET", "/v1/products")
    assert status == 403 and "'rak_product_read'" in text


def test_write_includes_read(twin: Twin) -> None:
    twin.keys.add(ApiKey("rk_test_shopkeeper0002", "restricted", twin.account, {"customer": "write"}))
    assert message(twin, "rk_test_shopkeeper0002")[0] == 200
    assert message(twin, "rk_test_shopkeeper0002", "POST")[0] == 200


def test_expired_key(twin: Twin) -> None:
    twin.keys.add(ApiKey("rk_test_shopkeeper0003", "restricted", twin.account, {}, expires=twin.now()))
    answer = twin.request("GET", "/v1/customers", key="rk_test_shopkeeper0003")
    assert answer.status == 401
    assert answer.json()["error"]["code"] == "api_key_expired"


def test_unknown_account_header(twin: Twin) -> None:
    """Case A42: 403 account_invalid, the key masked."""
    answer = twin.request("GET", "/v1/customers", account="acct_unknown")
    assert answer.status == 403
    error = answer.json()["error"]
    assert error["code"] == "account_invalid"
    assert "acct_unknown" in error["message"] and twin.secret_key not in error["message"]


@pytest.mark.parametrize("key", ["sk_test_", "pk_test", "Bearer x"])
def test_malformed_keys(twin: Twin, key: str) -> None:
    assert message(twin, key)[0] == 401
