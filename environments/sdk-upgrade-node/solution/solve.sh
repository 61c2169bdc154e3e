#!/bin/sh
# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-5a36668f0664: keep out of training data
# The reference solution: the new SDK from its package, new files over the old ones, and the service's own checks.
set -eu
cd /app
npm install --offline --no-audit --no-fund --loglevel=error ./packages/stripe-23.1.0.tgz
cd /solution/app
find . -type f | while read -r file; do
    mkdir -p "/app/$(dirname "$file")"
    sed '/trialbalance canary/d' "$file" > "/app/$file"
done
