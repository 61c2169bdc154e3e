"""Conversations are compared by what was said, not by clocks and process numbers."""

import pytest

from trialbalance.gateway.conversation import Conversation, Message, ToolCall, ToolResult
from trialbalance.gateway.digest import difference, digest, normalise, parts


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("at 2026-11-30T10:00:00.123Z end", "at 2027-01-02 03:04:05+02:00 end"),
        ("Mon, 30 Nov 2026 10:00:00 GMT", "Tue, 01 Dec 2026 11:30:00 GMT"),
        ("Nov 30 10:00:00 x", "Dec  1 09:01:10 x"),
        ("5 passed in 0.34s", "5 passed in 12.1 s"),
        ("up 35 ms", "up 4 ms"),
        ("pid=1234 and PID 77", "pid=9 and PID 4"),
        ("[1] 4242\nok", "[1] 77\nok"),
        ("0ddba11c0ffee123 x", "deadbeef0012345 x"),
        ("7f9c24e8-3b1a-4c5d-9e8f-0a1b2c3d4e5f", "00000000-3b1a-4c5d-9e8f-0a1b2c3d4e5f"),
        ("created=1796047931", "created=1799999999"),
        ("http://127.0.0.1:43117/x", "http://127.0.0.1:51002/x"),
        ("/tmp/tmpab12/x", "/tmp/tmpzz99/x"),
        ("\x1b[32mgreen\x1b[0m", "green"),
        ("a\r\n  b", "a b"),
        ("<info-msg>\nIt is now\n</info-msg>\nHello", "Hello"),
    ],
)
def test_what_differs_from_run_to_run_does_not_count(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("exit code 0", "exit code 1"),
        ("cs_test_a1", "cs_test_b2"),
        ("amount 1500", "amount 2500"),
        ("127.0.0.1:4242", "127.0.0.1:3000"),
        ("5 passed", "4 passed"),
        ("src/app.py", "src/shop.py"),
    ],
)
def test_what_counts_still_counts(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


def say(*messages: Message, tools: tuple[str, ...] = ()) -> Conversation:
    return Conversation("m", messages=messages, tools=tools)


def test_texts_that_harnesses_cut_differently_are_the_same() -> None:
    whole = say(Message("user", "Go. Now."))
    cut = say(Message("user", "Go."), Message("user", "<info-msg>x</info-msg>"), Message("user", "Now."))
    assert difference(whole, cut) is None and digest(whole) == digest(cut)


def test_the_harness_prefix_of_a_tool_does_not_count() -> None:
    def called(name: str) -> Conversation:
        call = ToolCall("c", name, {"a": 1})
        return say(Message("assistant", calls=(call,)), Message("tool", results=(ToolResult("c", "ok", 1),)))

    assert digest(called("trial__terminal")) == digest(called("mcp__trial__terminal"))
    assert parts(called("x"))[1] == ("result of x", "ok <image>")


def test_the_difference_shows_both_sides_where_they_part() -> None:
    long = "same " * 50
    one, other = say(Message("user", long + "left side")), say(Message("user", long + "right side"))
    found = difference(one, other)
    assert found is not None and "part 1 (user's text)" in found
    assert "left side" in found and "right side" in found and len(found) < 250
