import { createApp } from './app.ts';
import { read } from './config.ts';
import { open } from './database.ts';

const config = read();
const database = await open(config.databaseUrl);
const server = createApp({ config, database }).listen(config.port, '127.0.0.1', () => {
  console.log(`Nightjar Ridge on http://127.0.0.1:${config.port}`);
});

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    server.close(async () => {
      await database.end();
      process.exit(0);
    });
    server.closeIdleConnections();
  });
}
