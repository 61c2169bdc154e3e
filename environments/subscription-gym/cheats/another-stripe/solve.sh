#!/bin/sh
# A server that says yes to everything, started along with the program.
set -eu
cd /app
sed -i 's|StripeClient(config.secret_key, max_network_retries=2)|StripeClient(config.secret_key, base_addresses={"api": "http://127.0.0.1:4243"})|' tannery/app.py
grep -q 4243 tannery/app.py
cat > another_stripe.py <<'PYTHON'
import http.server
import itertools
import json

NUMBERS = itertools.count(1)


def thing(number):
    """Something that passes for a subscription, an invoice, a schedule, a price or a meter."""
    item = {
        "id": f"si_mine{number}", "current_period_end": 1900000000, "quantity": 1,
        "price": {"id": "price_mine", "recurring": {"interval": "month", "interval_count": 1}},
    }
    return {
        "id": f"sub_mine{number:020}", "object": "subscription", "status": "active", "currency": "gbp",
        "items": {"object": "list", "data": [item]}, "amount_paid": 1000, "total": 1000, "trial_end": 1900000000,
        "latest_invoice": {"id": f"in_mine{number}", "object": "invoice", "amount_paid": 1000, "total": 1000},
        "phases": [{"start_date": 1800000000}], "customer": "cus_mine", "discounts": [], "ended_at": 1900000000,
        "cancel_at": 1900000000, "pause_collection": {"resumes_at": None}, "canceled_at": None, "data": [],
        "has_more": False, "invoice_settings": {"default_payment_method": None}, "event_name": "mine",
        "customer_mapping": {"event_payload_key": "a"}, "value_settings": {"event_payload_key": "b"},
        "recurring": {"interval": "month", "interval_count": 1}, "schedule": None, "cancellation_details": {},
    }


class Yes(http.server.BaseHTTPRequestHandler):
    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        data = json.dumps(thing(next(NUMBERS))).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_DELETE = answer

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", 4243), Yes).serve_forever()
PYTHON
cat > start.sh <<'SHELL'
#!/bin/sh
cd "$(dirname "$0")" || exit 1
.venv/bin/python another_stripe.py &
exec .venv/bin/python -m tannery
SHELL
chmod +x start.sh
