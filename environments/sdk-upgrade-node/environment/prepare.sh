#!/bin/sh
# Installs what the back office needs, once, in a sandbox with package registries. Runs in /app.
set -eu
npm ci --no-audit --no-fund --loglevel=error
node -e "new (require('libsql'))(':memory:').prepare('SELECT 1').get()"
# The SDK to upgrade to, for a machine without internet.
mkdir -p packages
npm pack --silent --pack-destination packages stripe@23.1.0 > /dev/null
test -f packages/stripe-23.1.0.tgz
