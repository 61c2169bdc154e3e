#!/usr/bin/env bash
# Make everything Trial Balance needs, inside this checkout (.venv, node_modules) and, where something is missing,
# from Debian's packages. Idempotent: what is already there is not touched, and then the network is not either.
#
#   scripts/bootstrap.sh            everything
#   PYTHON=/path/to/python3.12 scripts/bootstrap.sh
#   BOOTSTRAP_NO_APT=1 scripts/bootstrap.sh      never install system packages, only say what is missing
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
started=$SECONDS

say() { printf 'bootstrap: %s\n' "$*"; }
die() {
  printf 'bootstrap: %s\n' "$*" >&2
  exit 1
}
digest() { cat "$@" | sha256sum | cut -d' ' -f1; }
fresh() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; } # fresh STAMP DIGEST

# Two bootstraps of one checkout (an editor and a terminal, say) take turns.
mkdir -p .cache
exec 9>.cache/bootstrap.lock
if command -v flock >/dev/null; then
  flock -n 9 || {
    say "waiting for another bootstrap of this checkout"
    flock 9
  }
fi

# ---- Debian packages, only the missing ones ----------------------------------------------------------------
missing=()
need_command() { command -v "$1" >/dev/null 2>&1 || missing+=("$2"); }
need_package() {
  command -v dpkg-query >/dev/null 2>&1 || return 0
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ] || missing+=("$1")
}

need_command git git
need_command bwrap bubblewrap
need_command socat socat
need_command chromium chromium
need_command node nodejs
need_command npm npm
need_command javac default-jdk-headless
need_command mvn maven
need_command unshare util-linux
need_command ip iproute2
[ -n "$(ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null)" ] || missing+=(postgresql) # its programs are not on PATH
need_command psql postgresql-client
need_package ca-certificates
need_package fonts-noto-core
need_package fonts-noto-cjk

python=${PYTHON:-}
if [ -z "$python" ]; then
  for candidate in python3 /usr/bin/python3 python3.13 python3.12 python3.11; do
    path=$(command -v "$candidate" || true)
    if [ -n "$path" ] && "$path" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      python=$path
      break
    fi
  done
fi
[ -n "$python" ] || missing+=(python3 python3-venv)

if [ ${#missing[@]} -gt 0 ]; then
  hint="apt-get install --no-install-recommends ${missing[*]}"
  [ "${BOOTSTRAP_NO_APT:-}" != 1 ] || die "missing: ${missing[*]}; install them: $hint"
  command -v apt-get >/dev/null || die "missing: ${missing[*]}; this is no Debian, install what they provide by hand"
  elevate=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "missing: ${missing[*]}; become root and run: $hint"
    elevate=(sudo)
  fi
  say "installing Debian packages: ${missing[*]}"
  log=.cache/bootstrap-apt.log
  if ! { "${elevate[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
    "${elevate[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    die "apt-get failed, see $log; then run: $hint"
  fi
  [ -n "$python" ] || python=$(command -v python3)
fi
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  die "$("$python" --version) is too old; Trial Balance needs Python 3.11 or newer (set PYTHON=/path/to/python3)"

# ---- Python, exactly what requirements.lock says ------------------------------------------------------------
lock=$(digest requirements.lock)
if [ -x .venv/bin/python ] && ! .venv/bin/python -c 'import sys' 2>/dev/null; then
  say ".venv is broken (its Python is gone); making it anew"
  rm -rf .venv
fi
if ! fresh .venv/.requirements.sha256 "$lock"; then
  if [ ! -x .venv/bin/python ]; then
    say "making .venv with $("$python" --version)"
    "$python" -m venv .venv || die "python -m venv failed; install python3-venv"
  fi
  say "installing $(grep -c '==' requirements.lock) locked Python packages"
  .venv/bin/python -m pip install -q --disable-pip-version-check --no-input --require-hashes -r requirements.lock ||
    die "pip could not install requirements.lock; is the package index reachable (pip config list)?"
  printf '%s' "$lock" >.venv/.requirements.sha256
fi
project=$(digest pyproject.toml)
if ! fresh .venv/.project.sha256 "$project$root"; then
  say "installing trialbalance into .venv (editable)"
  .venv/bin/python -m pip install -q --disable-pip-version-check --no-input --no-index --no-deps --no-build-isolation -e . ||
    die "pip could not install the project itself, see above"
  printf '%s' "$project$root" >.venv/.project.sha256
fi

# ---- Node, exactly what package-lock.json says --------------------------------------------------------------
packages=$(digest package.json package-lock.json)
if ! fresh node_modules/.packages.sha256 "$packages"; then
  say "installing locked npm packages (the goose binary among them, some 300 MB)"
  npm ci --no-audit --no-fund --loglevel=error ||
    die "npm ci failed; is the registry reachable (npm config get registry)?"
  printf '%s' "$packages" >node_modules/.packages.sha256
fi

say "ready ($((SECONDS - started)) s)"
