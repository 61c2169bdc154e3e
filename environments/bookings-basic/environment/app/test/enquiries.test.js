'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { desk } = require('./desk');

const ENQUIRY = { trip: 'T-HILL', people: 2, name: ' Ada ', email: 'ada@example.test', message: 'Dogs?' };

test('an enquiry reaches the office', async (t) => {
  const { ask } = await desk(t);
  assert.deepEqual((await ask('POST', '/api/enquiries', ENQUIRY)).json, { id: 1 });
  const list = await ask('GET', '/api/enquiries', null, 'office');
  assert.equal(list.json.enquiries[0].name, 'Ada');
});

test('an enquiry about nothing is refused', async (t) => {
  const { ask } = await desk(t);
  for (const wrong of [{ trip: 'T-GONE' }, { people: 'two' }, { name: ' ' }, { email: 'ada' }]) {
    const answer = await ask('POST', '/api/enquiries', { ...ENQUIRY, ...wrong });
    assert.equal(answer.status, 400);
    assert.equal(answer.json.error.code, 'invalid_request');
  }
});

test('only the office reads enquiries', async (t) => {
  const { ask } = await desk(t);
  for (const token of [null, 'wrong']) {
    const answer = await ask('GET', '/api/enquiries', null, token);
    assert.equal(answer.status, 401);
    assert.equal(answer.json.error.code, 'unauthorized');
  }
});
