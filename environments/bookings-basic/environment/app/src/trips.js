'use strict';

const { all, one } = require('./database');
const money = require('./money');

const FIELDS = 'code, name, blurb, currency, price, max_party, group_from, group_percent, on_sale, deposit_percent';

/** Trips that can be had today, by name. */
function onSale(database) {
  return all(database, `SELECT ${FIELDS} FROM trips WHERE on_sale = 1 ORDER BY name`);
}

/** A trip by its code, retired ones too; null when there never was one. */
function find(database, code) {
  return one(database, `SELECT ${FIELDS} FROM trips WHERE code = ?`, String(code));
}

/** Load the season's trips. Those that are not in the list any more are taken off sale, and stay in the books. */
function load(database, list) {
  const trips = list.map(checked);
  const upsert = database.prepare(`
    INSERT INTO trips (${FIELDS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (code) DO UPDATE SET name = excluded.name, blurb = excluded.blurb, currency = excluded.currency,
      price = excluded.price, max_party = excluded.max_party, group_from = excluded.group_from,
      group_percent = excluded.group_percent, on_sale = excluded.on_sale, deposit_percent = excluded.deposit_percent`);
  database.transaction(() => {
    database.exec('UPDATE trips SET on_sale = 0');
    for (const trip of trips) {
      upsert.run(
        trip.code, trip.name, trip.blurb, trip.currency, trip.price, trip.max_party, trip.group_from,
        trip.group_percent, trip.on_sale, trip.deposit_percent,
      );
    }
  })();
  return trips.length;
}

function checked(entry) {
  if (!/^[A-Z0-9-]+$/.test(entry.code || '')) throw new Error(`${entry.code} is no code of a trip`);
  if (!entry.name) throw new Error(`${entry.code} has no name`);
  const group = entry.group || {};
  const deposit = entry.deposit_percent ?? 100;
  if (!Number.isInteger(deposit) || deposit < 0 || deposit > 100) {
    throw new Error(`${entry.code}: a deposit is 0 to 100 per cent`);
  }
  return {
    code: entry.code,
    name: entry.name,
    blurb: entry.blurb || '',
    currency: entry.currency,
    price: money.parse(entry.price, entry.currency),
    max_party: entry.max_party || 8,
    group_from: group.from || null,
    group_percent: group.percent || 0,
    on_sale: entry.retired ? 0 : 1,
    deposit_percent: deposit,
  };
}

module.exports = { find, load, onSale };
