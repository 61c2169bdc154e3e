"""Form bodies as every SDK sends them decode to the same thing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialbalance.contract.model import Endpoint
from trialbalance.twin.wire.form import FormError, decode, encode, parse_pairs
from trialbalance.twin.wire.validate import plain, validate

KEY = st.text("abcdefghij_", min_size=1, max_size=6)
TEXT = st.text(min_size=1, max_size=8)


def endpoint(tree: Any) -> Endpoint:
    return Endpoint("POST", "/v1/things", tree, None)


ITEM = {"hash": {"price": "str", "quantity": "int", "tags": {"array": "str"}}}
TREE = {
    "hash": {"items": {"array": ITEM}, "labels": {"array": "str"}, "metadata": {"map": "str"}, "name": "str"}
}

ITEMS = st.fixed_dictionaries(
    {"price": TEXT}, optional={"quantity": st.integers(-9, 9), "tags": st.lists(TEXT, min_size=1, max_size=3)}
)
DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "items": st.lists(ITEMS, min_size=1, max_size=12),
        "labels": st.lists(TEXT, min_size=1, max_size=12),
        "metadata": st.dictionaries(KEY, TEXT, min_size=1, max_size=4),
        "name": TEXT,
    },
)


@given(DOCUMENTS)
def test_indexed_arrays_round_trip(document: dict[str, Any]) -> None:
    """Python, Go, Java and Node index arrays: `items[0][price]`."""
    raw = decode(parse_pairs(encode(document)))
    assert plain(validate(endpoint(TREE), raw)) == document


@given(DOCUMENTS)
def test_unindexed_arrays_round_trip(document: dict[str, Any]) -> None:
    """Ruby and PHP of older days, and curl users, send `items[][price]`; a hash begins where a key repeats."""
    for item in document.get("items", []):
        item.pop("tags", None)
        item.setdefault("quantity", 1)
    raw = decode(parse_pairs(encode(document, indexed=False)))
    assert plain(validate(endpoint(TREE), raw)) == document


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1&b=2", {"a": "1", "b": "2"}),
        ("a[b][c]=1&a[b][d]=2", {"a": {"b": {"c": "1", "d": "2"}}}),
        ("a[]=1&a[]=2", {"a": ["1", "2"]}),
        ("a[][x]=1&a[][y]=2&a[][x]=3", {"a": [{"x": "1", "y": "2"}, {"x": "3"}]}),
        ("a[1]=y&a[0]=x&a[10]=z", {"a": {"1": "y", "0": "x", "10": "z"}}),
        ("a=%2B+%C3%A9", {"a": "+ é"}),
        ("a", {"a": ""}),
        ("", {}),
        ("a=", {"a": ""}),
    ],
)
def test_decodes(text: str, expected: dict[str, Any]) -> None:
    assert decode(parse_pairs(text)) == expected


@pytest.mark.parametrize("text", ["a[b=1", "a=1&a[b]=2", "a[]=1&a[b]=2", "a" + "[x]" * 20 + "=1"])
def test_refuses(text: str) -> None:
    with pytest.raises(FormError):
        decode(parse_pairs(text))


def test_array_order_is_by_index_not_by_text() -> None:
    raw = decode(parse_pairs("&".join(f"labels[{n}]={n}" for n in (10, 2, 0, 1, 9, 3, 4, 5, 6, 7, 8))))
    assert validate(endpoint(TREE), raw)["labels"] == [str(n) for n in range(11)]
