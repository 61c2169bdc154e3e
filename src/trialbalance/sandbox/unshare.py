"""Isolation where bubblewrap is missing but the kernel offers namespaces: util-linux's ``unshare`` and `builder`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from trialbalance.sandbox.layout import Layout

PYTHON = "/usr/bin/python3"


def executable() -> Path | None:
    """Where ``unshare`` is, if it is."""
    found = shutil.which("unshare")
    return Path(found) if found else None


def arguments(
    layout: Layout,
    argv: Sequence[str],
    *,
    hostname: str,
    place: Path,
    first_process: bool = True,
) -> list[str]:
    """The command line that runs ``argv`` in a layout; ``place`` is a directory of the host for the builder to use."""
    plan = {
        "root": str(place / "root"),
        "hostname": hostname,
        "first_process": first_process,
        "operations": [operation._asdict() for operation in layout],
    }
    place.mkdir(exist_ok=True)
    (place / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    builder = Path(__file__).with_name("builder.py")
    command = [
        str(executable() or "unshare"),
        "--user",
        "--map-root-user",
        "--pid",
        "--fork",
        "--mount",
        "--uts",
        "--ipc",
    ]
    command.append("--net" if first_process else "--kill-child")
    return [*command, PYTHON, "-I", "-S", str(builder), str(place / "plan.json"), *argv]
