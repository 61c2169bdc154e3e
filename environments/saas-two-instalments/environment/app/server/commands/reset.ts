/** `npm run db:reset`: an empty database, brought up to date. */
import { databaseAnswers, pool } from "../database/client.ts";
import { migrate } from "../database/migrate.ts";

await databaseAnswers();
await pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
await migrate(pool, "server/database/migrations");
console.log("the database is empty and up to date");
await pool.end();
