"""The error envelope: type, code, param, message, doc_url, request_log_url.

Facts from recorded answers of the test-mode API (scenario: malformed requests) and
https://docs.stripe.com/error-codes.
"""

from __future__ import annotations

from typing import Any

import pytest

from trialbalance.twin import Twin

DOC = "https://stripe.com/docs/error-codes/"


def error(
    twin: Twin, method: str, path: str, form: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    answer = twin.request(method, path, form, **more)
    assert answer.status >= 400
    found: dict[str, Any] = answer.json()["error"]
    return {**found, "status": answer.status}


@pytest.mark.parametrize(
    ("method", "path", "form", "expected"),
    [
        (
            "GET",
            "/v1/customers",
            {"limit": "abc"},
            {"code": "parameter_invalid_integer", "message": "Invalid integer: abc", "param": "limit"},
        ),
        (
            "GET",
            "/v1/customers",
            {"wat": "x"},
            {"code": "parameter_unknown", "message": "Received unknown parameter: wat", "param": "wat"},
        ),
        (
            "POST",
            "/v1/customers",
            {"invoice_settings": {"nope": "x"}},
            {
                "code": "parameter_unknown",
                "message": "Received unknown parameter: invoice_settings[nope]",
                "param": "invoice_settings[nope]",
            },
        ),
        (
            "POST",
            "/v1/customers",
            {"foo": 1, "bar": {"x": 1}, "invoice_settings": {"nope": "x"}},
            {
                "code": "parameter_unknown",
                "message": "Received unknown parameters: foo, bar, invoice_settings[nope]",
                "param": "foo",
            },
        ),
        (
            "GET",
            "/v1/customers",
            {"starting_after": "cus_aaa"},
            {"code": "resource_missing", "message": "No such customer: 'cus_aaa'", "param": "starting_after"},
        ),
        (
            "POST",
            "/v1/customers",
            {"name": ["wrong", "type", "array"]},
            {
                "code": None,
                "message": 'Invalid string: {"0":"wrong","1":"type","2":"array"}',
                "param": "name",
            },
        ),
        (
            "POST",
            "/v1/payment_intents",
            {"currency": "usd"},
            {"code": "parameter_missing", "message": "Missing required param: amount.", "param": "amount"},
        ),
        (
            "POST",
            "/v1/customers",
            {"tax_exempt": "maybe"},
            {
                "code": None,
                "message": "Invalid tax_exempt: must be one of exempt, none, or reverse",
                "param": "tax_exempt",
            },
        ),
        (
            "POST",
            "/v1/products",
            {"name": "x", "active": "yes"},
            {"code": None, "message": "Invalid boolean: yes", "param": "active"},
        ),
        (
            "POST",
            "/v1/products",
            {"name": "x", "images": "one"},
            {"code": None, "message": "Invalid array", "param": "images"},
        ),
        (
            "POST",
            "/v1/customers",
            {"address": "here"},
            {"code": None, "message": "Invalid object", "param": "address"},
        ),
    ],
)
def test_refusals(twin: Twin, method: str, path: str, form: dict[str, Any], expected: dict[str, Any]) -> None:
    found = error(twin, method, path, form)
    assert found["status"] == 400
    assert found["type"] == "invalid_request_error"
    for name, value in expected.items():
        assert found.get(name) == value
    if expected["code"]:
        assert found["doc_url"] == DOC + expected["code"].replace("_", "-")
    else:
        assert "doc_url" not in found
    assert "request_log_url" in found


def test_empty_string_for_a_required_parameter(twin: Twin) -> None:
    found = error(twin, "POST", "/v1/products", {"name": ""})
    assert found["code"] == "parameter_invalid_empty"
    assert found["param"] == "name"
    assert found["message"].startswith(
        "You passed an empty string for 'name'. We assume empty values are an attempt"
    )


def test_too_long(twin: Twin) -> None:
    found = error(twin, "POST", "/v1/customers", {"name": "abcde" + "x" * 5000 + "vwxyz"})
    assert found["param"] == "name"
    assert "must be at most" in found["message"]


def test_both_cursors(twin: Twin) -> None:
    """Case A55: no code, no param; a cursor that does not exist is named first."""
    first = twin.request("POST", "/v1/customers").json()["id"]
    second = twin.request("POST", "/v1/customers").json()["id"]
    found = error(twin, "GET", "/v1/customers", {"starting_after": first, "ending_before": second})
    assert found["message"] == (
        "Received both starting_after and ending_before parameters. Please pass in only one."
    )
    assert "code" not in found and "param" not in found
    missing = error(twin, "GET", "/v1/customers", {"starting_after": "cus_none", "ending_before": second})
    assert missing["message"] == "No such customer: 'cus_none'"


def test_unknown_url(twin: Twin) -> None:
    found = error(twin, "GET", "/v1/nonsense")
    assert found["status"] == 404
    assert found["message"].startswith("Unrecognized request URL (GET: /v1/nonsense).")


def test_missing_object_is_404_and_a_missing_reference_400(twin: Twin) -> None:
    missing = error(twin, "GET", "/v1/customers/cus_none")
    assert (missing["status"], missing["code"], missing["param"]) == (404, "resource_missing", "id")
    assert missing["message"] == "No such customer: 'cus_none'"
    reference = error(
        twin, "POST", "/v1/payment_intents", {"amount": 100, "currency": "usd", "customer": "cus_none"}
    )
    assert (reference["status"], reference["code"], reference["param"]) == (
        400,
        "resource_missing",
        "customer",
    )


def test_malformed_version_has_neither_code_nor_log_url(twin: Twin) -> None:
    answer = twin.request("GET", "/v1/customers", version="not-a-real-version")
    assert answer.status == 400
    assert answer.json() == {
        "error": {
            "message": "Invalid Stripe API version: not-a-real-version",
            "type": "invalid_request_error",
        }
    }
    assert answer.headers["stripe-version"] == "not-a-real-version"


def test_what_is_not_built_says_so_by_name(twin: Twin) -> None:
    found = error(twin, "POST", "/v1/climate/orders", {"product": "climsku_x"})
    assert found["status"] == 501
    assert "POST /v1/climate/orders" in found["message"]


def test_a_request_that_is_refused_changes_nothing(twin: Twin) -> None:
    before = twin.snapshot()
    for path, form in (("/v1/customers", {"nope": 1}), ("/v1/products", {"name": ""}), ("/v1/nonsense", {})):
        assert twin.request("POST", path, form).status >= 400
    after = twin.snapshot()
    assert {k: list(t.objects) for k, t in after.tables.items()} == {
        k: list(t.objects) for k, t in before.tables.items()
    }
    assert after.due == before.due


@pytest.mark.parametrize(
    ("metadata", "says"),
    [
        ({f"k{n}": "v" for n in range(51)}, "at most 50 keys"),
        ({"k" * 41: "v"}, "up to 40 characters"),
        ({"k": "v" * 501}, "up to 500 characters"),
        ({"k": {"nested": "v"}}, "must be strings"),
    ],
)
def test_metadata_limits(twin: Twin, metadata: dict[str, Any], says: str) -> None:
    assert says in error(twin, "POST", "/v1/customers", {"metadata": metadata})["message"]
