"""An agent's changes are archived exactly, and its links are never followed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trialbalance.tasks.workspace import copy_tree
from trialbalance.trials.workspace import Changes, compare, diff, pack, unpack


def snapshot(root: Path) -> dict[str, str]:
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_dir():
            found[name] = "dir"
        else:
            mode = "x" if path.stat().st_mode & 0o100 else "-"
            found[name] = f"{mode} {path.read_bytes()!r}"
    return found


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    start, final = tmp_path / "start", tmp_path / "final"
    (start / "src").mkdir(parents=True)
    (start / "src" / "app.py").write_text("one\ntwo\n")
    (start / "src" / "gone.py").write_text("bye\n")
    (start / "kept.txt").write_text("same\n")
    (start / "swap").mkdir()
    (start / "swap" / "inner").write_text("1")
    (start / "link").symlink_to("kept.txt")
    copy_tree(start, final)
    (final / "src" / "app.py").write_text("one\nTWO\n")
    (final / "src" / "gone.py").unlink()
    (final / "new").mkdir()
    (final / "new" / "run.sh").write_text("#!/bin/sh\n")
    (final / "new" / "run.sh").chmod(0o755)
    (final / "new" / "empty").mkdir()
    (final / "swap" / "inner").unlink()
    (final / "swap").rmdir()
    (final / "swap").symlink_to("/etc")
    (final / "link").unlink()
    (final / "link").mkdir()
    (final / "link" / "file").write_text("2")
    (final / "node_modules").mkdir()
    (final / "node_modules" / "a.js").write_text("x")
    os.mkfifo(final / "pipe")
    return start, final


def test_what_was_changed(trees: tuple[Path, Path]) -> None:
    changes = compare(*trees)
    assert changes.added == (
        "link", "link/file", "new", "new/empty", "new/run.sh", "node_modules", "node_modules/a.js", "swap",
    )  # fmt: skip
    assert changes.modified == ("src/app.py",)
    assert changes.deleted == ("link", "src/gone.py", "swap", "swap/inner")


def test_same_size_and_date_do_not_hide_a_change(trees: tuple[Path, Path]) -> None:
    start, final = trees
    info = (start / "kept.txt").stat()
    (final / "kept.txt").write_text("sAme\n")
    os.utime(final / "kept.txt", ns=(info.st_atime_ns, info.st_mtime_ns))
    assert "kept.txt" in compare(start, final).modified


def test_packed_and_put_together_again(trees: tuple[Path, Path], tmp_path: Path) -> None:
    start, final = trees
    changes = pack(start, final, tmp_path / "out" / "workspace.tar.gz")
    unpack(start, tmp_path / "out" / "workspace.tar.gz", changes, tmp_path / "again")
    (final / "pipe").unlink()
    assert snapshot(tmp_path / "again") == snapshot(final)
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["workspace.tar.gz"]


def test_the_same_work_gives_the_same_bytes(trees: tuple[Path, Path], tmp_path: Path) -> None:
    start, final = trees
    one = pack(start, final, tmp_path / "one.tar.gz")
    for path in final.rglob("*"):
        os.utime(path, (1, 1), follow_symlinks=False)
    assert pack(start, final, tmp_path / "two.tar.gz") == one
    assert (tmp_path / "one.tar.gz").read_bytes() == (tmp_path / "two.tar.gz").read_bytes()


def test_hard_links_become_files_of_their_own(tmp_path: Path) -> None:
    start, final = tmp_path / "start", tmp_path / "final"
    start.mkdir()
    final.mkdir()
    (final / "a").write_text("twice")
    os.link(final / "a", final / "b")
    changes = pack(start, final, tmp_path / "t.tar.gz")
    unpack(start, tmp_path / "t.tar.gz", changes, tmp_path / "again")
    assert snapshot(tmp_path / "again") == {"a": "- b'twice'", "b": "- b'twice'"}


def test_set_user_id_bits_are_dropped(tmp_path: Path) -> None:
    (tmp_path / "start").mkdir()
    (tmp_path / "final").mkdir()
    (tmp_path / "final" / "su").write_text("")
    (tmp_path / "final" / "su").chmod(0o6755)
    changes = pack(tmp_path / "start", tmp_path / "final", tmp_path / "t.tar.gz")
    unpack(tmp_path / "start", tmp_path / "t.tar.gz", changes, tmp_path / "again")
    assert (tmp_path / "again" / "su").stat().st_mode & 0o7777 == 0o755


def test_a_diff_shows_what_a_person_wants_to_read(trees: tuple[Path, Path]) -> None:
    start, final = trees
    (final / "src" / "long.txt").write_text("x" * 3_000_000)
    (final / "src" / "image.png").write_bytes(b"\x89PNG\0\0")
    text = diff(start, final, compare(start, final))
    assert "diff --git a/src/app.py b/src/app.py" in text
    assert "-two\n+TWO\n" in text
    assert "diff --git a/src/gone.py b/src/gone.py\ndeleted file mode 100644" in text
    assert "new file mode 100755" in text
    assert "+/etc\n" in text and "root:" not in text
    assert "node_modules" not in text
    assert "3000000 bytes, too long to show" in text
    assert "Binary files /dev/null and b/src/image.png differ" in text


def test_no_change_is_an_empty_diff(tmp_path: Path) -> None:
    start = tmp_path / "start"
    start.mkdir()
    (start / "a").write_text("a")
    copy_tree(start, tmp_path / "final")
    changes = compare(start, tmp_path / "final")
    assert changes == Changes(added=(), modified=(), deleted=())
    assert diff(start, tmp_path / "final", changes) == ""
