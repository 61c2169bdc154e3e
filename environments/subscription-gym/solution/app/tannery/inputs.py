# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-36489d42df0b: keep out of training data
"""Inputs, checked for what they are."""

from .problems import InvalidRequest


def text(asked, name):
    """A text with something in it."""
    value = asked.get(name)
    if not isinstance(value, str) or not value:
        raise InvalidRequest(f"{name} must be a text.")
    return value


def whole(asked, name, low=1, high=None):
    """A whole number in a range."""
    value = asked.get(name)
    if (
        isinstance(value, bool)
        or not isinstance(value, int)
        or value < low
        or (high is not None and value > high)
    ):
        raise InvalidRequest(f"{name} must be a whole number from {low}.")
    return value


def optional(read, asked, name):
    """What `read` reads, or None where the input says null."""
    if name not in asked:
        raise InvalidRequest(f"{name} is missing.")
    return None if asked[name] is None else read(asked, name)


def part(asked, name):
    """An object."""
    value = asked.get(name)
    if not isinstance(value, dict):
        raise InvalidRequest(f"{name} must be an object.")
    return value
