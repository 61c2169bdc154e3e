"""The reading room's desk."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Desk(BaseHTTPRequestHandler):
    """Answers the desk's requests."""

    def do_GET(self):
        if self.path == "/health":
            self.answer(200, b"ok", "text/plain")
        elif self.path == "/":
            self.answer(200, b"<h1>Reading room</h1>", "text/html")
        else:
            self.answer(404, b"{}", "application/json")

    def do_POST(self):
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length) or b"{}")
        if self.path == "/members":
            self.sign_up(body)
        else:
            self.answer(404, b"{}", "application/json")

    def sign_up(self, body):
        self.answer(501, b'{"error": "not built"}', "application/json")

    def answer(self, status, content, kind):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        """Silence."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", 4242), Desk).serve_forever()
