#!/bin/sh
# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-eacad974bb21: keep out of training data
# The reference solution: new files over the old ones, the shop's own tests, and one test purchase in Chromium.
set -eu
cd /solution/app
find . -type f | while read -r file; do
    mkdir -p "/app/$(dirname "$file")"
    sed '/trialbalance canary/d' "$file" > "/app/$file"
done
cd /app
.venv/bin/python -m pytest
.venv/bin/python scripts/reset_shop.py
.venv/bin/python scripts/sync_catalogue.py

./start.sh > var/shop.log 2>&1 &
shop=$!
trap 'kill "$shop" 2> /dev/null || true' EXIT
tries=0
until curl --silent --fail --output /dev/null http://127.0.0.1:4242/health; do
    tries=$((tries + 1))
    if [ "$tries" -gt 100 ] || ! kill -0 "$shop"; then
        cat var/shop.log >&2
        exit 1
    fi
    sleep 0.2
done

node --no-warnings --experimental-websocket /solution/purchase.mjs
.venv/bin/python - <<'PYTHON'
import os, sqlite3

shop = sqlite3.connect(os.environ["DATABASE_PATH"])
(session,) = shop.execute("SELECT checkout_session FROM orders WHERE status = 'paid' ORDER BY id DESC").fetchone()
with open("/app/test-purchase.txt", "w", encoding="utf-8") as file:
    file.write(session + "\n")
print("bought:", session)
PYTHON
