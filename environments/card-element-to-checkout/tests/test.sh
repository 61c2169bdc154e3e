#!/bin/sh
# For Harbor's own runner: grade what the agent left in /app, with the twin's dump that the collect step fetched.
set -eu
exec trialbalance grade --task "$(dirname "$0")/.." --workspace /app --trial /logs/artifacts --output /logs/verifier
