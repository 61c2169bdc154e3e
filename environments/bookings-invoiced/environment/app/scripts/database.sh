#!/bin/sh
# Run the PostgreSQL server of this machine in the foreground; its files are in var/postgres. Ctrl-C stops it.
cd "$(dirname "$0")/.." || exit 1
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
if [ -z "$bin" ]; then
    echo "database.sh: PostgreSQL is not installed (apt-get install postgresql)" >&2
    exit 1
fi
exec "$bin/postgres" -D var/postgres
