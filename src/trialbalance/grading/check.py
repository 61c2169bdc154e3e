"""Checks and scenarios: the decorators that a task's `tests/checks.py` uses, and the registry they fill."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from trialbalance.grading.errors import ChecksError

DRIVERS = ("app", "twin", "original", "shopper", "database", "submission", "trial", "draw")
"""Names that a check or a scenario may have as parameters, besides the names of scenarios."""

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Check:
    """One requirement: the sentences of the instruction it proves, and the function that proves them."""

    id: str
    cites: tuple[str, ...]
    given: bool
    required: bool
    needs: tuple[str, ...]
    parameters: tuple[str, ...]
    run: Callable[..., None]
    challenge: str | None = None

    @property
    def requirement(self) -> str:
        """The cited sentences as one text."""
        return " ".join(self.cites)


@dataclass(frozen=True)
class Scenario:
    """A flow that is driven once and judged by several checks."""

    name: str
    parameters: tuple[str, ...]
    run: Callable[..., Any]


@dataclass
class CheckSet:
    """The checks and scenarios of one task, in the order they were written."""

    checks: list[Check] = field(default_factory=list)
    scenarios: dict[str, Scenario] = field(default_factory=dict)


_importing = threading.Lock()
_current: ContextVar[CheckSet | None] = ContextVar("checks", default=None)


def check(
    *,
    cites: str | Sequence[str],
    id: str | None = None,
    given: bool = False,
    required: bool = True,
    needs: Sequence[str] | str = (),
    challenge: str | None = None,
) -> Callable[[_Function], _Function]:
    """Make a function a check.

    `cites` is the sentence of `instruction.md` (or several) that it proves; `given` marks what the start
    tree already
    does; `required` counts towards the reward; `needs` names checks without which this one cannot hold;
    `challenge` is the part of the task that it belongs to, for a score of each part.
    """

    def register(function: _Function) -> _Function:
        name = id or function.__name__.replace("_", "-")
        sentences = (cites,) if isinstance(cites, str) else tuple(cites)
        wanted = (needs,) if isinstance(needs, str) else tuple(needs)
        checks = _registry(f"check {name}")
        if not _ID.fullmatch(name):
            raise ChecksError(f"check {name!r}: an id is lower-case words joined by '-'; rename it")
        if challenge is not None and not _ID.fullmatch(challenge):
            raise ChecksError(f"check {name!r}: a challenge is lower-case words joined by '-'; rename it")
        if any(other.id == name for other in checks.checks):
            raise ChecksError(f"check {name!r} is defined twice; give one of them another id")
        if not sentences or not all(sentence.strip() for sentence in sentences):
            raise ChecksError(
                f"check {name!r} cites nothing; cite the sentence of instruction.md that it proves"
            )
        checks.checks.append(
            Check(
                name,
                sentences,
                given,
                required,
                wanted,
                _parameters(function, name),
                function,
                challenge,
            )
        )
        return function

    return register


def scenario(function: _Function) -> _Function:
    """Make a function a scenario: run once, in drivers of its own, and handed to each check that names it."""
    name = function.__name__
    checks = _registry(f"scenario {name}")
    if name in DRIVERS or name in checks.scenarios:
        raise ChecksError(f"scenario {name!r}: the name is taken; choose another")
    checks.scenarios[name] = Scenario(name, _parameters(function, name), function)
    return function


def load_checks(path: Path) -> CheckSet:
    """Import `tests/checks.py` and return its checks; `ChecksError` when there are none or they do not fit
    together.
    """
    if not path.is_file():
        raise ChecksError(f"{path}: no such file; a task's checks are in tests/checks.py")
    with _collecting() as checks:
        _import(path)
    if not checks.checks:
        raise ChecksError(f"{path}: it has no checks; write at least one function with @check")
    _validate(path, checks)
    return checks


@contextmanager
def _collecting() -> Iterator[CheckSet]:
    checks = CheckSet()
    token = _current.set(checks)
    try:
        yield checks
    finally:
        _current.reset(token)


def _registry(what: str) -> CheckSet:
    checks = _current.get()
    if checks is None:
        raise ChecksError(f"{what}: checks can only be loaded by trialbalance.grading.load_checks")
    return checks


def _import(path: Path) -> None:
    """Execute checks.py, with the modules beside it importable at its top, and leave no trace of them."""
    name = "trialbalance_checks_" + hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ChecksError(f"{path}: cannot be imported as Python")
    module = importlib.util.module_from_spec(spec)
    beside = str(path.parent.resolve())
    with _importing:
        writes_bytecode = sys.dont_write_bytecode
        sys.dont_write_bytecode = True
        sys.modules[name] = module
        sys.path.insert(0, beside)
        try:
            spec.loader.exec_module(module)
        except ChecksError as error:
            raise ChecksError(f"{path}: {error}") from None
        except Exception as error:
            raise ChecksError(f"{path}: importing it failed: {type(error).__name__}: {error}") from error
        finally:
            sys.dont_write_bytecode = writes_bytecode
            sys.path.remove(beside)
            for other, loaded in list(sys.modules.items()):
                file = getattr(loaded, "__file__", None)
                if other == name or (file and os.path.dirname(file) == beside):  # noqa: PTH120
                    del sys.modules[other]


def _parameters(function: Callable[..., Any], name: str) -> tuple[str, ...]:
    found = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise ChecksError(f"{name}: parameter {parameter.name!r} must be a plain name, not * or **")
        found.append(parameter.name)
    return tuple(found)


def _validate(path: Path, checks: CheckSet) -> None:
    known = {*DRIVERS, *checks.scenarios}
    owners: list[Check | Scenario] = [*checks.checks, *checks.scenarios.values()]
    for owner in owners:
        label = owner.id if isinstance(owner, Check) else owner.name
        if not owner.parameters:
            raise ChecksError(
                f"{path}: {label!r} has no parameters, so it can prove nothing; ask for a driver"
            )
        for parameter in owner.parameters:
            if parameter not in known:
                options = ", ".join(sorted(known))
                raise ChecksError(f"{path}: {label!r} asks for {parameter!r}; there are only: {options}")
    ids = {item.id for item in checks.checks}
    for item in checks.checks:
        for need in item.needs:
            if need not in ids or need == item.id:
                raise ChecksError(f"{path}: check {item.id!r} needs {need!r}, which is no other check")
    _refuse_circles(path, {item.id: item.needs for item in checks.checks})
    _refuse_circles(path, {item.name: item.parameters for item in checks.scenarios.values()})


def _refuse_circles(path: Path, edges: dict[str, tuple[str, ...]]) -> None:
    done: set[str] = set()

    def visit(name: str, way: tuple[str, ...]) -> None:
        if name in way:
            raise ChecksError(f"{path}: these need each other in a circle: {' > '.join((*way, name))}")
        if name in done:
            return
        for other in edges.get(name, ()):
            visit(other, (*way, name))
        done.add(name)

    for name in edges:
        visit(name, ())
