#!/bin/sh
# Installs what the project needs, once, in a sandbox with package registries, and makes its database. Runs in /app.
set -eu
npm ci --no-audit --no-fund --loglevel=error
# Source maps, and types for another kind of module, are a third of what would be copied for each trial.
find node_modules \( -name '*.map' -o -name '*.d.cts' \) -delete
node_modules/.bin/esbuild --version

bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
mkdir -p var
"$bin/initdb" --pgdata var/postgres --username postgres --auth trust --encoding UTF8 --locale C.UTF-8 --wal-segsize 1 --no-sync > var/initdb.log
cat >> var/postgres/postgresql.conf <<'CONF'
listen_addresses = '127.0.0.1'
unix_socket_directories = '/tmp'
fsync = off
shared_buffers = 32MB
max_connections = 40
max_wal_size = 32MB
min_wal_size = 2MB
CONF
"$bin/pg_ctl" --pgdata var/postgres --log var/postgres.log --wait start > var/pg_ctl.log
"$bin/createdb" --host 127.0.0.1 --username postgres kilnbook
"$bin/pg_ctl" --pgdata var/postgres --mode fast --wait stop > var/pg_ctl.log
rm -f var/*.log
du -sh var/postgres
