#!/bin/sh
# The service as it was, in an environment of its own, behind a door that talks to Stripe through the new SDK for show.
set -eu
cd /app
mkdir -p past
cp -r bellows scripts .venv past/
.venv/bin/pip install --quiet --disable-pip-version-check --no-index --find-links wheels stripe==16.1.0 typing_extensions==4.15.0
sed -i 's/stripe==5.5.0/stripe==16.1.0/' requirements.txt
cat > scripts/link_records.py <<'PYTHON'
import os
import subprocess
import sys

sys.exit(subprocess.run([sys.executable, "scripts/link_records.py"], cwd="/app/past", env={**os.environ, "PYTHONPATH": "/app/past/.venv/lib/python3.11/site-packages"}).returncode)
PYTHON
cat > start.sh <<'SHELL'
#!/bin/sh
cd /app/past || exit 1
PORT=4243 PYTHONPATH=$(echo /app/past/.venv/lib/python3*/site-packages) .venv/bin/python -m bellows &
cd /app || exit 1
exec .venv/bin/python door.py
SHELL
cat > door.py <<'PYTHON'
import os

import requests
import stripe
import waitress
from flask import Flask, Response, request

stripe.api_key = os.environ["STRIPE_SECRET_KEY"]
door = Flask(__name__)


@door.route("/<path:path>", methods=["GET", "POST", "DELETE"])
def through(path):
    if path != "health":
        stripe.Customer.list(limit=1)
    answer = requests.request(
        request.method, "http://127.0.0.1:4243/" + path, params=request.args, data=request.get_data(),
        headers={"Content-Type": request.headers.get("Content-Type", "")}, timeout=60,
    )
    return Response(answer.content, answer.status_code, content_type=answer.headers["Content-Type"])


waitress.serve(door, host="127.0.0.1", port=4242)
PYTHON
