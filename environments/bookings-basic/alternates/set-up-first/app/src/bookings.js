'use strict';

const { randomUUID } = require('node:crypto');
const { all, one } = require('./database');
const { Problem } = require('./errors');
const { quote } = require('./pricing');
const tidy = require('./tidy');
const trips = require('./trips');

const TEXTS = ['request_id', 'trip', 'date', 'name', 'email', 'pay', 'payment_method'];

class Bookings {
  constructor(database, payments) {
    this.database = database;
    this.payments = payments;
    this.busy = new Set();
    database.exec('CREATE TABLE IF NOT EXISTS attempts (request_id TEXT PRIMARY KEY, booking TEXT NOT NULL)');
  }

  async book(body) {
    const asked = this.read(body);
    while (this.busy.has(asked.request)) await new Promise((resolve) => setTimeout(resolve, 25));
    this.busy.add(asked.request);
    try {
      const before = one(this.database, 'SELECT * FROM bookings WHERE request_id = ?', asked.request);
      if (before) return { booking: await this.show(before), made: false };
      return { booking: await this.make(asked), made: true };
    } finally {
      this.busy.delete(asked.request);
    }
  }

  async make(asked) {
    this.database.prepare('INSERT OR IGNORE INTO attempts (request_id, booking) VALUES (?, ?)').run(asked.request, randomUUID());
    const { booking } = one(this.database, 'SELECT booking FROM attempts WHERE request_id = ?', asked.request);
    const { charge } = await this.payments.pay({
      key: asked.request, due: asked.due, rest: asked.total - asked.due, currency: asked.trip.currency, card: asked.card,
      email: asked.email, name: asked.name, metadata: { booking, trip: asked.trip.code },
    });
    const status = asked.due === 0 ? 'card_saved' : asked.due < asked.total ? 'deposit_paid' : 'paid';
    this.database.prepare(`INSERT INTO bookings
      (id, source, request_id, trip, date, people, name, email, currency, total, paid, status, intent)
      VALUES (?, 'web', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
      booking, asked.request, asked.trip.code, asked.date, asked.people, asked.name, asked.email, asked.trip.currency,
      asked.total, asked.due, status, charge,
    );
    return this.show(one(this.database, 'SELECT * FROM bookings WHERE id = ?', booking));
  }

  read(body) {
    const refuse = (what) => { throw new Problem(400, 'invalid_request', what); };
    const given = body || {};
    for (const name of TEXTS) if (typeof given[name] !== 'string' || !given[name].trim()) refuse(`${name}?`);
    const trip = trips.find(this.database, given.trip);
    if (!trip || !trip.on_sale) refuse('trip?');
    const date = tidy.isoDay(given.date) || refuse('date?');
    const email = tidy.email(given.email) || refuse('email?');
    const name = tidy.name(given.name) || refuse('name?');
    const { people } = given;
    if (!(Number.isInteger(people) && people > 0 && people <= trip.max_party)) refuse('people?');
    const total = quote(trip, people);
    const due = { full: total, deposit: -Math.floor(-(total * trip.deposit_percent) / 100) }[given.pay];
    if (due === undefined) refuse('pay?');
    return { request: given.request_id, trip, date, people, name, email, total, due, card: given.payment_method };
  }

  async list() {
    const shown = [];
    for (const row of all(this.database, 'SELECT * FROM bookings ORDER BY date')) shown.push(await this.show(row));
    return shown;
  }

  async refund(id) {
    const row = one(this.database, 'SELECT * FROM bookings WHERE id = ?', id);
    if (!row) throw new Problem(404, 'not_found', 'There is no such booking.');
    if (row.source === 'phone') throw new Problem(409, 'not_refundable', 'That was paid by phone.');
    if (!row.intent) throw new Problem(409, 'nothing_to_refund', 'Nothing was taken.');
    const charge = await this.payments.charge(row.intent);
    if (charge.disputed) throw new Problem(409, 'disputed', 'The bank decides.');
    const left = charge.amount - charge.amount_refunded;
    if (left === 0) throw new Problem(409, 'already_refunded', 'That went back already.');
    await this.payments.refund(charge.id, left);
    return this.show(row);
  }

  async show(row) {
    const charge = row.source === 'web' && row.intent
      ? await this.payments.charge(row.intent)
      : { amount: 0, amount_refunded: 0, disputed: false };
    const left = charge.amount - charge.amount_refunded;
    const { id, source, ref, trip, date, people, name, email, currency, total, paid, remark } = row;
    let { status } = row;
    if (charge.amount && left === 0) status = 'refunded';
    if (charge.disputed) status = 'disputed';
    return {
      id, source, ref, trip, date, people, name, email, currency, total, paid, refunded: charge.amount_refunded, status,
      refundable: left > 0 && !charge.disputed, remark,
    };
  }
}

const createBookings = ({ database, payments }) => new Bookings(database, payments);

module.exports = { createBookings };
