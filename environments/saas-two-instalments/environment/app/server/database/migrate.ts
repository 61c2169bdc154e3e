/** Applies the migrations that a database has not seen yet, in the order of their names, each in a transaction. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";

export async function migrate(pool: pg.Pool, directory: string): Promise<string[]> {
  const client = await pool.connect();
  const applied: string[] = [];
  try {
    await client.query("CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())");
    await client.query("SELECT pg_advisory_lock(74219)");
    const seen = new Set((await client.query<{ name: string }>("SELECT name FROM migrations")).rows.map((row) => row.name));
    const waiting = readdirSync(directory).filter((name) => name.endsWith(".sql") && !seen.has(name));
    for (const name of waiting.sort()) {
      await client.query("BEGIN");
      try {
        await client.query(readFileSync(join(directory, name), "utf-8"));
        await client.query("INSERT INTO migrations (name) VALUES ($1)", [name]);
        await client.query("COMMIT");
      } catch (error) {
        await client.query("ROLLBACK");
        throw error;
      }
      applied.push(name);
    }
    await client.query("SELECT pg_advisory_unlock(74219)");
  } finally {
    client.release();
  }
  return applied;
}
