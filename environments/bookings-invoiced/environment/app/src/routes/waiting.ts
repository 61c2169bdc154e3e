import { Router } from 'express';
import type { Parts } from '../app.ts';
import { Problem } from '../errors.ts';
import { officeOnly } from '../office.ts';
import * as sessions from '../sessions.ts';
import * as waiting from '../waiting.ts';

export function waitingRoutes({ config, database }: Parts): Router {
  const routes = Router();

  routes.post('/waiting', async (request, response) => {
    const { session: code, name, email, note } = request.body ?? {};
    const session = await sessions.find(database, code);
    if (!session?.on_offer) throw new Problem(400, 'invalid_request', 'There is no such session.');
    if (typeof name !== 'string' || !name.trim() || typeof email !== 'string' || !email.includes('@')) {
      throw new Problem(400, 'invalid_request', 'We need a name and an e-mail address.');
    }
    const id = await waiting.add(database, {
      session: session.code, name: name.trim(), email: email.trim(), note: String(note ?? ''),
    });
    response.status(201).json({ id });
  });

  routes.get('/waiting', officeOnly(config), async (request, response) => {
    response.json({ waiting: await waiting.open(database) });
  });

  return routes;
}
