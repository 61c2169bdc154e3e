'use strict';

// One SQLite file. `libsql` has the interface of better-sqlite3 and needs no compiler on the server, which is why
// we changed to it in 2024. It hangs a `_metadata` onto rows from `get`, so use `one` and `all` of this module.

const fs = require('node:fs');
const path = require('node:path');
const Database = require('libsql');

const MIGRATIONS = path.join(__dirname, 'migrations');

/** Open the database, and bring it up to date: every file of migrations/ runs once, in the order of their names. */
function open(file) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('busy_timeout = 5000');
  database.pragma('foreign_keys = ON');
  migrate(database);
  return database;
}

function migrate(database) {
  database.exec('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)');
  const done = new Set(all(database, 'SELECT name FROM migrations').map((row) => row.name));
  for (const name of fs.readdirSync(MIGRATIONS).sort()) {
    if (!name.endsWith('.sql') || done.has(name)) continue;
    database.exec('BEGIN IMMEDIATE');
    try {
      database.exec(fs.readFileSync(path.join(MIGRATIONS, name), 'utf8'));
      database.prepare('INSERT INTO migrations (name) VALUES (?)').run(name);
      database.exec('COMMIT');
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  }
}

/** The first row of a query as a plain object, or null. */
function one(database, sql, ...values) {
  const row = database.prepare(sql).get(...values);
  if (!row) return null;
  const { _metadata, ...plain } = row;
  return plain;
}

/** All rows of a query. */
function all(database, sql, ...values) {
  return database.prepare(sql).all(...values);
}

module.exports = { open, one, all };
