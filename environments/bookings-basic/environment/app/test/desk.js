'use strict';

// A whole desk for one test: a database of its own with two trips, and the app on a port of its own.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { createApp } = require('../src/app');
const { open } = require('../src/database');
const trips = require('../src/trips');

const TRIPS = [
  {
    code: 'T-HILL', name: 'A Hill', currency: 'gbp', price: '40.00', max_party: 6, deposit_percent: 30,
    group: { from: 3, percent: 10 },
  },
  { code: 'T-SNOW', name: 'Some Snow', currency: 'jpy', price: '9000', deposit_percent: 0 },
  { code: 'T-GONE', name: 'No More', currency: 'eur', price: '10.00', retired: true },
];

async function desk(t, more = {}) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'desk-'));
  const config = { officeToken: 'office', databasePath: path.join(directory, 'test.db'), stripeSecretKey: 'sk_test_none' };
  const database = open(config.databasePath);
  trips.load(database, TRIPS);
  const server = createApp({ config, database, ...more }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
    database.close();
    fs.rmSync(directory, { recursive: true });
  });
  const url = `http://127.0.0.1:${server.address().port}`;
  const ask = async (method, where, body, token) => {
    const response = await fetch(url + where, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...(token && { authorization: `Bearer ${token}` }) },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    const json = /json/.test(response.headers.get('content-type') || '') ? JSON.parse(text) : null;
    return { status: response.status, text, json };
  };
  return { ask, config, database, directory };
}

module.exports = { TRIPS, desk };
