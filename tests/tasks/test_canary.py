"""The canary stands where it must, and nowhere that an agent looks."""

from __future__ import annotations

from pathlib import Path

from tests.tasks.build import MINIATURE, copy_task, edit
from trialbalance.tasks import SUITE_GUID, missing_canaries, strip_canary, write_canaries
from trialbalance.tasks.canary import canary_line, strip_tree


def test_the_miniature_has_them_all() -> None:
    assert missing_canaries(MINIATURE) == []


def test_a_missing_or_borrowed_canary_is_noticed_and_written(tmp_path: Path) -> None:
    directory = copy_task(tmp_path)
    (directory / "instruction.md").write_text(strip_canary((directory / "instruction.md").read_text()))
    borrowed = canary_line(directory.name, "tests/checks.py")
    own = canary_line(directory.name, "solution/solve.sh")
    assert borrowed is not None
    assert own is not None
    edit(directory / "solution" / "solve.sh", own, borrowed)

    assert missing_canaries(directory) == ["instruction.md", "solution/solve.sh"]
    assert write_canaries(directory) == ["instruction.md", "solution/solve.sh"]
    assert missing_canaries(directory) == []
    assert (
        (directory / "solution" / "solve.sh")
        .read_text()
        .startswith("#!/usr/bin/env bash\n# trialbalance canary")
    )
    assert write_canaries(directory) == []


def test_each_file_has_a_suffix_of_its_own() -> None:
    lines = {canary_line("a", "x.py"), canary_line("a", "y.py"), canary_line("b", "x.py")}

    assert len(lines) == 3
    assert canary_line("a", "data.json") is None


def test_stripping_leaves_the_rest_alone(tmp_path: Path) -> None:
    text = "one\n\ntwo\n"
    line = canary_line("a", "x.md")
    assert strip_canary(f"{text}\n{line}\n") == text
    assert strip_canary(text + "\n\n") == text + "\n\n"

    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.bin").write_bytes(b"\xff\xfe\n" + f"# {SUITE_GUID}\n".encode() + b"rest\n")
    (tmp_path / "deep" / "b.bin").write_bytes(b"\x00\xff no canary")
    assert strip_tree(tmp_path) == 1
    assert (tmp_path / "deep" / "a.bin").read_bytes() == b"\xff\xfe\nrest\n"
    assert (tmp_path / "deep" / "b.bin").read_bytes() == b"\x00\xff no canary"
