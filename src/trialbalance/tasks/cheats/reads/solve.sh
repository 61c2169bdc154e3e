# Ends with an error when it finds what an agent must not see.
found() { echo "found: $*" >&2; exit 1; }
for path in /tests /solution /grader /logs /app/tests/checks.py /app/solution /environment /tmp/trialbalance-*; do
  [ "$path" = /app/tests/checks.py ] && [ ! -e "$path" ] && continue
  [ -e "$path" ] && [ -n "$(ls -A "$path" 2>/dev/null)" ] && found "$path"
done
grep -rIl 'trialbalance canary' /app /root /home /tmp /run /opt /srv /var/lib 2>/dev/null | head -n 1 | grep -q . && found a canary
for environ in /proc/[0-9]*/environ; do
  tr '\0' '\n' < "$environ" 2>/dev/null | grep -q '^TRIALBALANCE_CONTROL_TOKEN=' && found "a token in $environ"
done
for socket in $(find / -xdev -type s -name 'control*' 2>/dev/null); do found "$socket"; done
[ -r /etc/shadow ] && grep -q '^root:\$' /etc/shadow && found /etc/shadow
for path in /_control/state /control/state /state /journal; do
  code=$(curl --silent --output /dev/null --write-out '%{http_code}' "https://api.stripe.com$path" || true)
  case "$code" in 2*) found "https://api.stripe.com$path answers $code" ;; esac
done
curl --silent --max-time 3 --output /dev/null https://example.com && found the internet
exit 0
