"""goose's `--output-format stream-json`, read line by line.

Lines are `{"type": "message", "message": {id, role, content: [...]}}` and last `{"type": "complete", ...}`. A text
comes in one line per delta, all with the id of the model's answer. What goose says by itself has no id of an answer.
Lines that are no JSON (warnings) are kept as remarks.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from trialbalance.agents.transcript import Notice, Picture, ToolAnswer, Transcript


def read_stream(lines: Iterable[str], answers: frozenset[str]) -> Transcript:
    """What the lines tell; `answers` are the ids of the model's answers, by which goose's own words are told apart."""
    reader = _Reader(answers)
    for line in lines:
        if line.strip():
            reader.line(line)
    return reader.transcript


class _Reader:
    def __init__(self, answers: frozenset[str]) -> None:
        self.transcript = Transcript()
        self._known = answers
        self._seen: set[str] = set()
        self._speaking: tuple[str | None, int] | None = None

    def line(self, line: str) -> None:
        try:
            event = msgspec.json.decode(line)
        except msgspec.DecodeError:
            self.transcript.remarks.append(line.strip())
            return
        message = event.get("message") if isinstance(event, dict) else None
        if isinstance(message, dict):
            self._message(message)

    def _message(self, message: dict[str, Any]) -> None:
        id = message.get("id") if isinstance(message.get("id"), str) else None
        if id in self._known:
            self._seen.add(str(id))
        for part in message.get("content") or []:
            kind = part.get("type") if isinstance(part, dict) else None
            if kind == "toolResponse":
                self.transcript.add_answer(str(part.get("id")), _tool_answer(part.get("toolResult") or {}))
            elif kind is not None and message.get("role") == "assistant" and id not in self._known:
                self._own_words(id, part)

    def _own_words(self, id: str | None, part: dict[str, Any]) -> None:
        text = next((str(part[key]) for key in ("text", "msg") if isinstance(part.get(key), str)), "")
        if not text:
            return
        notices, after = self.transcript.notices, len(self._seen)
        if id is not None and self._speaking == (id, after):
            notices[-1] = Notice(after, notices[-1].text + text)
        else:
            notices.append(Notice(after, text))
        self._speaking = (id, after)


def _tool_answer(result: dict[str, Any]) -> ToolAnswer:
    value = result.get("value")
    if not isinstance(value, dict):
        return ToolAnswer(str(result.get("error") or result.get("status") or ""))
    parts = [part for part in value.get("content") or [] if isinstance(part, dict)]
    text = "\n".join(str(part["text"]) for part in parts if isinstance(part.get("text"), str))
    pictures = tuple(
        Picture(str(part.get("mimeType") or "image/png"), str(part["data"]))
        for part in parts
        if part.get("type") == "image" and part.get("data")
    )
    return ToolAnswer(text, pictures)
