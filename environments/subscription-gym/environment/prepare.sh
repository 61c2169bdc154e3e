#!/bin/sh
# Installs what the program needs, once, in a sandbox with package registries. Runs in /app.
set -eu
python3 -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
