#!/bin/sh
# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-659b2f0e8995: keep out of training data
# How Harbor's own runner starts the grader; what the collect step fetched from the twin lies among the artifacts.
set -eu
exec python3 -m trialbalance.grading "${TRIALBALANCE_TASK:-$(dirname "$0")/..}" \
    --workspace "${TRIALBALANCE_WORKSPACE:-/app}" \
    --twin "${TRIALBALANCE_TWIN:-/logs/artifacts/twin}" \
    --logs "${TRIALBALANCE_LOGS:-/logs/verifier}" \
    --seed "${TRIALBALANCE_SEED:-1}"
