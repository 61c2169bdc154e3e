#!/bin/sh
# The old SDK says that it is the new one.
set -eu
sed -i "s/'2022-08-01'/'2026-10-28.endive' as never/" src/config.ts
sed -i 's/"stripe": "10.17.0"/"stripe": "23.1.0"/' package.json
sed -i 's/"version": "10.17.0"/"version": "23.1.0"/' node_modules/stripe/package.json
node -e '
const fs = require("fs")
const lock = JSON.parse(fs.readFileSync("package-lock.json", "utf8"))
lock.packages["node_modules/stripe"].version = "23.1.0"
fs.writeFileSync("package-lock.json", JSON.stringify(lock, null, 2))
'
grep -rl "10\.17\.0" node_modules/stripe --include=*.js | xargs -r sed -i 's/10\.17\.0/23.1.0/g'
