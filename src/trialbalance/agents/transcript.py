"""What a harness told of its work, beside what passed between it and its model."""

from collections import defaultdict, deque
from typing import NamedTuple


class Picture(NamedTuple):
    """An image that a tool answered with, in base64."""

    media_type: str
    data: str


class ToolAnswer(NamedTuple):
    """What a tool answered."""

    text: str
    pictures: tuple[Picture, ...] = ()


class Notice(NamedTuple):
    """Something that the harness itself said, after so many answers of the model."""

    after: int
    text: str


class Transcript:
    """Tools' answers by call, the harness's own words, and lines that were meant for people."""

    def __init__(self) -> None:
        self.notices: list[Notice] = []
        self.remarks: list[str] = []
        self._answers: dict[str, deque[ToolAnswer]] = defaultdict(deque)

    def add_answer(self, call_id: str, answer: ToolAnswer) -> None:
        """A tool answered a call."""
        self._answers[call_id].append(answer)

    def take_answer(self, call_id: str) -> ToolAnswer | None:
        """The answer to a call; the next one, where a model uses an id again."""
        waiting = self._answers.get(call_id)
        return waiting.popleft() if waiting else None

    @property
    def complaint(self) -> str:
        """The last thing that the harness said of itself."""
        if self.notices:
            return self.notices[-1].text
        return self.remarks[-1] if self.remarks else ""
