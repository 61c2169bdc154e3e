"""Make a task's recording for goose from an outline and the reference solution.

    .venv/bin/python scripts/make_replay.py environments/card-element-to-checkout

`replay/outline.yaml` is a script of model answers as `trialbalance.gateway.script` reads it, in which a turn may also
say `write: [paths]`: each becomes a call of the terminal that writes the file of that path in `solution/app`, without
its canary, so that a recording follows its solution. The result is `replay/goose.yaml`; a test keeps it fresh.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import yaml

from trialbalance.tasks.canary import canary_line, strip_canary

END = "END_OF_FILE"


class _Dumper(yaml.SafeDumper):
    """Texts of several lines stand as they are."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Dumper.add_representer(str, _text)


def made(task: Path) -> str:
    """The recording that the outline and the solution amount to."""
    outline = yaml.safe_load((task / "replay" / "outline.yaml").read_text("utf-8"))
    turns = []
    for turn in outline["turns"]:
        rest = {key: value for key, value in turn.items() if key != "write"}
        calls = [*[_write(task, path) for path in turn.get("write", [])], *turn.get("calls", [])]
        turns.append({**rest, **({"calls": calls} if calls else {})})
    body = yaml.dump(
        {**outline, "turns": turns}, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110
    )
    head = canary_line(task.name, "replay/goose.yaml")
    note = "# Made by scripts/make_replay.py from outline.yaml and solution/app.\n"
    return (f"{head}\n" if head else "") + note + body


def _write(task: Path, path: str) -> dict[str, Any]:
    content = strip_canary((task / "solution" / "app" / path).read_text("utf-8")).replace("@{", "@@{")
    folder = f"mkdir -p {Path(path).parent} && " if "/" in path else ""
    return {"tool": "terminal", "arguments": {"command": f"{folder}cat > {path} <<'{END}'\n{content}{END}\n"}}


def main(arguments: list[str]) -> int:
    """Write the recordings of the tasks named."""
    if not arguments:
        print("usage: make_replay.py TASK_DIRECTORY...", file=sys.stderr)
        return 2
    for name in arguments:
        task = Path(name)
        if not (task / "replay" / "outline.yaml").is_file():
            print(f"{task}/replay/outline.yaml: no such file; write it first", file=sys.stderr)
            return 2
        (task / "replay" / "goose.yaml").write_text(made(task), "utf-8")
        print(f"wrote {task}/replay/goose.yaml")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
