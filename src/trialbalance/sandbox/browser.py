"""Chromium for the network of a sandbox, out of reach of what runs there.

The browser sees none of the sandbox's files: it has the host's own programs, a clean profile, and the sandbox's names and
trusted authority. Only the network is the sandbox's, so that http://127.0.0.1:4242 is the app and https://js.stripe.com
the twin.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trialbalance.sandbox import bubblewrap, unshare
from trialbalance.sandbox.enter import FILTER, PROFILE, started
from trialbalance.sandbox.errors import BackendUnavailable
from trialbalance.sandbox.etc import Etc
from trialbalance.sandbox.layout import MEGABYTE, Layout
from trialbalance.sandbox.root import PYTHON, own_places
from trialbalance.sandbox.seccomp import compile_filter
from trialbalance.sandbox.state import State

CANDIDATES = (
    "/usr/lib/chromium/chromium",
    "/usr/lib/chromium-browser/chromium-browser",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
)
COMMANDS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
DOWNLOADED = ".cache/ms-playwright/chromium-*/chrome-linux*/chrome"
FLAGS = (
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-proxy-server",
)
ENVIRONMENT = ("HOME=/root", "LANG=C.UTF-8", "PATH=/usr/bin:/bin", "XDG_RUNTIME_DIR=/run")


@dataclass(frozen=True, slots=True)
class BrowserLauncher:
    """How to start the browser of a sandbox."""

    executable: Path
    """Run this in place of Chromium; it takes Chromium's arguments."""
    downloads: Path
    """A directory of the host that the browser can write to, at the same path."""

    def launch_options(self) -> dict[str, Any]:
        """What to give to Playwright's ``chromium.launch``."""
        return {"executable_path": str(self.executable), "downloads_path": str(self.downloads)}


def find_chromium() -> Path | None:
    """The browser of this machine: Debian's or another system's Chromium, Chrome, or one that Playwright downloaded."""
    for candidate in CANDIDATES:
        if os.access(candidate, os.X_OK):
            return Path(candidate)
    for command in COMMANDS:
        if found := shutil.which(command):
            return Path(found).resolve()
    return next(iter(sorted(Path.home().glob(DOWNLOADED), reverse=True)), None)


def make_launcher(
    state: State, *, backend: str, user_namespace: bool, pid: int, network: int, chromium: Path | None
) -> BrowserLauncher:
    """Write the wrapper for an open sandbox.

    :raises BackendUnavailable: there is no Chromium on this machine.
    """
    program = chromium or find_chromium()
    if program is None or not program.exists():
        raise BackendUnavailable(
            f"no Chromium {f'at {chromium}' if chromium else 'on this machine'} (apt-get install chromium)"
        )
    place = state / "browser"
    downloads = place / "downloads"
    for directory in (place / "running", place / "profiles", downloads):
        directory.mkdir(parents=True, exist_ok=True)
    wrapper = place / "chromium"
    launcher = BrowserLauncher(wrapper, downloads)
    if backend == "plain":
        _write(wrapper, [str(program), *FLAGS])
        return launcher
    plan = _layout(state, program, downloads)
    payload = ["/usr/bin/env", "-i", *ENVIRONMENT, str(program), *FLAGS]
    (place / "filter").write_bytes(compile_filter())
    settings = {"pid": pid, "network": network, "place": str(place), "plan": "", "filter": ""}
    if backend == "bubblewrap":
        if compile_filter():
            settings["filter"] = str(place / "filter")
        settings["command"] = bubblewrap.arguments(
            plan,
            payload,
            hostname="browser",
            user_namespace=user_namespace and os.geteuid() == 0,
            own_network=False,
            first_process=False,
            seccomp=FILTER if settings["filter"] else None,
        )
    else:
        settings["command"] = unshare.arguments(
            plan, payload, hostname="browser", place=place / "builder", first_process=False
        )
        settings["plan"] = str(place / "builder/plan.json")
    (place / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    _write(
        wrapper, [PYTHON, "-I", "-S", str(Path(__file__).with_name("enter.py")), str(place / "settings.json")]
    )
    return launcher


def _layout(state: State, program: Path, downloads: Path) -> Layout:
    """The files that the browser sees."""
    plan = Layout(state / "empty")
    plan.system()
    for path in own_places():
        plan.hide(path)
    Etc(state / "etc").show(plan)
    plan.kernel(shared_memory=512 * MEGABYTE)
    plan.tmpfs("/run", 16 * MEGABYTE)
    plan.tmpfs("/tmp", 1024 * MEGABYTE, 0o1777)
    plan.tmpfs("/root", 256 * MEGABYTE, 0o700)
    if Path("/var/cache/fontconfig").is_dir():
        plan.bind(Path("/var/cache/fontconfig"), "/var/cache/fontconfig")
    if not program.is_relative_to("/usr"):
        plan.bind(program.parent, str(program.parent))
    plan.bind(downloads, str(downloads), writable=True)
    plan.bind(Path(PROFILE), PROFILE, writable=True)
    plan.seal("/")
    return plan


def _write(wrapper: Path, command: list[str]) -> None:
    wrapper.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
    wrapper.chmod(0o755)


def kill_browsers(state: State) -> None:
    """Kill the browsers of a sandbox that still run."""
    running = state / "browser/running"
    if not running.is_dir():
        return
    for entry in running.iterdir():
        with contextlib.suppress(OSError, ValueError, IndexError):
            pid = int(entry.name)
            descriptor = os.pidfd_open(pid)
            try:
                if started(pid) == entry.read_text(encoding="ascii"):
                    signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            finally:
                os.close(descriptor)
