import { Router } from 'express';
import type { Parts } from '../app.ts';
import { Problem } from '../errors.ts';
import * as sessions from '../sessions.ts';

export function sessionRoutes({ database }: Parts): Router {
  const routes = Router();

  routes.get('/sessions', async (request, response) => {
    const list = await sessions.onOffer(database);
    response.json({ sessions: list.map(({ code, name, blurb, seats }) => ({ code, name, blurb, seats })) });
  });

  routes.get('/sessions/:code', async (request, response) => {
    const session = await sessions.find(database, request.params.code);
    if (!session?.on_offer) throw new Problem(404, 'not_found', 'There is no such session.');
    const { code, name, blurb, seats } = session;
    response.json({ code, name, blurb, seats });
  });

  return routes;
}
