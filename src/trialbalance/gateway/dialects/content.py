"""Message contents, which the dialects write as text or as lists of typed parts."""

from typing import Any, NamedTuple


class Content(NamedTuple):
    """The text of a message and how many images came with it."""

    text: str
    images: int


def read_content(value: Any) -> Content:
    """Text and images of a content field: a string, nothing, or a list of parts in any dialect."""
    if value is None:
        return Content("", 0)
    if isinstance(value, str):
        return Content(value, 0)
    if not isinstance(value, list):
        return Content(str(value), 0)
    texts: list[str] = []
    images = 0
    for part in value:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            if isinstance(part.get("text"), str):
                texts.append(part["text"])
            elif "image" in str(part.get("type", "")):
                images += 1
    return Content("\n".join(texts), images)


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; nothing where it is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: Any) -> str:
    """The value where it is text, else nothing."""
    return value if isinstance(value, str) else ""


def count(value: Any) -> int:
    """The value where it is a whole number, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def mapping(value: Any) -> dict[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def pieces(value: str, size: int = 200) -> list[str]:
    """Text cut as a stream would bring it."""
    return [value[start : start + size] for start in range(0, len(value), size)]
