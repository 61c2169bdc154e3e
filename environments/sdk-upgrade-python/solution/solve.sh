#!/bin/sh
# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-c193e94175aa: keep out of training data
# The reference solution: the new SDK from the wheels, new files over the old ones, and the service's own tests.
set -eu
cd /app
.venv/bin/pip install --quiet --disable-pip-version-check --no-index --find-links wheels stripe==16.1.0 typing_extensions==4.15.0
cd /solution/app
find . -type f | while read -r file; do
    mkdir -p "/app/$(dirname "$file")"
    sed '/trialbalance canary/d' "$file" > "/app/$file"
done
cd /app
.venv/bin/python -m pytest -q
.venv/bin/python scripts/link_records.py
