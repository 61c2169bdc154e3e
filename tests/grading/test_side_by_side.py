"""Comparing an app with its original, call by call."""

from __future__ import annotations

from typing import Any

import pytest

from trialbalance.grading import Failed
from trialbalance.grading.alike import Aliases
from trialbalance.grading.side_by_side import Call, Pair, Side, alike, made_by, nothing_gone, sent_in

LOT = Call("lot", "POST", "/lots/{lot: first}/payments", {"card": "{card}", "amount": 5, "more": ["{card}"]})


def test_names_are_filled_in_path_and_texts() -> None:
    path, body = LOT.filled({"lot: first": "pi_1", "card": "pm_1"})
    assert (path, body) == ("/lots/pi_1/payments", {"card": "pm_1", "amount": 5, "more": ["{card}"]})
    assert Call("lot", "GET", "/lots/{lost}").filled({}) == ("/lots/in_nothing", None)
    assert LOT.label.startswith("POST /lots/{lot: first}/payments {'card'")


def test_a_side_keeps_what_an_answer_says() -> None:
    def send(method: str, path: str, body: Any) -> tuple[int, Any]:
        return 201, {"last": {"id": "in_1AbcdefghIJ"}, "sent": f"{method} {path}", "body": body}

    side = Side(None, send, {"a": "1"}, Aliases())  # type: ignore[arg-type]
    kept = Call("let", "POST", "/lockers/{a}", {}, keep="bill", at=("last", "id"))
    assert side.ask(kept) == (201, {"last": {"id": "<in-1>"}, "sent": "POST /lockers/1", "body": {}})
    assert side.names["bill"] == "in_1AbcdefghIJ"
    side.ask(Call("let", "POST", "/lockers/{a}", {}, keep="bill", at=("last", "id", "deeper")))
    assert side.names["bill"] == "None"


def pair(before: Any, after: Any, statuses: tuple[int, int] = (200, 200), group: str = "lot") -> Pair:
    return Pair(Call(group, "GET", "/lots/1"), (statuses[0], before), (statuses[1], after))


def test_groups_are_compared_whole_or_by_fields() -> None:
    pairs = [pair({"a": 1, "b": 2}, {"b": 3, "a": 1}), pair({}, {"x": 1}, group="other")]
    alike(pairs, "lot", fields=("a", "neither"))
    with pytest.raises(Failed, match=r"body\.b"):
        alike(pairs, "lot")
    with pytest.raises(Failed, match="body"):
        alike(pairs, "lot", "other", fields=("x",))
    with pytest.raises(Failed, match="another status"):
        alike([pair({}, {}, (200, 404))], "lot")
    with pytest.raises(Failed, match="no calls of till"):
        alike(pairs, "till")


def test_errors_are_compared_whole() -> None:
    with pytest.raises(Failed, match=r"body\.error"):
        alike([pair({"error": "a"}, {"error": "b"}, (404, 404))], "lot", fields=("lot",))


def asked(**more: Any) -> dict[str, Any]:
    sdk = {"user_agent": "Stripe/v1 JavaBindings/33.3.0", "version": "2026-07-29.dahlia"}
    return {"method": "GET", "path": "/v1/charges", **sdk, **more}


def test_what_was_asked_of_stripe() -> None:
    good = [asked(), asked(response={"error": {"message": "No such charge"}}), asked(response=[])]
    made_by(good, "Stripe/v1 JavaBindings/33.3.0")
    sent_in(good, "2026-07-29.dahlia")
    nothing_gone(good)
    with pytest.raises(Failed, match="not made by the new SDK"):
        made_by([*good, asked(user_agent=None)], "Stripe/v1 JavaBindings/33.3.0")
    with pytest.raises(Failed, match="another version"):
        sent_in([*good, asked(version="2020-08-27")], "2026-07-29.dahlia")
    with pytest.raises(Failed, match="what is gone"):
        nothing_gone([asked(response={"error": {"message": "Received unknown parameter: include"}})])


@pytest.mark.parametrize(
    "judge", [lambda: made_by([], "S"), lambda: sent_in([], "v"), lambda: nothing_gone([])]
)
def test_no_request_is_no_proof(judge: Any) -> None:
    with pytest.raises(Failed, match="no requests to Stripe"):
        judge()
