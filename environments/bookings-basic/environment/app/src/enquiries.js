'use strict';

const { all } = require('./database');

/** Write an enquiry down and return its number. */
function add(database, { trip, people, name, email, message }) {
  const done = database
    .prepare('INSERT INTO enquiries (trip, people, name, email, message) VALUES (?, ?, ?, ?, ?)')
    .run(trip.code, people, name, email, message);
  return Number(done.lastInsertRowid);
}

/** Enquiries nobody has answered, oldest first. */
function open(database) {
  return all(database, 'SELECT id, trip, people, name, email, message FROM enquiries WHERE answered = 0 ORDER BY id');
}

module.exports = { add, open };
