import express, { type Express } from 'express';
import type { Config } from './config.ts';
import type { Database } from './database.ts';
import { answer, Problem } from './errors.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { waitingRoutes } from './routes/waiting.ts';

export interface Parts {
  config: Config;
  database: Database;
}

export function createApp(parts: Parts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(express.json({ limit: '64kb' }));
  app.get('/health', (request, response) => {
    response.json({ ok: true });
  });
  app.use('/api', sessionRoutes(parts));
  app.use('/api', waitingRoutes(parts));
  app.use((request, response, next) => next(new Problem(404, 'not_found', 'There is nothing here.')));
  app.use(answer);
  return app;
}
