"""A browser in the network of a sandbox, driven by Playwright."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.sandbox.conftest import OpenSandbox, serving_stripe
from tests.sandbox.test_sandbox import shell
from trialbalance.sandbox import STRIPE_HOSTS, Authority, BackendUnavailable, Sandbox
from trialbalance.sandbox.browser import find_chromium

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.browser,
    pytest.mark.skipif(find_chromium() is None, reason="needs Chromium"),
]

PAGE = """
<script src="https://js.stripe.com/v3/stripe.js"></script>
<p id="host"></p><a id="file" download="note.txt" href="/note.txt">note</a>
<iframe src="https://checkout.stripe.com/frame"></iframe>
<script>document.getElementById("host").textContent = Echo.host + " " + location.origin + " " + navigator.onLine</script>
"""


@contextlib.contextmanager
def browsing(sandbox: Sandbox) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**sandbox.browser().launch_options())
        try:
            yield browser
        finally:
            browser.close()


@pytest.mark.parametrize("backend", ["bubblewrap", "unshare"])
def test_the_app_and_stripe_are_seen_and_nothing_else(
    opened: OpenSandbox, authority: Authority, workspace: Path, backend: str
) -> None:
    (workspace / "index.html").write_text(PAGE, encoding="utf-8")
    (workspace / "note.txt").write_text("noted", encoding="utf-8")
    sandbox = opened(hosts=STRIPE_HOSTS, authority=authority, backend=backend)
    sandbox.spawn(["python3", "-m", "http.server", "4242", "--bind", "127.0.0.1"])
    assert sandbox.wait_for_port(4242, 20)
    with serving_stripe(sandbox, authority), browsing(sandbox) as browser:
        page = browser.new_page()
        for address in ("127.0.0.1", "localhost"):
            page.goto(f"http://{address}:4242/")
            assert page.text_content("#host") == f"js.stripe.com http://{address}:4242 true"
        assert "checkout.stripe.com" in page.frames[1].content()
        with page.expect_download() as waiting:
            page.click("#file")
        assert waiting.value.path().read_text(encoding="utf-8") == "noted"
        assert len(page.screenshot()) > 1000
        for address in (
            "file:///app/index.html",
            "file:///etc/shadow",
            f"file://{workspace}/index.html",
            "http://example.com/",
        ):
            with pytest.raises(
                Exception, match=r"ERR_(FILE_NOT_FOUND|NAME_NOT_RESOLVED|INTERNET_DISCONNECTED)"
            ):
                page.goto(address)
    assert "chrom" not in sandbox.exec(["ps", "-eo", "args"]).stdout


def test_every_launch_has_a_clean_profile(opened: OpenSandbox, workspace: Path) -> None:
    (workspace / "index.html").write_text(
        "<script>document.title = localStorage.x || (localStorage.x = 'set', 'empty')</script>"
    )
    sandbox = opened()
    sandbox.spawn(["python3", "-m", "http.server", "4242", "--bind", "127.0.0.1"])
    assert sandbox.wait_for_port(4242, 20)
    for _ in range(2):
        with browsing(sandbox) as browser:
            page = browser.new_page()
            page.goto("http://127.0.0.1:4242/")
            assert page.title() == "empty"
            page.reload()
            assert page.title() == "set"


def test_a_site_without_the_authority_is_not_trusted(opened: OpenSandbox, authority: Authority) -> None:
    sandbox = opened(hosts=STRIPE_HOSTS)
    with (
        serving_stripe(sandbox, authority),
        browsing(sandbox) as browser,
        pytest.raises(Exception, match="ERR_CERT_AUTHORITY_INVALID"),
    ):
        browser.new_page().goto("https://js.stripe.com/")


def test_the_browser_ends_with_the_sandbox(opened: OpenSandbox) -> None:
    sandbox = opened()
    with sync_playwright() as playwright:
        playwright.chromium.launch(**sandbox.browser().launch_options())
        running = list((sandbox.state / "browser/running").iterdir())
        assert len(running) == 1
        descriptor = os.pidfd_open(int(running[0].name))
        sandbox.close()
        assert select.select([descriptor], [], [], 10)[0]
        os.close(descriptor)


def test_the_sandboxs_own_browser_is_as_good(stripe_sandbox: Sandbox) -> None:
    """An agent may start Chromium itself; there, too, the authority is trusted."""
    program = find_chromium()
    if program is None or not program.is_relative_to("/usr"):
        pytest.skip("Chromium is not below /usr")
    done = shell(
        stripe_sandbox,
        f"{program} --headless --no-sandbox --dump-dom https://js.stripe.com/frame 2>/dev/null",
        timeout=60,
    )
    assert "js.stripe.com" in done.stdout


def test_the_wrapper_of_a_closed_sandbox_does_nothing(opened: OpenSandbox, tmp_path: Path) -> None:
    sandbox = opened()
    launcher = sandbox.browser()
    kept = tmp_path / "kept"
    shutil.copytree(launcher.executable.parent, kept)
    settings = (
        (kept / "settings.json")
        .read_text(encoding="utf-8")
        .replace(str(launcher.executable.parent), str(kept))
    )
    (kept / "settings.json").write_text(settings, encoding="utf-8")
    script = launcher.executable.read_text(encoding="utf-8").replace(
        str(launcher.executable.parent), str(kept)
    )
    sandbox.close()
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "sandbox browser:" in done.stderr


def test_a_missing_browser_is_named(opened: OpenSandbox, tmp_path: Path) -> None:
    with pytest.raises(BackendUnavailable, match="no Chromium at"):
        opened().browser(tmp_path / "nothing")
