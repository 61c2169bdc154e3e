"""What the README shows works as it stands."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_twin_from_the_official_sdk() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (snippet,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert len(snippet.strip().splitlines()) == 3
    argv = [sys.executable, "-m", "trialbalance.cli", "twin", "serve", "--any-key", "--port", "0"]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True) as served:
        killer = threading.Timer(120, served.kill)
        killer.start()
        try:
            assert served.stdout is not None
            told = next(line for line in iter(served.stdout.readline, "") if "listens on" in line)
            url = re.search(r"http://127\.0\.0\.1:\d+", told)
            assert url is not None
            code = snippet.replace("http://127.0.0.1:12111", url[0])
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        finally:
            killer.cancel()
            served.send_signal(signal.SIGINT)
            served.communicate(timeout=60)
    assert done.returncode == 0 and done.stdout.startswith("cus_"), done.stderr


def test_links_and_commands_exist() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", readme):
        assert (ROOT / target).exists(), target
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for name in set(re.findall(r"(?:^|`)make (\w+)", readme, re.MULTILINE)):
        assert re.search(rf"^{name}:", makefile, re.MULTILINE), name
    assert (ROOT / "docs" / "images" / "report.png").stat().st_size < 300_000
