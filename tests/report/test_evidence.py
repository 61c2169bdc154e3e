"""Evidence becomes lines: failures first, scenarios announced, inputs together."""

from __future__ import annotations

from trialbalance.report.evidence import EvidenceLine, lines


def test_lines_of_every_kind() -> None:
    found = lines(
        [
            {"kind": "draw", "scenario": "purchase", "what": "product", "value": {"name": "Lamp"}},
            {"kind": "draw", "scenario": "purchase", "what": "integer", "value": 3},
            {"kind": "http", "scenario": "purchase", "request": "POST /cart", "status": 500},
            {"kind": "command", "command": "python x.py", "exit_code": 0},
            {"kind": "browser", "fill": "Email", "value": "a@example.test"},
            {
                "kind": "database",
                "sql": "SELECT 1",
                "rows": [{"id": number, "name": "x" * 20} for number in range(9)],
            },
            {"kind": "failed", "expected": 1, "actual": 2},
            "loose",
        ]
    )
    assert found[0] == EvidenceLine("failed", "", "", "plain", (("expected", "1"), ("actual", "2")))
    assert found[1] == EvidenceLine("scenario", "purchase", "", "plain", ())
    assert found[2].title == "2 random inputs" and '{"name": "Lamp"}\ninteger: 3' in found[2].detail[0][1]
    assert found[3] == EvidenceLine("http", "POST /cart", "500", "bad", ())
    assert found[4] == EvidenceLine("command", "python x.py", "exit 0", "ok", ())
    assert found[5].title == "fill Email · value a@example.test"
    assert found[6].title == "SELECT 1" and found[6].detail[0][0] == "rows"
    assert found[7] == EvidenceLine("note", "value loose", "", "plain", ())


def test_a_single_short_input_is_its_own_line() -> None:
    assert lines([{"kind": "draw", "what": "integer", "value": 3}]) == [
        EvidenceLine("draw", "integer: 3", "", "plain", ())
    ]
    assert lines([]) == []


def test_a_long_line_opens() -> None:
    (line,) = lines([{"kind": "command", "command": "x" * 500, "exit_code": 1}])
    assert len(line.title) == 181 and line.detail == (("whole", "x" * 500),)
    assert (line.status, line.tone) == ("exit 1", "bad")
