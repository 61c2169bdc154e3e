#!/bin/sh
# Installs what the back office needs, once, in a sandbox with package registries. Runs in /app.
set -eu
python3 -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
.venv/bin/pip uninstall --quiet --yes setuptools
# The SDK to upgrade to, for a machine without internet.
.venv/bin/pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest wheels \
    stripe==16.1.0 typing_extensions==4.15.0
