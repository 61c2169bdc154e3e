import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bench } from './bench.ts';

const ENTRY = { session: 'MOON', name: ' Ada ', email: 'ada@example.test', note: 'any Friday' };

test('whoever waits is on the list', async (t) => {
  const { ask } = await bench(t);
  assert.deepEqual((await ask('POST', '/api/waiting', ENTRY)).json, { id: 1 });
  const { waiting } = (await ask('GET', '/api/waiting', null, 'office')).json;
  assert.deepEqual(waiting, [{ id: 1, session: 'MOON', name: 'Ada', email: 'ada@example.test', note: 'any Friday' }]);
});

test('nobody waits for nothing', async (t) => {
  const { ask } = await bench(t);
  for (const wrong of [{ session: 'GONE' }, { name: ' ' }, { email: 'ada' }]) {
    const answer = await ask('POST', '/api/waiting', { ...ENTRY, ...wrong });
    assert.deepEqual([answer.status, answer.json.error.code], [400, 'invalid_request']);
  }
});

test('only the office reads the list', async (t) => {
  const { ask } = await bench(t);
  for (const token of [undefined, 'wrong']) {
    const answer = await ask('GET', '/api/waiting', null, token);
    assert.deepEqual([answer.status, answer.json.error.code], [401, 'unauthorized']);
  }
});
