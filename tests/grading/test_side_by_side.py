"""Comparing an app with its original, call by call."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from trialbalance.grading import Failed, GraderFault, Ran
from trialbalance.grading.alike import Aliases
from trialbalance.grading.side_by_side import Call, Pair, Side, Sides, alike, made_by, nothing_gone, sent_in

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


class Twin:
    """A twin that holds this, and notes its faults."""

    def __init__(self, **kinds: list[Any]) -> None:
        self.kinds = kinds
        self.rules: list[Any] = []

    def state(self) -> dict[str, Any]:
        return {"account": "acct_1", "accounts": {"acct_1": self.kinds}}

    def faults(self, rules: list[Any]) -> None:
        self.rules.append(rules)


class Beside:
    """An app, or its original: every command ends as told, every request says what it was."""

    def __init__(self, twin: Twin, exit_code: int = 0) -> None:
        self.twin = twin
        self.ran: list[Any] = []
        self._exit_code = exit_code

    def session(self) -> Beside:
        return self

    def attempt(self, method: str, path: str, **arguments: Any) -> Any:
        response = httpx.Response(200, json={"at": path})
        return (response, None) if arguments["seconds"] and self.twin.kinds.get("app") else response

    def run(self, argv: Any) -> Ran:
        self.ran.append(argv)
        return Ran(self._exit_code, "linked 3", "no such table")


def sides(before: Twin, after: Twin, ended: int = 0) -> tuple[Sides, Beside, Beside]:
    after.kinds.setdefault("app", [])
    app, original = Beside(after), Beside(before, ended)
    return Sides(app, after, original), app, original  # type: ignore[arg-type]


def test_both_sides_begin_with_the_same() -> None:
    price = {"id": "price_1Abcdefgh1", "meter": None}
    before = Twin(price=[price], event=[{"id": "evt_1"}], app=[])
    both, _, _ = sides(before, Twin(price=[{**price, "meter": "mtr_1"}], event=[]))
    both.begin("mtr_1")
    assert both.before.aliases.settle("price_1Abcdefgh1 price_1Abcdefgh2") == "price_1Abcdefgh1 <price-1>"
    with pytest.raises(GraderFault, match="do not hold the same"):
        both.begin()


def test_a_command_is_run_beside_both_and_must_succeed_beside_the_original() -> None:
    both, app, original = sides(Twin(), Twin())
    assert both.run(["link"], ["rm"]) == ((0, "linked 3"), (0, "linked 3"))
    assert app.ran == original.ran == [["rm"], ["link"]]
    broken, _, _ = sides(Twin(), Twin(), ended=1)
    with pytest.raises(GraderFault, match="no such table"):
        broken.run(["link"])


def test_both_are_asked_while_stripe_has_trouble() -> None:
    before, after = Twin(), Twin(app=["it"])
    both, _, _ = sides(before, after)
    (found,) = both.troubled({"server_error": Call("trouble", "GET", "/lots/1")})
    assert found.before == found.after == (200, {"at": "/lots/1"})
    assert before.rules == after.rules == [[{"fault": "server_error"}], []]


def test_a_refund_whose_answer_is_lost_is_counted() -> None:
    refunds = [{"id": "re_1", "payment_intent": "pi_1"}, {"id": "re_2", "payment_intent": "pi_2"}]
    after = Twin(app=["it"], refund=refunds)
    both, _, _ = sides(Twin(), after)
    assert both.lost_refund("/lots/1/returns", "pi_1") == ((200, {"at": "/lots/1/returns"}), 1)
    assert [[rule.get("fault") for rule in rules] for rules in after.rules] == [["reset_after"], []]
