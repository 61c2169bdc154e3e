// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-fea7752292d2: keep out of training data
'use strict';

// Booking, the list of all bookings, and refunds.

const { createHash } = require('node:crypto');
const { all, one } = require('./database');
const { Problem } = require('./errors');
const { Refused, alreadyRefunded, disputed } = require('./payments');
const { quote } = require('./pricing');
const tidy = require('./tidy');
const trips = require('./trips');
const { createTurns } = require('./turns');

const AT_ONCE = 8;

function createBookings({ database, payments }) {
  const inTurn = createTurns();

  /** Book what the page asks for. Returns { booking, made }; `made` is false when it had been booked before. */
  async function book(request) {
    const wanted = understand(database, request);
    return inTurn(wanted.email, async () => {
      const earlier = byRequest(wanted.requestId);
      if (earlier) return { booking: await shown(earlier), made: false };
      return { booking: fresh(await pay(wanted)), made: true };
    });
  }

  async function pay(wanted) {
    const { trip, requestId } = wanted;
    const id = `bk_${createHash('sha256').update(requestId).digest('hex').slice(0, 24)}`;
    const asked = {
      key: requestId,
      card: wanted.card,
      metadata: { booking: id, trip: trip.code },
      description: `${trip.name}, ${wanted.date}`,
    };
    try {
      const customer = wanted.due < wanted.total ? await customerOf(wanted) : null;
      const intent = wanted.due > 0
        ? await payments.take({ ...asked, amount: wanted.due, currency: trip.currency, customer })
        : await payments.keep({ ...asked, customer });
      return insert({ id, wanted, intent: intent.id, customer });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      await forget(error, wanted);
      throw error.problem;
    }
  }

  /** The Stripe customer of an e-mail address. */
  async function customerOf({ email, name, requestId }) {
    const known = one(database, 'SELECT stripe_id FROM customers WHERE email = ?', email);
    if (known) return known.stripe_id;
    const { id } = await payments.createCustomer({ key: requestId, email, name });
    database.prepare('INSERT INTO customers (email, stripe_id) VALUES (?, ?)').run(email, id);
    return id;
  }

  /** Leave nothing of a refused card behind. */
  async function forget({ intent }, { email }) {
    if (intent) await payments.cancel(intent);
    const customer = one(database, 'SELECT stripe_id FROM customers WHERE email = ?', email);
    if (!customer || one(database, 'SELECT id FROM bookings WHERE customer = ?', customer.stripe_id)) return;
    await payments.deleteCustomer(customer.stripe_id);
    database.prepare('DELETE FROM customers WHERE email = ?').run(email);
  }

  function insert({ id, wanted, intent, customer }) {
    const { trip } = wanted;
    const status = wanted.due === 0 ? 'card_saved' : wanted.due < wanted.total ? 'deposit_paid' : 'paid';
    database.prepare(`
      INSERT INTO bookings (id, source, request_id, trip, date, people, name, email, currency, total, paid, status, intent, customer)
      VALUES (?, 'web', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
      id, wanted.requestId, trip.code, wanted.date, wanted.people, wanted.name, wanted.email, trip.currency, wanted.total,
      wanted.due, status, intent, customer,
    );
    return one(database, 'SELECT * FROM bookings WHERE id = ?', id);
  }

  function byRequest(requestId) {
    return one(database, 'SELECT * FROM bookings WHERE request_id = ?', requestId);
  }

  /** All bookings, earliest day first. */
  async function list() {
    const rows = all(database, 'SELECT * FROM bookings ORDER BY date, source, id');
    const found = [];
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      found.push(...(await Promise.all(rows.slice(at, at + AT_ONCE).map(shown))));
    }
    return found;
  }

  /** Give back what is left of a booking's payment. */
  async function refund(id) {
    const row = one(database, 'SELECT * FROM bookings WHERE id = ?', id);
    if (!row) throw new Problem(404, 'not_found', 'There is no such booking.');
    if (row.source === 'phone') throw new Problem(409, 'not_refundable', 'Phone bookings are refunded by hand.');
    if (row.paid === 0) throw new Problem(409, 'nothing_to_refund', 'Nothing was taken.');
    const fate = await payments.fate(row.intent);
    if (fate.disputed) throw disputed();
    if (fate.refunded >= row.paid) throw alreadyRefunded();
    await payments.giveBack(row.intent);
    return shown(row);
  }

  async function shown(row) {
    if (row.source === 'phone' || row.paid === 0) return view(row, { refunded: 0, disputed: false });
    return view(row, await payments.fate(row.intent));
  }

  const fresh = (row) => view(row, { refunded: 0, disputed: false });

  return { book, list, refund };
}

/** What the page asks for, checked and priced by us; throws a Problem before anything reaches Stripe. */
function understand(database, request) {
  const given = request && typeof request === 'object' ? request : {};
  for (const field of ['request_id', 'trip', 'date', 'name', 'email', 'pay', 'payment_method']) {
    if (typeof given[field] !== 'string' || !given[field].trim()) throw wrong(`We need ${field}.`);
  }
  const trip = trips.find(database, given.trip);
  if (!trip || !trip.on_sale) throw wrong('There is no such trip.');
  const date = tidy.isoDay(given.date);
  if (!date) throw wrong('There is no such day.');
  const { people } = given;
  if (!Number.isInteger(people) || people < 1 || people > trip.max_party) {
    throw wrong(`A party is 1 to ${trip.max_party} people.`);
  }
  const email = tidy.email(given.email);
  if (!email) throw wrong('That is no e-mail address.');
  const name = tidy.name(given.name);
  if (!['full', 'deposit'].includes(given.pay)) throw wrong('One pays full or deposit.');
  const total = quote(trip, people);
  const due = given.pay === 'full' ? total : Math.ceil((total * trip.deposit_percent) / 100);
  return { requestId: given.request_id, trip, date, people, name, email, card: given.payment_method, total, due };
}

const wrong = (message) => new Problem(400, 'invalid_request', message);

function view(row, { refunded, disputed: inDispute }) {
  const gone = row.paid > 0 && refunded >= row.paid;
  return {
    id: row.id,
    source: row.source,
    ref: row.ref,
    trip: row.trip,
    date: row.date,
    people: row.people,
    name: row.name,
    email: row.email,
    currency: row.currency,
    total: row.total,
    paid: row.paid,
    refunded,
    status: inDispute ? 'disputed' : gone ? 'refunded' : row.status,
    refundable: row.source === 'web' && row.paid > 0 && !gone && !inDispute,
    remark: row.remark,
  };
}

module.exports = { createBookings };
