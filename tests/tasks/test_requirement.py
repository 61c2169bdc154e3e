"""Which sentences of an instruction are requirements, and how citations are compared."""

from __future__ import annotations

from trialbalance.tasks.requirement import Requirement, cited, covers, headings_of, requirements_of

TEXT = """
# A shop

Sell things. This is no requirement.

## What must hold

The shop does this:

- Orders are kept. Each has a total, e.g. 12.50 in
  the currency of the cart.
- `GET /a. B` answers 200.

1. The receipt is sent by e-mail!

| path | answers |
|---|---|
| `/health` | 200 |

> A quotation is no requirement.

```
Neither is code.
```

### A detail

Refunds are whole.

## Afterwards

Nothing. Here.

## Also <!-- hidden. Words. -->

Prices come from the server.
"""


def sentences(*headings: str) -> list[str]:
    return [requirement.sentence for requirement in requirements_of(TEXT, headings)]


def test_items_paragraphs_and_table_rows_count() -> None:
    assert sentences("what must hold") == [
        "Orders are kept.",
        "Each has a total, e.g. 12.50 in the currency of the cart.",
        "`GET /a. B` answers 200.",
        "The receipt is sent by e-mail!",
        "| `/health` | 200 |",
        "Refunds are whole.",
    ]


def test_several_headings_in_the_order_of_the_text() -> None:
    assert sentences("Also", "A detail") == ["Refunds are whole.", "Prices come from the server."]


def test_headings_are_known() -> None:
    assert headings_of(TEXT) == ["A shop", "What must hold", "A detail", "Afterwards", "Also"]


def test_a_citation_stands_word_for_word_but_for_line_breaks() -> None:
    assert cited("Each has a total, e.g. 12.50 in the currency of the cart.", TEXT)
    assert not cited("Each has a total.", TEXT)
    assert not cited("  ", TEXT)


def test_a_citation_covers_whole_sentences_only() -> None:
    requirement = Requirement("What must hold", "Orders are kept.")

    assert covers("Orders are kept. Each has a total.", requirement)
    assert not covers("Orders are", requirement)
