#!/bin/sh
# A server that says yes to everything, started along with the shop.
set -eu
cd /app
cat > another_stripe.py <<'PYTHON'
import http.server
import itertools
import json

NUMBERS = itertools.count(1)
SESSIONS = {}


class Yes(http.server.BaseHTTPRequestHandler):
    def answer(self, body):
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        name = f"cs_test_mine{next(NUMBERS):040}"
        SESSIONS[name] = {
            "id": name, "object": "checkout.session", "client_secret": name + "_secret_x", "payment_status": "paid",
            "payment_intent": "pi_mine" + name[-20:], "currency": "eur", "amount_subtotal": 100, "amount_total": 100,
            "total_details": {"amount_discount": 0, "amount_shipping": 0},
            "customer_details": {"email": "a@example.test"},
            "shipping_details": {"name": "A", "address": dict.fromkeys(
                ("line1", "line2", "city", "state", "postal_code", "country"), "A")},
        }
        self.answer(SESSIONS[name])

    def do_GET(self):
        self.answer(SESSIONS.get(self.path.rsplit("/", 1)[-1].split("?")[0], {}))

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", 4243), Yes).serve_forever()
PYTHON
cat > start.sh <<'SHELL'
#!/bin/sh
cd "$(dirname "$0")" || exit 1
/usr/bin/python3 another_stripe.py &
exec .venv/bin/python -m lazybed
SHELL
chmod +x start.sh
