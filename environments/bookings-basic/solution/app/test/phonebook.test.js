// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-54743100c7da: keep out of training data
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { all } = require('../src/database');
const phonebook = require('../src/phonebook');
const tidy = require('../src/tidy');
const { desk } = require('./desk');

const HEAD = 'ref,trip,day,guest,email,party,paid,remark\n';

test('days are read day first', () => {
  for (const text of [
    '2026-07-04', '04/07/2026', '4.7.2026', '4-7-26', '4 Jul 2026', '4th JULY 2026', 'Sat 4 July 2026', 'July 4, 2026',
  ]) {
    assert.equal(tidy.day(text), '2026-07-04', text);
  }
  for (const text of ['31/04/2026', '2026-02-29', '4 Juli 2026', 'soon', '', '2026-13-01']) assert.equal(tidy.day(text), null, text);
});

test('amounts are read in the currency they are in', () => {
  const cases = {
    '£40': [4000, 'gbp'], '€1.250,50': [125050, 'eur'], '1,250.5 EUR': [125050, 'eur'], 'nok 1\u00a0250': [125000, 'nok'],
    '¥12,000': [12000, 'jpy'], '12000.00 JPY': [12000, 'jpy'], '1.250': [125000, 'gbp'], "kr 1'250": [125000, 'nok'],
    '-': [0, 'gbp'], '': [0, 'gbp'],
  };
  for (const [text, [amount, currency]] of Object.entries(cases)) {
    assert.deepEqual(tidy.paid(text, 'gbp'), { amount, currency }, text);
  }
  for (const text of ['$30', '-5', '£-5', '¥1.50', 'free', 'USD 4']) assert.equal(tidy.paid(text, 'gbp'), null, text);
});

test('names, parties and addresses', () => {
  assert.equal(tidy.name('  Byrne,\u00a0 Ada\t'), 'Ada Byrne');
  assert.equal(tidy.party('2 + 1 (kids)'), 3);
  assert.equal(tidy.party('4pers.'), 4);
  for (const text of ['0', '', 'two', '2.5', '-1']) assert.equal(tidy.party(text), null, text);
  assert.equal(tidy.email(' Ada@Example.TEST'), 'ada@example.test');
  for (const text of ['ada', 'a da@x', '@x', 'a@b@c']) assert.equal(tidy.email(text), undefined, text);
});

test('the last good row of a ref counts, and loading again keeps ids', async (t) => {
  const { database } = await desk(t);
  const text = `\uFEFF${HEAD}PH-1,t-hill,4 Jul 2026,Ada,,2,£10,"one\r\ntwo, ""three"""\r\n\r\n`
    + 'ph 1,A  hill,5 Jul 2026,Ada,,2,£12,\r\nPH-1,T-HILL,31/02/2026,Ada,,2,£12,\r\nPH2,T-GONE,2026-07-01,Bo,,1,5,\r\n';
  const report = phonebook.load(database, text);
  assert.deepEqual(report, { rows: 4, loaded: 2, duplicates: 1, rejected: [{ line: 6, reason: 'day' }] });
  const before = all(database, 'SELECT id, ref, date, paid, currency FROM bookings ORDER BY ref');
  assert.deepEqual(before.map(({ id, ...rest }) => rest), [
    { ref: 'PH-1', date: '2026-07-05', paid: 1200, currency: 'gbp' },
    { ref: 'PH-2', date: '2026-07-01', paid: 500, currency: 'eur' },
  ]);
  phonebook.load(database, `${HEAD}PH-1,T-HILL,6 Jul 2026,Ada,,3,£12,\n`);
  const after = all(database, 'SELECT id, ref, date, paid, currency FROM bookings ORDER BY ref');
  assert.deepEqual(after, [{ ...before[0], date: '2026-07-06' }, before[1]]);
});

test('a missing column loads nothing', async (t) => {
  const { database } = await desk(t);
  assert.throws(() => phonebook.load(database, 'ref,trip\nPH-1,T-HILL\n'), /no column day/);
  assert.throws(() => phonebook.load(database, ''), /no column ref/);
});
