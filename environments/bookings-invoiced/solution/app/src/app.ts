// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-9abe97aca5d1: keep out of training data
import express, { type Express } from 'express';
import type { Config } from './config.ts';
import type { Database } from './database.ts';
import { answer, Problem } from './errors.ts';
import { bookingRoutes } from './routes/bookings.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { waitingRoutes } from './routes/waiting.ts';
import { createBilling, type Billing } from './stripe.ts';

export interface Parts {
  config: Config;
  database: Database;
  billing?: Billing;
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
  app.use('/api', bookingRoutes({ ...parts, billing: parts.billing ?? createBilling(parts.config) }));
  app.use((request, response, next) => next(new Problem(404, 'not_found', 'There is nothing here.')));
  app.use(answer);
  return app;
}
