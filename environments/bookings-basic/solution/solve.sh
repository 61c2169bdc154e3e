#!/bin/sh
# The reference solution: new files over the old ones, then the project's own tests.
set -eu
cd /solution/app
find . -type f | while read -r file; do
    mkdir -p "/app/$(dirname "$file")"
    sed '/trialbalance canary/d' "$file" > "/app/$file"
done
cd /app
npm test
node scripts/load-trips.js
node scripts/load-phone-bookings.js data/phone-bookings.csv
