"""Copying trees: ours quickly, an agent's with care."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from trialbalance.tasks import (
    Oddity,
    TaskError,
    WorkspaceTooLarge,
    copy_tree,
    copy_untrusted,
    remove_tree,
    survey,
)
from trialbalance.tasks.workspace import MAX_DEPTH, MAX_FILE_BYTES

LARGE = 1 << 40


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small tree with a program, a hidden file and a link."""
    tree = tmp_path / "tree"
    (tree / "bin").mkdir(parents=True)
    (tree / "bin" / "run").write_text("#!/bin/sh\n")
    (tree / "bin" / "run").chmod(0o755)
    (tree / ".env").write_text("A=1\n")
    (tree / "link").symlink_to("bin/run")
    return tree


def test_a_copy_is_whole_and_of_its_own(tree: Path, tmp_path: Path) -> None:
    copy_tree(tree, tmp_path / "deep" / "copy")
    copy = tmp_path / "deep" / "copy"

    assert (copy / ".env").read_text() == "A=1\n"
    assert os.access(copy / "bin" / "run", os.X_OK)
    assert (copy / "link").readlink() == Path("bin/run")
    (copy / ".env").write_text("B=2\n")
    assert (tree / ".env").read_text() == "A=1\n"


def test_what_cannot_be_copied_is_told(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"cannot be copied: .*No such file"):
        copy_tree(tmp_path / "absent", tmp_path / "copy")


def test_an_agents_tree_without_oddities_is_copied_whole(tree: Path, tmp_path: Path) -> None:
    assert copy_untrusted(tree, tmp_path / "copy", LARGE) == ()
    assert sorted(path.name for path in (tmp_path / "copy").rglob("*")) == [".env", "bin", "link", "run"]


def test_pipes_sockets_and_endless_files_stay_behind(tree: Path, tmp_path: Path) -> None:
    os.mkfifo(tree / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tree / "socket"))
    with (tree / "bin" / "endless").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)

    found = copy_untrusted(tree, tmp_path / "copy", LARGE)

    assert found == (Oddity("large-file", "bin/endless"), Oddity("fifo", "pipe"), Oddity("socket", "socket"))
    assert sorted(path.name for path in (tmp_path / "copy").rglob("*")) == [".env", "bin", "link", "run"]


@pytest.mark.parametrize(
    ("target", "outside"),
    [
        ("/etc/passwd", True),
        ("../../secret", True),
        ("bin/../../x", True),
        ("/app/bin/run", False),
        ("/app/../etc/passwd", True),
        ("/usr/bin/python3", False),
        ("./bin/../.env", False),
    ],
)
def test_links_are_copied_as_links(tree: Path, tmp_path: Path, target: str, outside: bool) -> None:
    (tree / "odd").symlink_to(target)

    found = copy_untrusted(tree, tmp_path / "copy", LARGE)

    assert found == ((Oddity("link-outside", "odd"),) if outside else ())
    assert (tmp_path / "copy" / "odd").readlink() == Path(target)


def test_a_link_in_place_of_a_directory_is_not_entered(tree: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "file").write_text("secret")
    (tree / "folder").symlink_to(secret)

    copy_untrusted(tree, tmp_path / "copy", LARGE)

    assert (tmp_path / "copy" / "folder").is_symlink()


def test_privilege_bits_are_dropped(tree: Path, tmp_path: Path) -> None:
    (tree / "bin" / "run").chmod(0o6755)

    copy_untrusted(tree, tmp_path / "copy", LARGE)

    mode = (tmp_path / "copy" / "bin" / "run").stat().st_mode
    assert mode & (stat.S_ISUID | stat.S_ISGID) == 0
    assert mode & stat.S_IXUSR


@pytest.fixture
def bottomless(tree: Path) -> Iterator[Path]:
    """A tree that is deeper than paths can name."""
    here = os.open(tree, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d" * 20, dir_fd=here)
        inner = os.open("d" * 20, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    yield tree
    subprocess.run(["rm", "-rf", str(tree.parent)], check=True)  # pytest's own cleaning is recursive


def test_a_tree_without_bottom_is_cut_off_and_can_be_removed(bottomless: Path, tmp_path: Path) -> None:
    (oddity,) = copy_untrusted(bottomless, tmp_path / "copy", LARGE)

    assert oddity.kind == "deep-directory"
    assert oddity.path.count("/") == MAX_DEPTH
    remove_tree(tmp_path / "copy")
    remove_tree(bottomless)
    assert not bottomless.exists()


def test_too_much_is_refused_before_it_is_copied(tree: Path, tmp_path: Path) -> None:
    (tree / "data").write_bytes(b"x" * (3 << 20))

    with pytest.raises(WorkspaceTooLarge, match="more than the 2 MB that the task allows"):
        copy_untrusted(tree, tmp_path / "copy", 2 << 20)
    assert not (tmp_path / "copy").exists()


def test_a_hole_costs_nothing(tree: Path) -> None:
    with (tree / "sparse").open("wb") as file:
        file.truncate(512 << 20)

    assert survey(tree, 1 << 20) == ()


def test_removing_nothing_is_no_error(tmp_path: Path) -> None:
    remove_tree(tmp_path / "absent")
