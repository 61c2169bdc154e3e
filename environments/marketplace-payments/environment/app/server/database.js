// One SQLite file. `libsql` has the interface of better-sqlite3 and comes compiled; rows of its `get` carry a
// `_metadata`, so use `one` and `all` of this module.
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

import Database from "libsql";

import { config } from "./config.js";

const MIGRATIONS = join(import.meta.dirname, "migrations");
let connection;

export function database() {
  connection ??= open(config.database);
  return connection;
}

export function open(file) {
  if (file !== ":memory:") mkdirSync(dirname(file), { recursive: true });
  const opened = new Database(file);
  opened.pragma("journal_mode = WAL");
  opened.pragma("busy_timeout = 5000");
  opened.pragma("foreign_keys = ON");
  return opened;
}

/** Bring a database up to date: every file of migrations/ runs once, in the order of their names. */
export function migrate(on = database()) {
  on.exec("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)");
  const done = new Set(on.prepare("SELECT name FROM migrations").all().map((row) => row.name));
  for (const name of readdirSync(MIGRATIONS).sort()) {
    if (!name.endsWith(".sql") || done.has(name)) continue;
    on.exec("BEGIN IMMEDIATE");
    try {
      on.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
      on.prepare("INSERT INTO migrations (name) VALUES (?)").run(name);
      on.exec("COMMIT");
    } catch (error) {
      on.exec("ROLLBACK");
      throw error;
    }
  }
}

/** An empty database in place of whatever was there. */
export function reset() {
  for (const end of ["", "-wal", "-shm"]) rmSync(config.database + end, { force: true });
  migrate();
}

export function one(sql, ...values) {
  const row = database().prepare(sql).get(...values);
  if (!row) return null;
  const { _metadata, ...plain } = row;
  return plain;
}

export function all(sql, ...values) {
  return database().prepare(sql).all(...values);
}

export function run(sql, ...values) {
  return database().prepare(sql).run(...values);
}
