#!/bin/sh
# Installs what the project needs and makes its PostgreSQL cluster, once, in a sandbox with package registries. Runs in /app.
set -eu
npm ci --no-audit --no-fund --loglevel=error
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
if [ -z "$bin" ]; then
    echo "PostgreSQL is not installed on this machine: apt-get install postgresql" >&2
    exit 1
fi
mkdir -p var
"$bin/initdb" -D var/postgres -U nightjar --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync --wal-segsize=1 > /dev/null
cat >> var/postgres/postgresql.conf <<'CONF'
listen_addresses = '127.0.0.1'
unix_socket_directories = '/tmp'
max_connections = 40
shared_buffers = 16MB
min_wal_size = 2MB
max_wal_size = 32MB
fsync = off                      # a machine to develop on
CONF
"$bin/pg_ctl" -D var/postgres -w -l /tmp/postgres.log start > /dev/null
"$bin/createdb" -h 127.0.0.1 -U nightjar --template=template0 nightjar
"$bin/pg_ctl" -D var/postgres -m fast -w stop > /dev/null
