"""Tool calls in the trial's events."""

import json
import time
from pathlib import Path

from trialbalance.tools.event_log import EventLog


def test_calls_are_appended_to_what_others_wrote(tmp_path: Path) -> None:
    path = tmp_path / "trial" / "events.jsonl"
    path.parent.mkdir()
    path.write_text('{"event":"phase"}\n')
    log = EventLog(path)
    started = time.monotonic()
    log.tool_call("terminal", {"command": "ls"}, started=started, ok=True, result="a.txt", images=0)
    log.tool_call("browser_screenshot", {}, started=started, ok=False, result="x" * 9000, images=1)
    log.close()
    log.close()
    first, second, third = [json.loads(line) for line in path.read_text().splitlines()]
    assert first == {"event": "phase"}
    assert {
        key: second[key] for key in ("schema_version", "event", "seq", "tool", "arguments", "ok", "result")
    } == {
        "schema_version": "1",
        "event": "tool_call",
        "seq": 1,
        "tool": "terminal",
        "arguments": {"command": "ls"},
        "ok": True,
        "result": "a.txt",
    }
    assert 0 <= second["seconds"] < 10 and abs(second["at"] - time.time()) < 60
    assert third["seq"] == 2 and third["images"] == 1 and "[… 5000 characters …]" in third["result"]
