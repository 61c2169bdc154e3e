#!/usr/bin/env node
'use strict';

// node scripts/load-trips.js [FILE]: load the season's trips, by default those of data/trips.json.

const fs = require('node:fs');
const path = require('node:path');
const { read, root } = require('../src/config');
const { open } = require('../src/database');
const trips = require('../src/trips');

const file = process.argv[2] || path.join(root, 'data', 'trips.json');
try {
  const database = open(read().databasePath);
  const count = trips.load(database, JSON.parse(fs.readFileSync(file, 'utf8')));
  database.close();
  console.log(`${count} trips loaded`);
} catch (error) {
  console.error(`${file}: ${error.message}`);
  process.exit(1);
}
