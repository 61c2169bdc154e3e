// The invisible frame of each Stripe() object: it calls the API for the page, from Stripe's own site.

import { Api } from '../ui/api.js';
import { Beacon } from '../ui/beacon.js';
import { hash } from '../ui/hosts.js';
import { on, ready } from './channel.js';

const api = new Api({ key: hash.apiKey, account: hash.account, version: hash.version, page: 'elements' });
const beacon = new Beacon('elements');

// Attempts to pay or to save, by what is confirmed, and what came of them.
const CONFIRM = /^\/v1\/(?:payment_intents|setup_intents|payment_pages)\/([^/]+)\/confirm$/;

on('api', async ({ method, path, params }) => {
  const session = CONFIRM.exec(path)?.[1];
  if (!session) return api.call(method, path, params);
  beacon.send('submit', {}, session);
  try {
    const made = await api.call(method, path, params);
    const outcome = made.status === 'succeeded' || made.status === 'complete' ? 'complete' : 'outcome';
    await beacon.send(outcome, { status: made.status, next_action: made.next_action?.type }, session);
    return made;
  } catch (problem) {
    const { code, decline_code: decline, type } = problem.error ?? {};
    beacon.send('refused', { code, decline_code: decline, type }, session);
    throw problem;
  }
});
on('event', ({ event, detail }) => beacon.send(event, detail, detail?.session).then(() => null));
ready();
