/** The connection to PostgreSQL. */
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";

import { config } from "../config.ts";
import * as schema from "./schema.ts";

export const pool = new pg.Pool({ connectionString: config.databaseUrl, max: 8 });
export const database = drizzle(pool, { schema });

/** The database, or a transaction on it. */
export type Connection = Pick<typeof database, "select" | "insert" | "update" | "delete" | "execute">;

/** Wait until the database answers: it may still be starting. */
export async function databaseAnswers(seconds = 20): Promise<void> {
  for (const deadline = Date.now() + seconds * 1000; ; ) {
    try {
      await pool.query("SELECT 1");
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
