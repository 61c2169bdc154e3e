"""Reading alternates, mutants and cheats."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tasks.build import copy_task
from trialbalance.tasks import ProfileError, load_task

REASON = 'reason = "The tax is left out."\n'


def overlay(parent: Path, kind: str, text: str, files: dict[str, str] | None = None) -> Path:
    """A task with one more overlay, `extra`."""
    directory = copy_task(parent)
    extra = directory / kind / "extra"
    extra.mkdir(parents=True)
    (extra / "overlay.toml").write_text(text)
    for name, content in (files if files is not None else {"solve.sh": "true\n"}).items():
        (extra / name).write_text(content)
    return directory


@pytest.mark.parametrize(
    ("kind", "text", "files", "message"),
    [
        ("mutants", REASON, None, "kills: it is missing"),
        ("mutants", 'kills = "a"', None, "reason: it is missing"),
        ("mutants", 'kills = "a"\nreason = "short"', None, "reason: expected str matching regex"),
        ("mutants", REASON + 'kills = "a"\nflag = "f"', None, "flag, keeps_reward: only cheats have them"),
        ("alternates", REASON + 'kills = "a"', None, "kills, also: only mutants have them"),
        ("alternates", REASON + 'remove = ["../x"]', None, 'remove: "../x" leaves the tree'),
        ("alternates", REASON + 'base = "other"', None, "base: invalid enum value 'other'"),
        ("alternates", REASON, {}, "it changes nothing; add app/"),
        (
            "alternates",
            REASON,
            {"solve.sh": "", "notes.txt": ""},
            "extra/notes.txt: not a part of an overlay",
        ),
        ("cheats", REASON + 'base = "start"\nkeeps_reward = true', None, "is laid on"),
    ],
)
def test_a_wrong_overlay_is_refused_in_one_line(
    tmp_path: Path, kind: str, text: str, files: dict[str, str] | None, message: str
) -> None:
    directory = overlay(tmp_path, kind, text, files)

    with pytest.raises(ProfileError) as caught:
        load_task(directory)

    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"member-desk/{kind}/extra")
    assert message in str(caught.value)


def test_a_stray_file_beside_overlays_is_refused(tmp_path: Path) -> None:
    directory = copy_task(tmp_path)
    (directory / "mutants" / "notes.txt").write_text("x")

    with pytest.raises(ProfileError, match=r"mutants/notes.txt: not a directory"):
        load_task(directory)


def test_bases_depend_on_the_kind(tmp_path: Path) -> None:
    cheat = overlay(tmp_path / "a", "cheats", REASON)
    kept = overlay(tmp_path / "b", "cheats", REASON + "keeps_reward = true")
    mutant = overlay(tmp_path / "c", "mutants", REASON + 'kills = "a"\nalso = ["b"]')

    assert next(item for item in load_task(cheat).cheats if item.name == "extra").base == "start"
    assert next(item for item in load_task(kept).cheats if item.name == "extra").base == "reference"
    found = next(item for item in load_task(mutant).mutants if item.name == "extra")
    assert (found.base, found.kills, found.also, found.label) == ("reference", "a", ("b",), "mutant/extra")
