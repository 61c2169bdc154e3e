#!/usr/bin/env node
'use strict';

const fs = require('node:fs');
const config = require('../src/config').read();
const { all, open } = require('../src/database');
const read = require('../src/reading');

const COLUMNS = ['ref', 'trip', 'day', 'guest', 'email', 'party', 'paid', 'remark'];

function main(file) {
  const [[, header], ...records] = [...read.records(fs.readFileSync(file, 'utf8'))];
  const at = Object.fromEntries(COLUMNS.map((name) => [name, header.map((cell) => cell.trim()).indexOf(name)]));
  const absent = COLUMNS.filter((name) => at[name] < 0);
  if (absent.length) throw new Error(`it has no column ${absent.join(', ')}`);
  const database = open(config.databasePath);
  const trips = {};
  for (const trip of all(database, 'SELECT code, name, currency FROM trips')) {
    trips[read.squeeze(trip.name).toLowerCase()] ??= trip;
    trips[trip.code.toLowerCase()] = trip;
  }
  const report = { rows: records.length, loaded: 0, duplicates: 0, rejected: [] };
  const good = {};
  for (const [line, cells] of records) {
    const cell = (name) => cells[at[name]] || '';
    const trip = trips[read.squeeze(cell('trip')).toLowerCase()];
    const number = /^\s*ph[-\s]*(\d+)\s*$/i.exec(cell('ref'));
    const values = {
      ref: number && `PH-${number[1]}`,
      trip: trip && trip.code,
      day: read.day(cell('day')),
      guest: read.guest(cell('guest')),
      email: cell('email').trim() ? read.address(cell('email')) : '',
      party: read.party(cell('party')),
      paid: read.paid(cell('paid'), trip && trip.currency),
    };
    const reason = Object.keys(values).find((name) => values[name] === null || values[name] === undefined);
    if (reason) {
      report.rejected.push({ line, reason });
      continue;
    }
    if (good[values.ref]) report.duplicates += 1;
    good[values.ref] = { ...values, remark: cell('remark').trim() || null };
  }
  const put = database.prepare(`INSERT OR REPLACE INTO phone_bookings
    (ref, trip, date, people, name, email, currency, paid, remark) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  database.transaction(() => {
    for (const row of Object.values(good)) {
      put.run(row.ref, row.trip, row.day, row.party, row.guest, row.email || null, row.paid[1], row.paid[0], row.remark);
      report.loaded += 1;
    }
  })();
  database.close();
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

try {
  main(process.argv[2]);
} catch (error) {
  process.stderr.write(`${process.argv[2]}: ${error.message}\n`);
  process.exitCode = 1;
}
