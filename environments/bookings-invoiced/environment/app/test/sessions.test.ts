import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as sessions from '../src/sessions.ts';
import { bench, SESSIONS } from './bench.ts';

test('sessions on offer are listed by code', async (t) => {
  const { ask } = await bench(t);
  assert.deepEqual((await ask('GET', '/api/sessions')).json.sessions, [
    { code: 'MOON', name: 'The Moon', blurb: '', seats: 4 },
    { code: 'STARS', name: 'Some Stars', blurb: 'Not all of them.', seats: 8 },
  ]);
  assert.equal((await ask('GET', '/api/sessions/MOON')).json.seats, 4);
  assert.equal((await ask('GET', '/api/sessions/GONE')).status, 404);
});

test('sessions that leave the list go off offer and stay', async (t) => {
  const { database } = await bench(t);
  await sessions.load(database, SESSIONS.slice(1));
  assert.deepEqual((await sessions.onOffer(database)).map((session) => session.code), ['STARS']);
  assert.equal((await sessions.find(database, 'MOON'))?.on_offer, false);
});

test('a wrong list changes nothing', async (t) => {
  const { database } = await bench(t);
  await assert.rejects(sessions.load(database, [{ code: 'X', name: 'X', seats: 0 }]), /how many seats/);
  assert.equal((await sessions.onOffer(database)).length, 2);
});
