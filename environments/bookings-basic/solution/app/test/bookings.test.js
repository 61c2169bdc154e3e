// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-6b2beba7e49a: keep out of training data
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Problem } = require('../src/errors');
const { Refused, alreadyRefunded } = require('../src/payments');
const { desk } = require('./desk');

const REQUEST = {
  request_id: 'r1', trip: 'T-HILL', date: '2026-07-04', people: 3, name: ' Ada  Byrne', email: 'Ada@Example.test', pay: 'full',
  payment_method: 'pm_ok',
};

/** Stands where the program talks to Stripe. */
function fakePayments() {
  const fake = { intents: [], customers: new Set(), cancelled: [], given: new Map(), down: false, made: 0 };
  const intent = (asked) => {
    if (fake.down) throw new Problem(502, 'stripe_unavailable', 'down');
    if (asked.card === 'pm_no') {
      const problem = new Problem(402, 'card_declined', 'no', { decline_code: 'lost_card' });
      throw new Refused(problem, { id: 'pi_refused' });
    }
    fake.intents.push({ ...asked, id: `pi_${fake.intents.length}` });
    return fake.intents.at(-1);
  };
  fake.payments = {
    take: async (asked) => intent(asked),
    keep: async (asked) => intent({ ...asked, amount: 0 }),
    createCustomer: async () => {
      const id = `cus_${fake.made += 1}`;
      fake.customers.add(id);
      return { id };
    },
    deleteCustomer: async (id) => fake.customers.delete(id),
    cancel: async ({ id }) => fake.cancelled.push(id),
    fate: async (id) => ({ refunded: fake.given.get(id) || 0, disputed: false }),
    giveBack: async (id) => {
      if (fake.given.has(id)) throw alreadyRefunded();
      fake.given.set(id, fake.intents.find((one) => one.id === id).amount);
    },
  };
  return fake;
}

async function open(t) {
  const fake = fakePayments();
  const { ask } = await desk(t, { payments: fake.payments });
  const book = (more) => ask('POST', '/api/bookings', { ...REQUEST, ...more });
  const list = async () => (await ask('GET', '/api/bookings', null, 'office')).json.bookings;
  const refund = (id, token = 'office') => ask('POST', `/api/bookings/${id}/refund`, null, token);
  return { ask, book, fake, list, refund };
}

test('trips are listed by code', async (t) => {
  const { ask } = await open(t);
  assert.deepEqual((await ask('GET', '/api/trips')).json.trips.map((trip) => [trip.code, trip.price]), [
    ['T-HILL', 4000], ['T-SNOW', 9000],
  ]);
});

test('full, deposit, and a card for later', async (t) => {
  const { book, fake } = await open(t);
  const full = await book();
  assert.equal(full.status, 201);
  assert.deepEqual(
    [full.json.name, full.json.email, full.json.total, full.json.paid, full.json.status],
    ['Ada Byrne', 'ada@example.test', 10800, 10800, 'paid'],
  );
  const deposit = await book({ request_id: 'r2', pay: 'deposit', people: 1, amount: 1, price: 1 });
  assert.deepEqual([deposit.json.total, deposit.json.paid, deposit.json.status], [4000, 1200, 'deposit_paid']);
  const later = await book({ request_id: 'r3', pay: 'deposit', trip: 'T-SNOW' });
  assert.deepEqual([later.json.paid, later.json.status, later.json.currency], [0, 'card_saved', 'jpy']);
  assert.deepEqual(fake.intents.map((one) => one.customer), [null, 'cus_1', 'cus_1']);
});

test('the same request is one purchase, also at the same moment', async (t) => {
  const { book, fake, list } = await open(t);
  const answers = [...(await Promise.all([book(), book()])), await book()];
  assert.deepEqual(answers.map((one) => one.status), [201, 200, 200]);
  assert.equal(new Set(answers.map((one) => one.json.id)).size, 1);
  assert.equal(fake.intents.length, 1);
  assert.equal((await list()).length, 1);
});

test('a refused card leaves nothing behind', async (t) => {
  const { book, fake, list } = await open(t);
  const refused = await book({ pay: 'deposit', payment_method: 'pm_no' });
  assert.equal(refused.status, 402);
  assert.equal(refused.json.error.decline_code, 'lost_card');
  assert.deepEqual([await list(), fake.cancelled, fake.customers.size], [[], ['pi_refused'], 0]);
  await book({ request_id: 'r2', pay: 'deposit' });
  await book({ request_id: 'r3', pay: 'deposit', payment_method: 'pm_no' });
  assert.equal(fake.customers.size, 1);
});

test('wrong requests reach nobody', async (t) => {
  const { book, fake } = await open(t);
  for (const wrong of [
    { request_id: '' }, { trip: 'T-GONE' }, { trip: 'X' }, { date: '2026-02-29' }, { date: '4 Jul 2026' }, { people: 0 },
    { people: 2.5 }, { people: '2' }, { people: 7 }, { name: ' ' }, { email: 'ada' }, { pay: 'later' }, { payment_method: null },
  ]) {
    const answer = await book(wrong);
    assert.deepEqual([answer.status, answer.json.error.code], [400, 'invalid_request'], JSON.stringify(wrong));
  }
  assert.equal(fake.intents.length, 0);
});

test('when Stripe is away there is no booking, and the same request works later', async (t) => {
  const { book, fake, list } = await open(t);
  fake.down = true;
  assert.equal((await book()).json.error.code, 'stripe_unavailable');
  assert.deepEqual(await list(), []);
  fake.down = false;
  assert.equal((await book()).status, 201);
});

test('refunds', async (t) => {
  const { book, fake, refund } = await open(t);
  const { id } = (await book()).json;
  const saved = (await book({ request_id: 'r2', trip: 'T-SNOW', pay: 'deposit' })).json;
  assert.equal((await refund(id, 'wrong')).status, 401);
  const answers = await Promise.all([refund(id), refund(id), refund(id)]);
  assert.deepEqual(answers.map((one) => one.status).sort(), [200, 409, 409]);
  assert.equal(answers.find((one) => one.status === 200).json.status, 'refunded');
  assert.equal((await refund(id)).json.error.code, 'already_refunded');
  assert.equal((await refund(saved.id)).json.error.code, 'nothing_to_refund');
  assert.equal((await refund('nobody')).status, 404);
  assert.equal(fake.given.size, 1);
});
