#!/bin/sh
# Starts PostgreSQL on 127.0.0.1:5432 with the data in var/postgres, unless it runs already.
set -eu
cd "$(dirname "$0")/.."
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
if "$bin/pg_isready" --quiet --host 127.0.0.1; then
    echo "PostgreSQL runs already"
    exit 0
fi
rm -f var/postgres/postmaster.pid
"$bin/pg_ctl" --pgdata var/postgres --log var/postgres.log --wait start > var/pg_ctl.log
echo "PostgreSQL runs on 127.0.0.1:5432"
