#!/usr/bin/env node
// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-fc3ccd4ff05b: keep out of training data
'use strict';

// node scripts/load-phone-bookings.js FILE: load an export of the phone book, and print what came of it as JSON.

const fs = require('node:fs');
const { read } = require('../src/config');
const { open } = require('../src/database');
const phonebook = require('../src/phonebook');

const file = process.argv[2];
try {
  if (!file) throw new Error('which file? node scripts/load-phone-bookings.js FILE');
  const text = fs.readFileSync(file, 'utf8');
  const database = open(read().databasePath);
  const report = phonebook.load(database, text);
  database.close();
  console.log(JSON.stringify(report));
} catch (error) {
  console.error(`${file || 'load-phone-bookings'}: ${error.message}`);
  process.exit(1);
}
