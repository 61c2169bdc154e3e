"""A submitted file is read as if it were hostile."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from trialbalance.grading import Failed, GraderFault, Submission
from trialbalance.grading.evidence import Evidence
from trialbalance.grading.submission import MAX_BYTES


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The agent's files; a secret of the host lies beside them."""
    (tmp_path / "secret.json").write_text('{"secret": 1}')
    workspace = tmp_path / "app"
    (workspace / "answers").mkdir(parents=True)
    return workspace


@pytest.fixture
def submission(workspace: Path) -> Submission:
    """answers/answer.json of that workspace."""
    return Submission(workspace, "answers/answer.json", Evidence())


def answer(workspace: Path) -> Path:
    return workspace / "answers" / "answer.json"


def test_a_plain_file_is_read(workspace: Path, submission: Submission) -> None:
    answer(workspace).write_bytes('\ufeff{"a": [1, "é"]}'.encode())

    assert submission.exists()
    assert submission.json() == {"a": [1, "é"]}


def test_another_file_by_name(workspace: Path, submission: Submission) -> None:
    (workspace / "other.txt").write_text("other")

    assert submission.text("other.txt") == "other"


def test_nothing_there(submission: Submission) -> None:
    assert not submission.exists()
    with pytest.raises(Failed, match=r"there is no file answers/answer\.json"):
        submission.text()


def test_a_link_to_the_host_is_refused(workspace: Path, submission: Submission) -> None:
    answer(workspace).symlink_to("../../secret.json")

    assert not submission.exists()
    with pytest.raises(Failed, match="is not a plain file"):
        submission.text()


def test_a_link_in_place_of_a_directory_is_refused(workspace: Path, submission: Submission) -> None:
    (workspace / "answers").rmdir()
    (workspace.parent / "elsewhere").mkdir()
    (workspace.parent / "elsewhere" / "answer.json").write_text("{}")
    (workspace / "answers").symlink_to("../elsewhere")

    assert not submission.exists()
    with pytest.raises(Failed, match="is not a plain file"):
        submission.text()


def test_a_pipe_is_refused_at_once(workspace: Path, submission: Submission) -> None:
    os.mkfifo(answer(workspace))

    assert not submission.exists()
    with pytest.raises(Failed, match="is not a plain file"):
        submission.text()


def test_a_socket_is_refused(
    workspace: Path, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace / "answers")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("answer.json")
        with pytest.raises(Failed, match="is not a plain file"):
            submission.text()


def test_a_directory_is_refused(workspace: Path, submission: Submission) -> None:
    answer(workspace).mkdir()

    with pytest.raises(Failed, match="is not a plain file"):
        submission.text()


def test_an_endless_file_is_refused(workspace: Path, submission: Submission) -> None:
    with answer(workspace).open("wb") as file:
        file.truncate(1 << 40)

    with pytest.raises(Failed, match=f"larger than {MAX_BYTES} bytes"):
        submission.text()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"{", "is not JSON"),
        (b'{"a": 1, "a": 2}', "the key 'a' stands twice"),
        (b'{"a": NaN}', "NaN is no JSON number"),
        (b"[" * 100 + b"]" * 100, "nested too deeply"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_json_is_refused(
    workspace: Path, submission: Submission, content: bytes, message: str
) -> None:
    answer(workspace).write_bytes(content)

    with pytest.raises(Failed, match=message):
        submission.json()


@pytest.mark.parametrize("path", ["/etc/passwd", "../secret.json", "a/../../secret.json"])
def test_a_check_cannot_leave_the_workspace(submission: Submission, path: str) -> None:
    with pytest.raises(GraderFault, match="is not a relative path inside the workspace"):
        submission.text(path)


def test_a_task_without_a_submission_has_none(workspace: Path) -> None:
    with pytest.raises(GraderFault, match=r"the task has no metadata\.submission"):
        Submission(workspace, None, Evidence()).text()
