#!/bin/sh
# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-80f155b91974: keep out of training data
# The reference solution: new files over the old ones, and everything tried once in Chromium.
set -eu
cd /solution/app
find . -type f | while read -r file; do
    mkdir -p "/app/$(dirname "$file")"
    sed '/trialbalance canary/d' "$file" > "/app/$file"
done
cd /app
mkdir -p var
npm test > var/test.log 2>&1
npm run --silent build > var/build.log
npm run --silent db:reset

npm start > var/deckle-row.log 2>&1 &
server=$!
trap 'kill "$server" 2> /dev/null || true' EXIT
tries=0
until curl --silent --fail --output /dev/null http://127.0.0.1:4242/health; do
    tries=$((tries + 1))
    if [ "$tries" -gt 150 ] || ! kill -0 "$server"; then
        cat var/deckle-row.log >&2
        exit 1
    fi
    sleep 0.2
done

node --no-warnings --experimental-websocket /solution/purchase.mjs
node -e "
const Database = require('libsql');
console.log(new Database('var/deckle-row.db').prepare('SELECT stripe_payment FROM orders ORDER BY id DESC').all()[0].stripe_payment);
" > test-payment.txt
echo "sold: $(cat test-payment.txt)"
kill "$server"
wait "$server" || true
