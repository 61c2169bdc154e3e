"""Streams come in any pieces and with any line ends."""

from hypothesis import given
from hypothesis import strategies as st

from trialbalance.gateway.sse import Event, EventReader, encode

STREAM = b': hello\r\nevent: a\r\ndata: {"x": 1}\r\n\r\nid: 7\ndata: one\ndata: two\n\ndata: [DONE]\r\r'
EVENTS = [Event("a", '{"x": 1}'), Event("", "one\ntwo"), Event("", "[DONE]")]


@given(st.lists(st.integers(1, 9), min_size=1))
def test_events_do_not_depend_on_how_the_bytes_are_cut(sizes: list[int]) -> None:
    reader, found, start, turn = EventReader(), list[Event](), 0, 0
    while start < len(STREAM):
        size = sizes[turn % len(sizes)]
        found += reader.feed(STREAM[start : start + size])
        start, turn = start + size, turn + 1
    assert [*found, *reader.finish()] == EVENTS


def test_a_stream_that_ends_without_an_empty_line_gives_its_last_event() -> None:
    reader = EventReader()
    assert list(reader.feed(b"data: last")) == []
    assert list(reader.finish()) == [Event("", "last")]


def test_what_is_encoded_is_read() -> None:
    (event,) = EventReader().feed(encode({"text": "ä\n"}, "named"))
    assert event.name == "named" and event.json() == {"text": "ä\n"}


def test_data_that_is_no_object_has_no_json() -> None:
    assert [event.json() for event in EVENTS] == [{"x": 1}, None, None]
