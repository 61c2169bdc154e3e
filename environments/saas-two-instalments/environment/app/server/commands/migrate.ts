/** `npm run db:migrate`: brings the database up to date. */
import { databaseAnswers, pool } from "../database/client.ts";
import { migrate } from "../database/migrate.ts";

await databaseAnswers();
const applied = await migrate(pool, "server/database/migrations");
console.log(applied.length ? `applied ${applied.join(", ")}` : "nothing to apply");
await pool.end();
