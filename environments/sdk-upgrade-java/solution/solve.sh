#!/bin/sh
# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-6241ac790066: keep out of training data
# The reference solution: the new SDK in pom.xml, new files over the old ones, and the desk's own tests.
set -eu
cd /solution/app
find . -type f | while read -r file; do
    mkdir -p "/app/$(dirname "$file")"
    sed '/trialbalance canary/d' "$file" > "/app/$file"
done
cd /app
mvn -o -q -B package
./link.sh
