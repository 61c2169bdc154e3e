"""Overlays: other right solutions (alternates), wrong ones (mutants) and attacks of the grader (cheats)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from trialbalance.tasks.errors import ProfileError
from trialbalance.tasks.profile import OverlayTable
from trialbalance.tasks.table import read_table

Kind = Literal["alternate", "mutant", "cheat"]
KINDS: dict[Kind, str] = {"alternate": "alternates", "mutant": "mutants", "cheat": "cheats"}
"""Each kind of overlay with the directory it lives in."""

_PARTS = ("app", "change.patch", "solve.sh")


@dataclass(frozen=True)
class Overlay:
    """Changes to a tree, with the reason they exist.

    `kills` is the check that must fail for a mutant, `also` those that cannot hold either. `flag` is the
    mark the grader must put on a
    cheat; a cheat that `keeps_reward` is laid on the reference solution, and must change nothing.
    """

    kind: Kind
    name: str
    directory: Path
    reason: str
    base: Literal["reference", "start"]
    kills: str | None
    also: tuple[str, ...]
    remove: tuple[str, ...]
    flag: str | None
    keeps_reward: bool

    @property
    def label(self) -> str:
        """How reports name it: `mutant/wrong-amount`."""
        return f"{self.kind}/{self.name}"


def load_overlays(task: Path, kind: Kind) -> tuple[Overlay, ...]:
    """The overlays of one kind of a task, sorted by name."""
    parent = task / KINDS[kind]
    if not parent.exists():
        return ()
    overlays = []
    for directory in sorted(parent.iterdir()):
        if not directory.is_dir():
            raise ProfileError(
                f"{_shown(directory, task)}: not a directory; each {kind} has a directory of its own"
            )
        overlays.append(load_overlay(directory, kind, _shown(directory, task)))
    return tuple(overlays)


def load_overlay(directory: Path, kind: Kind, shown: str) -> Overlay:
    """Read one overlay; `shown` is how errors name its directory."""
    file = f"{shown}/overlay.toml"
    table = read_table(directory / "overlay.toml", OverlayTable, file)
    if kind == "mutant" and table.kills is None:
        raise ProfileError(f"{file}: kills: it is missing; name the check that must fail for this mutant")
    if kind != "mutant" and (table.kills is not None or table.also):
        raise ProfileError(f"{file}: kills, also: only mutants have them; remove them")
    if kind != "cheat" and (table.flag is not None or table.keeps_reward):
        raise ProfileError(f"{file}: flag, keeps_reward: only cheats have them; remove them")
    if table.keeps_reward and table.base == "start":
        raise ProfileError(
            f'{file}: base: it is "start", but a cheat that keeps the reward is laid on "reference"'
        )
    for name in table.remove:
        if name.startswith("/") or ".." in Path(name).parts:
            raise ProfileError(f'{file}: remove: "{name}" leaves the tree; give a path relative to /app')
    if not table.remove and not any((directory / part).exists() for part in _PARTS):
        raise ProfileError(f"{shown}: it changes nothing; add app/, change.patch, solve.sh or remove = [...]")
    stray = sorted(path.name for path in directory.iterdir() if path.name not in (*_PARTS, "overlay.toml"))
    if stray:
        raise ProfileError(
            f"{shown}/{stray[0]}: not a part of an overlay; there are only {', '.join(_PARTS)}"
        )
    on_start = kind == "cheat" and not table.keeps_reward
    return Overlay(
        kind=kind,
        name=directory.name,
        directory=directory,
        reason=table.reason,
        base=table.base or ("start" if on_start else "reference"),
        kills=table.kills,
        also=tuple(table.also),
        remove=tuple(table.remove),
        flag=table.flag,
        keeps_reward=table.keeps_reward,
    )


def _shown(path: Path, task: Path) -> str:
    return f"{task.name}/{path.relative_to(task).as_posix()}"
