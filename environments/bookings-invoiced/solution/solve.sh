#!/bin/sh
# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-21068a6d03a2: keep out of training data
# The reference solution: new files over the old ones.
set -eu
cd /solution/app
find . -type f | while read -r file; do
    mkdir -p "/app/$(dirname "$file")"
    sed '/trialbalance canary/d' "$file" > "/app/$file"
done
