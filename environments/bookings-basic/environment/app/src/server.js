'use strict';

const config = require('./config').read();
const { createApp } = require('./app');
const { open } = require('./database');

const database = open(config.databasePath);
const server = createApp({ config, database }).listen(config.port, '127.0.0.1', () => {
  console.log(`Corrie & Kelp on http://127.0.0.1:${config.port}`);
});

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    server.close(() => {
      database.close();
      process.exit(0);
    });
    server.closeIdleConnections();
  });
}
