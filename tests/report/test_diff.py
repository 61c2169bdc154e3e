"""A unified diff becomes numbered lines."""

from __future__ import annotations

from tests.report.sample import DIFF

from trialbalance.report.diff import Line, parse


def test_files_and_counts() -> None:
    files = parse(DIFF)
    assert [(f.path, f.status, f.added, f.removed) for f in files] == [
        ("server.py", "modified", 5, 2),
        ("templates/pay.html", "added", 2, 0),
        ("logo.png", "modified", 0, 0),
    ]


def test_lines_are_numbered_on_their_side() -> None:
    lines = parse(DIFF)[0].lines
    assert lines[0] == Line("hunk", None, None, "def order(request):")
    assert lines[1] == Line("same", 10, 10, "    cart = load_cart(request)")
    assert [(line.kind, line.old, line.new) for line in lines[2:5]] == [
        ("del", 11, None),
        ("del", 12, None),
        ("add", None, 11),
    ]


def test_lines_that_look_like_headers_are_content() -> None:
    text = (
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n--- old\n same\n\\ No newline at end of file\n"
    )
    assert [(line.kind, line.text) for line in parse(text)[0].lines] == [
        ("hunk", ""),
        ("del", "-- old"),
        ("same", "same"),
        ("note", "no newline at the end of the file"),
    ]


def test_a_long_file_is_cut_and_says_so() -> None:
    text = (
        "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,30 @@\n"
        + "+line\n" * 30
    )
    (file,) = parse(text, limit=10)
    assert (len(file.lines), file.cut, file.added) == (10, 21, 30)


def test_nothing_is_nothing() -> None:
    assert parse("") == []
