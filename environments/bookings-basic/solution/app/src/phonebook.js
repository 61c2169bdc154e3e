// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-42a4d0bf57b6: keep out of training data
'use strict';

// Mairi's phone book, as her spreadsheet exports it, into the bookings.

const { randomUUID } = require('node:crypto');
const csv = require('./csv');
const { all } = require('./database');
const tidy = require('./tidy');

const COLUMNS = ['ref', 'trip', 'day', 'guest', 'email', 'party', 'paid', 'remark'];

/** Load a file's text; returns the report. Throws, and loads nothing, when a column is missing. */
function load(database, text) {
  const [header, ...rows] = csv.rows(text);
  const names = (header ? header.cells : []).map((cell) => cell.trim().toLowerCase());
  const missing = COLUMNS.filter((column) => !names.includes(column));
  if (missing.length) throw new Error(`no column ${missing.join(', ')}`);

  const tripOf = tripReader(database);
  const good = new Map();
  const rejected = [];
  let duplicates = 0;
  for (const { line, cells } of rows) {
    const row = Object.fromEntries(COLUMNS.map((column) => [column, cells[names.indexOf(column)] ?? '']));
    const { booking, reason } = read(row, tripOf);
    if (reason) {
      rejected.push({ line, reason });
    } else {
      if (good.has(booking.ref)) duplicates += 1;
      good.set(booking.ref, booking);
    }
  }
  store(database, [...good.values()]);
  return { rows: rows.length, loaded: good.size, duplicates, rejected };
}

/** A function from what is written in the trip column to the trip. Codes come before names. */
function tripReader(database) {
  const key = (text) => tidy.spaced(text).toLowerCase();
  const trips = all(database, 'SELECT code, name, currency FROM trips ORDER BY code');
  const byName = new Map(trips.map((trip) => [key(trip.name), trip]));
  const byCode = new Map(trips.map((trip) => [key(trip.code), trip]));
  return (text) => byCode.get(key(text)) || byName.get(key(text)) || null;
}

/** One row as a booking, or the first column of it that is wrong. */
function read(row, tripOf) {
  const ref = /^ph[\s-]*(\d+)$/i.exec(row.ref.trim());
  if (!ref) return { reason: 'ref' };
  const trip = tripOf(row.trip);
  if (!trip) return { reason: 'trip' };
  const date = tidy.day(row.day);
  if (!date) return { reason: 'day' };
  const name = tidy.name(row.guest);
  if (!name) return { reason: 'guest' };
  const email = row.email.trim() === '' ? null : tidy.email(row.email);
  if (email === undefined) return { reason: 'email' };
  const people = tidy.party(row.party);
  if (!people) return { reason: 'party' };
  const paid = tidy.paid(row.paid, trip.currency);
  if (!paid) return { reason: 'paid' };
  const remark = row.remark.trim() || null;
  return {
    booking: {
      ref: `PH-${ref[1]}`, trip: trip.code, date, people, name, email, currency: paid.currency, paid: paid.amount, remark,
    },
  };
}

function store(database, bookings) {
  const upsert = database.prepare(`
    INSERT INTO bookings (id, source, ref, trip, date, people, name, email, currency, paid, status, remark)
    VALUES (?, 'phone', ?, ?, ?, ?, ?, ?, ?, ?, 'phone', ?)
    ON CONFLICT (ref) DO UPDATE SET trip = excluded.trip, date = excluded.date, people = excluded.people,
      name = excluded.name, email = excluded.email, currency = excluded.currency, paid = excluded.paid,
      remark = excluded.remark`);
  database.transaction(() => {
    for (const one of bookings) {
      upsert.run(
        randomUUID(), one.ref, one.trip, one.date, one.people, one.name, one.email, one.currency, one.paid, one.remark,
      );
    }
  })();
}

module.exports = { load };
