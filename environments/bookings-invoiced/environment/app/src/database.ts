// PostgreSQL, by plain SQL. The schema is the files of schema/, each of which runs once, in the order of their names.

import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';

export type Database = pg.Pool;
/** What a query can be asked of: the pool, or the one connection of a transaction. */
export type Queryable = pg.Pool | pg.PoolClient;
export type Row = Record<string, unknown>;

const SCHEMA = new URL('./schema/', import.meta.url);
const SCHEMA_LOCK = 118;

// Days are days, not moments: "2026-03-07", whatever the time zone. Whole numbers of eight bytes are numbers.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Open the database, and bring it up to date. */
export async function open(url: string): Promise<Database> {
  const database = new pg.Pool({ connectionString: url, max: 10 });
  database.on('error', (error) => console.error(`a connection to the database broke: ${error.message}`));
  await upToDate(database);
  return database;
}

async function upToDate(database: Database): Promise<void> {
  await transaction(database, async (work) => {
    await work.query('SELECT pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
    await work.query('CREATE TABLE IF NOT EXISTS schema_files (name text PRIMARY KEY)');
    const done = new Set((await all(work, 'SELECT name FROM schema_files')).map((row) => row.name));
    for (const name of (await readdir(SCHEMA)).sort()) {
      if (!name.endsWith('.sql') || done.has(name)) continue;
      await work.query(await readFile(new URL(name, SCHEMA), 'utf8'));
      await work.query('INSERT INTO schema_files (name) VALUES ($1)', [name]);
    }
  });
}

/** Run `steps` on one connection, all of them or none. */
export async function transaction<T>(database: Database, steps: (work: pg.PoolClient) => Promise<T>): Promise<T> {
  const work = await database.connect();
  try {
    await work.query('BEGIN');
    const result = await steps(work);
    await work.query('COMMIT');
    return result;
  } catch (error) {
    await work.query('ROLLBACK');
    throw error;
  } finally {
    work.release();
  }
}

/** The first row of a query, or null. */
export async function one<T = Row>(database: Queryable, sql: string, values: unknown[] = []): Promise<T | null> {
  return ((await database.query(sql, values)).rows[0] as T | undefined) ?? null;
}

/** All rows of a query. */
export async function all<T = Row>(database: Queryable, sql: string, values: unknown[] = []): Promise<T[]> {
  return (await database.query(sql, values)).rows as T[];
}
