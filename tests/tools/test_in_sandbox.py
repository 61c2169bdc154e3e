"""The tools on a real sandbox, where js.stripe.com is a server of ours behind a certificate of the trial."""

import re
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.tools.apart import run_apart
from trialbalance.sandbox import Authority, BackendUnavailable, Sandbox, SandboxSpec, open_sandbox
from trialbalance.tools import Terminal, ToolFailure
from trialbalance.tools.browser import Browser

pytestmark = [pytest.mark.sandbox, pytest.mark.browser]

SHOP = '<title>Shop</title><h1>Pay here</h1><iframe title="Card" src="https://js.stripe.com/card"></iframe>'
CARD = b"<label>Card number <input oninput=\"this.nextSibling.textContent='Got '+this.value\"><b></b></label>"


class Card(BaseHTTPRequestHandler):
    """Any path is the card field."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(CARD)))
        self.end_headers()
        self.wfile.write(CARD)

    def log_message(self, format: str, *args: Any) -> None:
        return


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    project = tmp_path / "project"
    project.mkdir()
    (project / "index.html").write_text(SHOP)
    authority = Authority.create(tmp_path / "authority")
    files = authority.issue(["js.stripe.com"])
    try:
        opened = open_sandbox(SandboxSpec(workspace=project, hosts=("js.stripe.com",), authority=authority))
    except BackendUnavailable as missing:
        pytest.skip(str(missing))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files.certificate, files.key)
    with opened:
        server = ThreadingHTTPServer(("127.0.0.1", 0), Card, bind_and_activate=False)
        server.socket.close()
        server.socket = context.wrap_socket(opened.listen(443), server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield opened
        server.shutdown()
        server.server_close()
        thread.join()


def test_the_terminal_and_the_browser_share_a_machine(sandbox: Sandbox) -> None:
    terminal = Terminal(sandbox)
    assert terminal.run("cd /app && ls").output == "index.html\n"
    assert "Card number" in terminal.run("curl -sf https://js.stripe.com/card").output
    terminal.run("python3 -m http.server 4242 >/dev/null 2>&1 &")
    assert terminal.run("until curl -sf localhost:4242 >/dev/null; do :; done", 30).exit_code == 0

    async def story() -> None:
        browser = Browser(lambda: sandbox.browser().executable)
        try:
            page = await browser.navigate("http://localhost:4242/")
            field = re.search(r'textbox "Card number[^\n]*?\[ref=(f\d+e\d+)\]', page)
            assert field is not None, page
            assert "Got 4242" in await browser.type(field.group(1), "4242 4242")
            with pytest.raises(ToolFailure, match="only http and https addresses"):
                await browser.navigate("file:///app/index.html")
        finally:
            await browser.close()

    run_apart(story)


def test_a_time_limit_ends_a_server_of_the_same_command_but_none_of_before(sandbox: Sandbox) -> None:
    terminal = Terminal(sandbox)
    terminal.run("python3 -m http.server 4242 >/dev/null 2>&1 &")
    said = terminal.run("setsid python3 -m http.server 4243 >/dev/null 2>&1 & sleep 1000", 1)
    assert said.exit_code is None
    assert terminal.run("until curl -sf localhost:4242 >/dev/null; do :; done", 30).exit_code == 0
    assert terminal.run("curl -s localhost:4243").exit_code == 7
