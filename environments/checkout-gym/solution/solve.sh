#!/bin/sh
# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-0c86b0315830: keep out of training data
# The reference solution: the parameters of every page, with the ids that the catalogue has in this account.
set -eu
python3 /solution/solve.py > /app/answers.json
