/** `npm start`: brings the database up to date and serves. */
import { makeApp } from "./app.ts";
import { config } from "./config.ts";
import { databaseAnswers, pool } from "./database/client.ts";
import { migrate } from "./database/migrate.ts";

await databaseAnswers();
await migrate(pool, "server/database/migrations");
const server = makeApp().listen(config.port, config.host, () => {
  console.log(`Kilnbook listens on http://${config.host}:${config.port}`);
});
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    server.close(() => void pool.end().then(() => process.exit(0)));
    server.closeIdleConnections();
    setTimeout(() => process.exit(0), 2000).unref();
  });
}
