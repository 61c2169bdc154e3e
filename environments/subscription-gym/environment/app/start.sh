#!/bin/sh
# Serve the front desk on $HOST:$PORT (127.0.0.1:4242 unless told otherwise).
cd "$(dirname "$0")" || exit 1
exec .venv/bin/python -m tannery
