// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-57446043e4ad: keep out of training data
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all } from '../src/database.ts';
import { read } from '../src/ledger.ts';
import { migrate } from '../src/migration.ts';
import { derive } from '../src/prices.ts';
import * as tidy from '../src/tidy.ts';
import { bench } from './bench.ts';
import { fakeBilling } from './fake.ts';

const HEAD = 'booking,session,night,booked,guest,email,seats,amount,state\n';
const SESSIONS = ['MOON', 'STARS'].map((code) => ({ code, name: `The ${code}`, blurb: '', seats: 4, on_offer: true }));

test('days are read day first', () => {
  for (const text of ['2026-03-07', '7.3.2026', '07/03/2026', '7 Mar 2026', '7 march 2026']) {
    assert.equal(tidy.day(text), '2026-03-07', text);
  }
  for (const text of ['31.4.2026', '2026-02-29', '7 Marz 2026', '', '7.3.26']) assert.equal(tidy.day(text), null, text);
});

test('amounts are read in the currency they are in', () => {
  const cases: Record<string, [number, string]> = {
    '€178': [17800, 'eur'], '1.250,50 €': [125050, 'eur'], "CHF 1'180.00": [118000, 'chf'], 'gbp1,250': [125000, 'gbp'],
    '¥12,000': [12000, 'jpy'], '186\u00a0000 JPY': [186000, 'jpy'], '¥500.00': [500, 'jpy'],
  };
  for (const [text, [amount, currency]] of Object.entries(cases)) assert.deepEqual(tidy.amount(text), { amount, currency }, text);
  for (const text of ['$30', '30', '', '-€5', '¥1.50', '€0', '€30 EUR']) assert.equal(tidy.amount(text), null, text);
});

test('the last good row of a booking counts', () => {
  const text = `\uFEFF${HEAD}NR-1,moon,7.3.2026,1.2.2026,"Ada, ""A""\r\nB",Ada@Example.test ,2,€20,open\r\n\r\n`
    + 'nr1,The  Moon,8.3.2026,1.2.2026,Ada,,2,€20,PAID\r\nNR-1,MOON,31.4.2026,1.2.2026,Ada,,2,€20,open\r\nNR-2,MOON,7.3.2026,1.2.2026,Bo,,3,€20,open\r\n';
  const { entries, report } = read(text, SESSIONS);
  assert.deepEqual(report, {
    rows: 4, bookings: 1, duplicates: 1, rejected: [{ line: 6, reason: 'night' }, { line: 7, reason: 'amount' }],
  });
  assert.deepEqual([entries[0].night, entries[0].guest, entries[0].email, entries[0].state], ['2026-03-08', 'Ada', null, 'paid']);
  assert.throws(() => read('booking,night\nNR-1,x\n', SESSIONS), /no column session/);
});

test("today's price is that of the latest booking", () => {
  const rows = ['2026-01-02,€10', '2026-01-05,€30', '2026-01-05,€20', '2026-01-04,€40', '2025-12-01,¥900']
    .map((part, index) => {
      const [booked, amount] = part.split(',');
      return `NR-${index + 1},MOON,7.3.2026,${booked},Ada,,1,${amount},open\n`;
    });
  const prices = derive(read(HEAD + rows.join(''), SESSIONS).entries);
  assert.deepEqual(prices.filter((price) => price.today).map(({ currency, amount }) => [currency, amount]), [['eur', 2000], ['jpy', 900]]);
  assert.equal(prices.length, 5);
});

test('a ledger is brought over once, wherever it was stopped', async (t) => {
  const { database } = await bench(t);
  const fake = fakeBilling();
  const text = `${HEAD}NR-1,MOON,7.3.2026,1.2.2026,Ada,ada@example.test,2,€20,paid\nNR-2,STARS,7.3.2026,1.2.2026,Ada,ADA@example.test,1,¥900,open\n`
    + 'NR-3,MOON,7.3.2026,1.2.2026,Bo,,1,€10,cancelled\nNR-4,STARS,8.3.2026,1.2.2026,Bo,,1,€10,open\n';
  for (let calls = 1; calls < 12; calls += 1) {
    fake.breakAfter(calls);
    await migrate({ database, billing: fake.billing, text }).catch(() => {});
  }
  fake.breakAfter(Infinity);
  const report = await migrate({ database, billing: fake.billing, text });
  assert.equal(report.bookings, 4);
  assert.deepEqual([fake.customers.size, fake.prices.length, fake.invoices.size], [2, 3, 3]);
  assert.deepEqual([...fake.invoices.values()].map(({ seats, status }) => [seats, status]).sort(), [[[1], 'open'], [[1], 'open'], [[2], 'paid']]);
  const later = text.replace('¥900,open', '¥900,paid').replace('€10,open', '€10,cancelled');
  await migrate({ database, billing: fake.billing, text: later });
  const rows = await all(database, 'SELECT ref, state, stripe_invoice IS NOT NULL AS billed FROM bookings ORDER BY ref');
  assert.deepEqual(rows, [
    { ref: 'NR-1', state: 'paid', billed: true }, { ref: 'NR-2', state: 'paid', billed: true },
    { ref: 'NR-3', state: 'cancelled', billed: false }, { ref: 'NR-4', state: 'cancelled', billed: true },
  ]);
});
