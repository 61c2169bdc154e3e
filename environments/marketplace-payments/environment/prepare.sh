#!/bin/sh
# Installs what the project needs, once, in a sandbox with package registries. Runs in /app.
set -eu
npm ci --no-audit --no-fund --loglevel=error
# Source maps, and types for another kind of module, are a third of what would be copied for each trial.
find node_modules \( -name '*.map' -o -name '*.d.cts' -o -name '*.d.mts' \) -delete
node -e "new (require('libsql'))(':memory:').prepare('SELECT 1').get()"
node_modules/.bin/esbuild --version
