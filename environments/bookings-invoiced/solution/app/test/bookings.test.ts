// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-15720fb7bb24: keep out of training data
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { all } from '../src/database.ts';
import { migrate } from '../src/migration.ts';
import { bench } from './bench.ts';
import { fakeBilling } from './fake.ts';

const LEDGER = `booking,session,night,booked,guest,email,seats,amount,state
NR-1,MOON,7.3.2026,1.2.2026,Ada,ada@example.test,2,€20,open
NR-2,GONE,7.3.2026,1.2.2026,Bo,,1,€10,paid
`;
const REQUEST = {
  request_id: 'r1', session: 'MOON', night: '2026-07-04', seats: 3, currency: 'eur', guest: ' Ada  B', email: 'Ada@Example.test',
  pay: 'card', payment_method: 'pm_ok',
};

async function open(t: TestContext) {
  const fake = fakeBilling();
  const { ask, database } = await bench(t, { billing: fake.billing });
  await migrate({ database, billing: fake.billing, text: LEDGER });
  const book = (more: object = {}) => ask('POST', '/api/bookings', { ...REQUEST, ...more });
  const look = (ref: string, token = 'office') => ask('GET', `/api/bookings/${ref}`, null, token);
  return { book, database, fake, look };
}

test('by card and by invoice', async (t) => {
  const { book, fake } = await open(t);
  const card = await book({ amount: 1, price: 1 });
  assert.deepEqual([card.status, card.json.state, card.json.amount, card.json.guest], [201, 'paid', 3000, 'Ada B']);
  assert.equal(card.json.stripe_customer, 'cus_ada@example.test');
  const invoice = await book({ request_id: 'r2', pay: 'invoice', payment_method: undefined });
  assert.deepEqual([invoice.status, invoice.json.state], [201, 'open']);
  assert.match(invoice.json.invoice_url, /^https:/);
  assert.equal(fake.charged.length, 1);
});

test('the same request is one purchase, also at the same moment', async (t) => {
  const { book, fake } = await open(t);
  const answers = [...(await Promise.all([book(), book()])), await book()];
  assert.deepEqual(answers.map((one) => one.status).sort(), [200, 200, 201]);
  assert.equal(new Set(answers.map((one) => one.json.ref)).size, 1);
  assert.equal(fake.charged.length, 1);
});

test('a refused card leaves nothing to be paid', async (t) => {
  const { book, database, fake } = await open(t);
  const refused = await book({ payment_method: 'pm_no' });
  assert.deepEqual([refused.status, refused.json.error.code], [402, 'card_declined']);
  assert.deepEqual([...fake.invoices.values()].map((invoice) => invoice.status), ['open', 'paid', 'void']);
  assert.equal((await all(database, "SELECT ref FROM bookings WHERE source = 'web'")).length, 0);
});

test('wrong requests make nothing', async (t) => {
  const { book, fake } = await open(t);
  for (const wrong of [
    { request_id: '' }, { session: 'GONE' }, { session: 'STARS' }, { night: '2026-02-29' }, { seats: 0 }, { seats: 2.5 }, { seats: 5 },
    { currency: 'chf' }, { currency: 'usd' }, { guest: ' ' }, { email: 'ada' }, { pay: 'later' }, { payment_method: null },
  ]) {
    const answer = await book(wrong);
    assert.deepEqual([answer.status, answer.json.error.code], [400, 'invalid_request'], JSON.stringify(wrong));
  }
  assert.equal(fake.invoices.size, 2);
});

test('when Stripe is away there is no booking, and requests work again later', async (t) => {
  const { book, database, fake } = await open(t);
  for (let calls = 1; calls < 7; calls += 1) {
    fake.breakAfter(calls);
    assert.equal((await book()).json.error.code, 'stripe_unavailable');
    assert.equal((await all(database, "SELECT ref FROM bookings WHERE source = 'web'")).length, 0);
  }
  fake.breakAfter(Infinity);
  assert.equal((await book({ request_id: 'r2' })).status, 201);
});

test('a booking is shown as it is in Stripe', async (t) => {
  const { fake, look } = await open(t);
  assert.equal((await look('NR-1')).json.state, 'open');
  [...fake.invoices.values()].find((invoice) => invoice.metadata.booking === 'NR-1')!.status = 'void';
  assert.equal((await look('NR-1')).json.state, 'cancelled');
  assert.equal((await look('NR-9')).status, 404);
  assert.equal((await look('NR-1', 'wrong')).status, 401);
});
