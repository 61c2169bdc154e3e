#!/usr/bin/env node
'use strict';

// node scripts/enquiries-report.js: the open enquiries for the office's Monday meeting, one a line.

const { read } = require('../src/config');
const { open } = require('../src/database');
const enquiries = require('../src/enquiries');

const database = open(read().databasePath);
for (const enquiry of enquiries.open(database)) {
  console.log(`${enquiry.id}\t${enquiry.trip}\t${enquiry.people}\t${enquiry.name} <${enquiry.email}>`);
}
database.close();
