'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const money = require('../src/money');

test('amounts are read into minor units', () => {
  assert.equal(money.parse('45.5', 'gbp'), 4550);
  assert.equal(money.parse('9850.00', 'nok'), 985000);
  assert.equal(money.parse('14800', 'jpy'), 14800);
  assert.throws(() => money.parse('1.50', 'jpy'));
  assert.throws(() => money.parse('-1', 'eur'));
});

test('amounts are shown with their sign', () => {
  assert.equal(money.show(4550, 'gbp'), '£45.50');
  assert.equal(money.show(129000, 'nok'), 'kr 1290.00');
  assert.equal(money.show(14800, 'jpy'), '¥14800');
});
