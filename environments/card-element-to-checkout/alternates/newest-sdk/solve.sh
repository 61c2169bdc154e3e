#!/bin/sh
# Installs the newer SDK from the shop's own wheels.
set -eu
cd /app
.venv/bin/pip install --quiet --disable-pip-version-check --no-index --find-links wheels -r requirements.txt
.venv/bin/python -m pytest
