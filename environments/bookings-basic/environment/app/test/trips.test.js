'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const trips = require('../src/trips');
const { TRIPS, desk } = require('./desk');

test('the front page shows what is on sale', async (t) => {
  const { ask } = await desk(t);
  const page = await ask('GET', '/');
  assert.match(page.text, /A Hill/);
  assert.match(page.text, /£40\.00 each/);
  assert.doesNotMatch(page.text, /No More/);
});

test('groups are quoted less', async (t) => {
  const { ask } = await desk(t);
  assert.equal((await ask('GET', '/api/trips/T-HILL/quote?people=2')).json.total, 8000);
  assert.equal((await ask('GET', '/api/trips/T-HILL/quote?people=3')).json.total, 10800);
  assert.equal((await ask('GET', '/api/trips/T-HILL/quote?people=7')).status, 400);
  assert.equal((await ask('GET', '/api/trips/T-GONE/quote?people=1')).status, 404);
});

test('trips that leave the list go off sale and stay', async (t) => {
  const { database } = await desk(t);
  trips.load(database, TRIPS.slice(1));
  assert.deepEqual(trips.onSale(database).map((trip) => trip.code), ['T-SNOW']);
  assert.equal(trips.find(database, 'T-HILL').on_sale, 0);
});

test('a wrong list changes nothing', async (t) => {
  const { database } = await desk(t);
  assert.throws(() => trips.load(database, [{ code: 'X', name: 'X', currency: 'usd', price: '1.00' }]), /we take no usd/);
  assert.equal(trips.onSale(database).length, 2);
});
