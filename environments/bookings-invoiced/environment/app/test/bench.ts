// A whole desk for one test: a database of its own with three sessions, and the app on a port of its own.

import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import pg from 'pg';
import { createApp, type Parts } from '../src/app.ts';
import { read } from '../src/config.ts';
import { open } from '../src/database.ts';
import * as sessions from '../src/sessions.ts';

export const SESSIONS = [
  { code: 'MOON', name: 'The Moon', seats: 4 },
  { code: 'STARS', name: 'Some Stars', seats: 8, blurb: 'Not all of them.' },
  { code: 'GONE', name: 'No More', seats: 2, retired: true },
];

export interface Answer {
  status: number;
  json: any;
}

export async function bench(t: TestContext, more: Partial<Parts> = {}) {
  const home = new URL(read().databaseUrl);
  const name = `test_${randomBytes(6).toString('hex')}`;
  const server = new pg.Client({ connectionString: home.href });
  await server.connect();
  await server.query(`CREATE DATABASE ${name} TEMPLATE template0`);
  const config = {
    port: 0, databaseUrl: new URL(`/${name}`, home).href, officeToken: 'office', stripeSecretKey: 'sk_test_none',
  };
  const database = await open(config.databaseUrl);
  await sessions.load(database, SESSIONS);
  const listening = createApp({ config, database, ...more }).listen(0, '127.0.0.1');
  await new Promise((resolve) => listening.once('listening', resolve));
  t.after(async () => {
    listening.close();
    listening.closeAllConnections();
    await database.end();
    await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await server.end();
  });
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  const ask = async (method: string, path: string, body?: unknown, token?: string): Promise<Answer> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: body ? JSON.stringify(body) : undefined,
    });
    return { status: response.status, json: await response.json() };
  };
  return { ask, config, database };
}
