"""A small web site for tests, whose pages have frames of another origin."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

SHOP = """<!doctype html><title>Shop</title><h1>Shop</h1>
<a href="/second">Second</a>
<button onclick="fetch('/held').then(()=>{document.getElementById('paid').textContent='Paid'})">Pay</button>
<p id=paid></p>
<label>Name <input id=name></label>
<select aria-label=Size><option value=s>Small</option><option value=l>Large</option></select>
<iframe title=Card src="http://localhost:PORT/card"></iframe>
<button onclick="alert('Sure?')">Ask</button>
<button onclick="window.open('/second')">Open</button>
<button onclick="console.error('bad news'); throw new Error('boom')">Break</button>
<div id=keys></div>
<script>document.addEventListener('keydown', e => document.getElementById('keys').textContent += e.key + ' ')</script>
"""
CARD = """<!doctype html><label>Card number <input oninput="document.getElementById('echo').textContent='Got '+this.value">
</label><p id=echo></p>"""


class Site:
    """Serves the pages; `/held` answers only when `release` is set. 127.0.0.1 and localhost are two origins."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.release.set()
        pages = {
            "/": SHOP,
            "/card": CARD,
            "/second": "<title>Second</title><h1>Second page</h1>",
            "/held": "ok",
            "/favicon.ico": "",
        }
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path == "/held":
                    site.release.wait(30)
                page = pages.get(self.path)
                body = (page or "nothing").replace("PORT", str(site.port)).encode()
                self.send_response(404 if page is None else 200)
                self.send_header("content-type", "text/html; charset=utf-8")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
