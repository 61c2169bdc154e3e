#!/bin/sh
# Installs what the project needs, once, in a sandbox with package registries. Runs in /app.
set -eu
npm ci --no-audit --no-fund --loglevel=error
node -e "new (require('libsql'))(':memory:').prepare('SELECT 1').get()"
