"""The search query language. Source: https://docs.stripe.com/search"""

from __future__ import annotations

import pytest

from trialbalance.twin.errors import InvalidRequest
from trialbalance.twin.wire.search import Query, check, matches, parse

ALICE = {
    "id": "cus_1",
    "object": "customer",
    "email": "Alice@Example.test",
    "name": "Alice O'Hara",
    "phone": None,
    "created": 1000,
    "metadata": {"order": "6735", "key with space": "x"},
}


def found(text: str) -> bool:
    query = parse(text)
    check("customer", query)
    return matches("customer", ALICE, query)


@pytest.mark.parametrize(
    "text",
    [
        "email:'alice@example.test'",
        'email:"ALICE@example.test"',
        "email~'ample'",
        "created>999",
        "created>=1000 AND created<=1000",
        "-created<1000",
        "metadata['order']:'6735'",
        "metadata[\"key with space\"]:'x'",
        "phone:null",
        "-name:null",
        "metadata['absent']:null",
        "name:'nobody' OR metadata['order']:'6735'",
        "name:'Alice O\\'Hara'",
        "created>1 created<2000",
    ],
)
def test_finds(text: str) -> None:
    assert found(text)


@pytest.mark.parametrize(
    "text",
    [
        "email:'alice'",
        "created>1000",
        "-metadata['order']:'6735'",
        "phone:'1'",
        "name:'x' AND created>1",
        "email~'zzz'",
    ],
)
def test_does_not_find(text: str) -> None:
    assert not found(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "unable to parse"),
        ("email", "unable to parse"),
        ("email:'open", "unable to parse"),
        ("(email:'a')", "unable to parse"),
        ("email:'a' AND name:'b' OR name:'c'", "AND and OR"),
        ("balance:1", "unsupported search field for resource `customers`"),
        ("created~'123'", "Operator `~`"),
        ("email>3", "Operator `>`"),
        ("email~'ab'", "at least 3"),
        ("created:'x'", "needs a number"),
        (" ".join(f"created>{n}" for n in range(11)), "at most 10"),
    ],
)
def test_refuses(text: str, says: str) -> None:
    with pytest.raises(InvalidRequest, match=says) as caught:
        found(text)
    assert caught.value.param == "query"


def test_or_needs_one_clause() -> None:
    assert parse("name:'a' or name:'b'") == Query(parse("name:'a' OR name:'b'").clauses, True)
