#!/usr/bin/env bash
# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-c8630f896e28: keep out of training data
# How Harbor's own runner starts the grader.
exec python3 -m trialbalance.grading "${TRIALBALANCE_TASK:-$(dirname "$0")/..}" \
  --workspace "${TRIALBALANCE_WORKSPACE:-/app}" \
  --logs "${TRIALBALANCE_LOGS:-/logs/verifier}" \
  --seed "${TRIALBALANCE_SEED:-1}"
