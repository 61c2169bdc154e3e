'use strict';

// Amounts are whole numbers of a currency's smallest unit: pence, cents, øre. The yen has none smaller.

const CURRENCIES = {
  gbp: { symbol: '£', digits: 2 },
  eur: { symbol: '€', digits: 2 },
  nok: { symbol: 'kr', digits: 2 },
  jpy: { symbol: '¥', digits: 0 },
};

/** "45.50" of a currency as minor units. The decimals are written with a point, as in trips.json. */
function parse(text, currency) {
  const { digits } = known(currency);
  const match = /^(\d+)(?:\.(\d{1,2}))?$/.exec(String(text).trim());
  if (!match || (digits === 0 && match[2])) throw new Error(`${text} is no amount in ${currency}`);
  return Number(match[1]) * 10 ** digits + Number((match[2] || '').padEnd(digits, '0'));
}

/** Minor units as people read them: "£45.50", "kr 950.00", "¥12000". */
function show(amount, currency) {
  const { symbol, digits } = known(currency);
  const text = (amount / 10 ** digits).toFixed(digits);
  return symbol.length > 1 ? `${symbol} ${text}` : symbol + text;
}

function known(currency) {
  if (!Object.hasOwn(CURRENCIES, currency)) throw new Error(`we take no ${currency}`);
  return CURRENCIES[currency];
}

module.exports = { CURRENCIES, parse, show };
