"""Whether two conversations are the same, but for what never is.

Between a recording and its replay the times, durations, process numbers and random names that programs print
differ. They are masked before comparing; so are the notes that harnesses keep rewriting (goose tells the
model the time and how much context is used in an `<info-msg>`).
"""

import hashlib
import re
from typing import NamedTuple

from trialbalance.gateway.conversation import Conversation

_DROPPED = re.compile(r"<(info-msg|system-reminder)>.*?</\1>\s*", re.DOTALL)
_MASKS = (
    (re.compile(r"\x1b\[[0-9;?]*[A-Za-z]"), ""),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.I), "<uuid>"),
    (
        re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: ?Z| ?[+-]\d\d:?\d\d)?)?"),
        "<date>",
    ),
    (
        re.compile(
            r"\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?"
            r"(?:\d{1,2}[ /-])?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*[ /-]{1,2}\d{1,4}"
            r"(?:[, :]+\d\d:\d\d(?::\d\d)?)?(?: ?(?:GMT|UTC))?(?:,? \d{4})?(?::\d\d:\d\d(?::\d\d)?)?"
        ),
        "<date>",
    ),
    (re.compile(r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b"), "<time>"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:ns|[µu]s|ms|s|secs?|seconds?|mins?|minutes?)\b"), "<duration>"),
    (re.compile(r"\b1[5-9]\d{8}(?:\d{3})?(?:\.\d+)?\b"), "<epoch>"),
    (re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,}\b", re.I), "<hex>"),
    (re.compile(r"\b(p?pid)([ =:]+)\d+", re.I), r"\1\2<pid>"),
    (re.compile(r"^\[(\d+)\] \d+$", re.M), r"[\1] <pid>"),
    (re.compile(r"\b(127\.0\.0\.1|localhost):[3-6]\d{4}\b"), r"\1:<port>"),
    (re.compile(r"(/tmp/|/var/tmp/)[\w.-]+"), r"\1<name>"),
    (re.compile(r"\s+"), " "),
)


def normalise(value: str) -> str:
    """The text with everything masked that differs from run to run."""
    value = _DROPPED.sub("", value)
    for pattern, mask in _MASKS:
        value = pattern.sub(mask, value)
    return value.strip()


class Part(NamedTuple):
    """One thing that was said: who said it, and what, normalised."""

    speaker: str
    said: str


def parts(conversation: Conversation) -> tuple[Part, ...]:
    """The conversation in a form that can be compared: one part per utterance, tool call and tool result.

    The system prompt and the tools on offer are left out: they belong to the harness, not to what happened.
    Neighbouring texts of one speaker are one part, since harnesses cut them differently.
    """
    found: list[Part] = []

    def say(speaker: str, said: str) -> None:
        if not said:
            return
        if found and found[-1].speaker == speaker and speaker in ("user", "assistant"):
            found[-1] = Part(speaker, f"{found[-1].said} {said}")
        else:
            found.append(Part(speaker, said))

    for message in conversation.messages:
        images = " <image>" * message.images
        say(message.role, normalise(message.text) + images)
        for call in message.calls:
            say(f"call of {_bare(call.name)}", normalise(call.arguments_json))
        for result in message.results:
            name = _bare(conversation.tool_of(result.call_id)) or "a tool"
            say(f"result of {name}", normalise(result.text) + " <image>" * result.images or "<empty>")
    return tuple(found)


def digest(conversation: Conversation) -> str:
    """A short name for what was said; equal for conversations that do not differ in anything that counts."""
    text = "\n".join(f"{part.speaker}\x1f{part.said}" for part in parts(conversation))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def difference(recorded: Conversation, given: Conversation) -> str | None:
    """Where two conversations part, in one line; None where they do not."""
    before, now = parts(recorded), parts(given)
    for number, (old, new) in enumerate(zip(before, now, strict=False), 1):
        if old.speaker != new.speaker:
            return f"part {number}: recorded was the {_who(old)}, now it is the {_who(new)}"
        if old.said != new.said:
            was, now_is = _around(old.said, new.said)
            return f"part {number} ({_who(old)}): recorded {was!r}, now {now_is!r}"
    if len(before) > len(now):
        return f"part {len(now) + 1}: recorded was the {_who(before[len(now)])}, now there is nothing"
    if len(now) > len(before):
        return f"part {len(before) + 1}: recorded was nothing, now there is the {_who(now[len(before)])}"
    return None


def _bare(name: str) -> str:
    return name.rsplit("__", 1)[-1]


def _who(part: Part) -> str:
    return f"{part.speaker}'s text" if part.speaker in ("user", "assistant", "system") else part.speaker


def _around(old: str, new: str, width: int = 60) -> tuple[str, str]:
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    start = max(0, same - width // 3)
    return _cut(old, start, width), _cut(new, start, width)


def _cut(value: str, start: int, width: int) -> str:
    piece = value[start : start + width]
    return ("…" if start else "") + piece + ("…" if start + width < len(value) else "")
