#!/bin/sh
# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-02e89637e39c: keep out of training data
# The reference solution: new files over the old ones, the project's own checks, and one test purchase in Chromium.
set -eu
cd /solution/app
find . -type f | while read -r file; do
    mkdir -p "/app/$(dirname "$file")"
    sed '/trialbalance canary/d' "$file" > "/app/$file"
done
cd /app
npm run --silent check
npm run --silent build > var/build.log
npm run --silent db:up
npm run --silent db:reset
npm run --silent stripe:sync

npm start > var/kilnbook.log 2>&1 &
server=$!
trap 'kill "$server" 2> /dev/null || true' EXIT
tries=0
until curl --silent --fail --output /dev/null http://127.0.0.1:4242/health; do
    tries=$((tries + 1))
    if [ "$tries" -gt 150 ] || ! kill -0 "$server"; then
        cat var/kilnbook.log >&2
        exit 1
    fi
    sleep 0.2
done

node --no-warnings --experimental-websocket /solution/purchase.mjs
psql -X -q -t -A -h 127.0.0.1 -U postgres -d kilnbook -c "SELECT invoice FROM purchases WHERE outcome = 'bought'" > test-invoice.txt
echo "bought: $(cat test-invoice.txt)"
kill "$server"
"$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)/pg_ctl" --pgdata var/postgres --mode fast --wait stop > var/pg_ctl.log
