# Results written beforehand, links that leave the workspace, a pipe that never ends, a file without end.
set -e
for directory in . grader logs/verifier tests; do
  mkdir -p "$directory"
  echo '{"reward": 1}' > "$directory/reward.json"
  echo '{"schema_version": 1, "partial_score": 1.0, "checks": []}' > "$directory/metrics.json"
done
mkdir -p /logs/verifier 2>/dev/null && cp reward.json /logs/verifier/ 2>/dev/null || true
ln -s /etc/passwd passwd
ln -s / everything
ln -s ../../../.. upwards
mkfifo pipe
truncate -s 3G endless
