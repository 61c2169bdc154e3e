"""Files are there as a whole or not at all, also when the disk is full."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from trialbalance.trials.errors import BadJob, StorageFailed
from trialbalance.trials.events import EventLog, Follower
from trialbalance.trials.files import (
    append_line,
    read_json,
    read_lines,
    repair_lines,
    write_json,
    write_whole,
)


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.json"
    write_json(path, {"b": 1, "a": "ü"})
    assert path.read_text() == '{\n  "b": 1,\n  "a": "ü"\n}\n'
    write_whole(path, b"x")
    assert path.read_bytes() == b"x"
    assert [p.name for p in path.parent.iterdir()] == ["a.json"]


FULL = """
import resource, signal, sys
from pathlib import Path
from trialbalance.trials.errors import StorageFailed
from trialbalance.trials.files import append_line, write_whole
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
folder = Path(sys.argv[1])
for attempt in (lambda: write_whole(folder / "whole", b"x" * 5000), lambda: append_line(folder / "lines",
b"y" * 900)):
    try:
        attempt()
    except StorageFailed as error:
        print(error)
    else:
        sys.exit("nothing was raised")
"""


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    write_whole(tmp_path / "whole", b"before")
    append_line(tmp_path / "lines", b"z" * 500)
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == [
        f"cannot write {tmp_path / 'whole'}",
        f"cannot append to {tmp_path / 'lines'}",
    ]
    assert (tmp_path / "whole").read_bytes() == b"before"
    assert (tmp_path / "lines").read_bytes() == b"z" * 500 + b"\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["lines", "whole"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageFailed, match="--jobs-dir"):
        write_whole(tmp_path / "file" / "below", b"")
    with pytest.raises(StorageFailed, match="cannot open"):
        append_line(tmp_path / "absent" / "lines", b"")


def test_a_last_line_cut_short_is_left_out_and_repaired(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b'{"a": 1}\n{"a": 2}\n{"a"')
    assert read_lines(path) == [{"a": 1}, {"a": 2}]
    assert repair_lines(path) == 4
    assert repair_lines(path) == 0
    assert path.read_bytes() == b'{"a": 1}\n{"a": 2}\n'
    assert read_lines(tmp_path / "absent") == []
    assert repair_lines(tmp_path / "absent") == 0


@pytest.mark.parametrize("content", [None, b"{"])
def test_an_unreadable_json_file_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "x.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadJob, match=r"the config .*x\.json"):
        read_json(path, what="the config")


class Frozen:
    def now(self) -> int:
        return 1_767_225_600

    def monotonic(self) -> float:
        return 12.5


def test_events_are_followed_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    follower = Follower(path)
    assert follower.new() == []
    log = EventLog(path, Frozen())
    log.write("phase", name="agent")
    assert follower.new() == [
        {"schema_version": "1", "at": 1_767_225_600, "elapsed": 0.0, "event": "phase", "name": "agent"}
    ]
    with path.open("ab") as file:
        file.write(b'{"event": "ha')
        file.flush()
        assert follower.new() == []
        file.write(b'lf"}\n')
    assert follower.new() == [{"event": "half"}]
