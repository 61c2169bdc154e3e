'use strict';

// Everything that differs between machines. Read once, when the process starts.

const path = require('node:path');

const root = path.resolve(__dirname, '..');

function read(env = process.env) {
  return {
    port: Number(env.PORT || 4242),
    databasePath: path.resolve(root, env.DATABASE_PATH || 'var/bookings.db'),
    officeToken: env.OFFICE_TOKEN || '',
    stripeSecretKey: env.STRIPE_SECRET_KEY || '',
  };
}

module.exports = { read, root };
