"""The requirements of an instruction: every sentence under the headings that `metadata.requirements` names.

List items, paragraphs and the body rows of tables count; code blocks, quotes, headings and lead-ins that
end with a colon do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(.*)$")
_RULE = re.compile(r"^\s*\|?[\s:|-]*-[\s:|-]*\|?\s*$")
_END = re.compile(r"(?<=[.!?])[\"')\]*_]*\s+(?=[\"'(\[`*_]*[A-Z0-9`])")
_ABBREVIATIONS = ("e.g.", "i.e.", "etc.", "vs.", "no.", "approx.")


@dataclass(frozen=True)
class Requirement:
    """One sentence that a check must prove."""

    heading: str
    sentence: str


def normal(text: str) -> str:
    """A text with every run of white space as one space: how citations are compared."""
    return re.sub(r"\s+", " ", text).strip()


def headings_of(instruction: str) -> list[str]:
    """Every heading of a Markdown text, in order."""
    return [heading for _, heading in _headings(_lines(instruction))]


def requirements_of(instruction: str, headings: Sequence[str]) -> tuple[Requirement, ...]:
    """The requirement sentences under the given headings, in the order of the text."""
    wanted = {normal(heading).lower() for heading in headings}
    found: list[Requirement] = []
    inside: tuple[int, str] | None = None
    block: list[str] = []

    def flush() -> None:
        if inside is not None:
            found.extend(Requirement(inside[1], sentence) for sentence in _sentences(block))
        block.clear()

    for line in _lines(instruction):
        heading = _HEADING.match(line)
        if heading:
            flush()
            level, title = len(heading[1]), heading[2]
            if inside is None or level <= inside[0]:
                inside = (level, title) if normal(title).lower() in wanted else None
        elif _RULE.match(line):
            if not _is_row(block):  # the row above a rule is the table's header
                flush()
            block.clear()
        elif not line.strip() or line.lstrip().startswith(">"):
            flush()
        elif line.lstrip().startswith("|") or _ITEM.match(line):
            flush()
            block.append(line)
        else:
            block.append(line)
    flush()
    return tuple(found)


def cited(citation: str, instruction: str) -> bool:
    """Whether a citation stands word for word in an instruction, line breaks aside."""
    wanted = normal(citation)
    return bool(wanted) and wanted in normal(instruction)


def covers(citation: str, requirement: Requirement) -> bool:
    """Whether a citation holds the whole sentence of a requirement."""
    return normal(requirement.sentence) in normal(citation)


def _lines(text: str) -> Iterator[str]:
    """The lines outside code blocks and comments; a code block ends the paragraph before it."""
    fence: str | None = None
    for line in re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL).splitlines():
        mark = line.lstrip()[:3]
        if fence is None and mark in ("```", "~~~"):
            fence = mark
            yield ""
        elif fence is not None:
            if mark == fence:
                fence = None
        else:
            yield line


def _headings(lines: Iterator[str]) -> Iterator[tuple[int, str]]:
    for line in lines:
        match = _HEADING.match(line)
        if match:
            yield len(match[1]), match[2]


def _sentences(block: list[str]) -> list[str]:
    if not block:
        return []
    if _is_row(block):
        return [normal(block[0])]
    item = _ITEM.match(block[0])
    text = normal(" ".join([item[1] if item else block[0], *block[1:]]))
    sentences: list[str] = []
    start = 0
    for match in _END.finditer(text):
        if text[: match.start()].lower().endswith(_ABBREVIATIONS) or _in_code(text, match.start()):
            continue
        sentences.append(text[start : match.end()].strip())
        start = match.end()
    sentences.append(text[start:].strip())
    return [sentence for sentence in sentences if sentence and not sentence.endswith(":")]


def _is_row(block: list[str]) -> bool:
    return bool(block) and block[0].lstrip().startswith("|")


def _in_code(text: str, at: int) -> bool:
    return text[:at].count("`") % 2 == 1
