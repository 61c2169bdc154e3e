import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calendarDay, isoDay } from '../src/days.ts';
import { isCurrency, show } from '../src/money.ts';

test('amounts are shown with their currency', () => {
  assert.equal(show(4550, 'eur'), '45.50 EUR');
  assert.equal(show(12000, 'jpy'), '12000 JPY');
  assert.equal(isCurrency('chf'), true);
  assert.equal(isCurrency('usd'), false);
});

test('days are days of the calendar', () => {
  assert.equal(isoDay('2028-02-29'), '2028-02-29');
  assert.equal(isoDay('2026-02-29'), null);
  assert.equal(isoDay('29.2.2028'), null);
  assert.equal(calendarDay(2026, 13, 1), null);
});
