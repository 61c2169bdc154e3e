'use strict';

const { Router } = require('express');
const { all, one } = require('../database');
const { Problem, later } = require('../errors');
const { officeOnly } = require('../office');
const { quote } = require('../pricing');
const read = require('../reading');
const { StripeTrouble, client } = require('../stripe-http');
const trips = require('../trips');

function bookingRoutes({ config, database }) {
  const routes = Router();
  const stripe = client(config.stripeSecretKey);
  const running = new Map();

  const away = () => new Problem(502, 'stripe_unavailable', 'Stripe does not answer.');
  const row = (id) => one(database, 'SELECT * FROM web_bookings WHERE id = ?', id);

  routes.get('/trips', (request, response) => {
    const sold = all(database, `SELECT code, name, currency, price, deposit_percent, max_party FROM trips
      WHERE on_sale = 1 ORDER BY code`);
    response.json({ trips: sold });
  });

  routes.post('/bookings', later(async (request, response) => {
    const wanted = checked(request.body);
    const name = wanted.request_id;
    if (!running.has(name)) running.set(name, purchase(wanted).finally(() => running.delete(name)));
    const { status, body } = await running.get(name);
    response.status(status).json(body);
  }));

  routes.get('/bookings', officeOnly(config), later(async (request, response) => {
    const web = all(database, "SELECT * FROM web_bookings WHERE state = 'done'");
    const charges = await chargesOf(web.map((booking) => booking.charge).filter(Boolean));
    const phone = all(database, 'SELECT * FROM phone_bookings').map((booking) => ({
      ...booking, id: booking.ref, source: 'phone', total: null, refunded: 0, status: 'phone', refundable: false,
    }));
    const bookings = [...web.map((booking) => view(booking, charges.get(booking.charge))), ...phone];
    bookings.sort((a, b) => a.date.localeCompare(b.date));
    response.json({ bookings });
  }));

  routes.post('/bookings/:id/refund', officeOnly(config), later(async (request, response) => {
    const { id } = request.params;
    if (one(database, 'SELECT ref FROM phone_bookings WHERE ref = ?', id)) {
      throw new Problem(409, 'not_refundable', 'That was paid by phone.');
    }
    const booking = row(id);
    if (!booking || booking.state !== 'done') throw new Problem(404, 'not_found', 'No such booking.');
    if (!booking.charge) throw new Problem(409, 'nothing_to_refund', 'Nothing was taken.');
    const gone = () => new Problem(409, 'already_refunded', 'That went back already.');
    const claimed = database.prepare('UPDATE web_bookings SET refunding = 1 WHERE id = ? AND refunding = 0').run(id);
    if (claimed.changes === 0) throw gone();
    try {
      const charge = await stripe.get(`charges/${booking.charge}`);
      if (charge.disputed) throw new Problem(409, 'disputed', 'The bank decides.');
      if (charge.amount_refunded >= charge.amount) throw gone();
      const amount = charge.amount - charge.amount_refunded;
      await stripe.post('refunds', { charge: charge.id, amount }, `refund-${id}-${charge.amount_refunded}`);
      response.json(view(booking, await stripe.get(`charges/${booking.charge}`)));
    } catch (error) {
      throw error instanceof StripeTrouble ? away() : error;
    } finally {
      database.prepare('UPDATE web_bookings SET refunding = 0 WHERE id = ?').run(id);
    }
  }));

  function checked(body) {
    const bad = (message) => new Problem(400, 'invalid_request', message);
    const texts = ['request_id', 'trip', 'date', 'name', 'email', 'pay', 'payment_method'];
    const missing = texts.find((field) => typeof body?.[field] !== 'string' || body[field].trim() === '');
    if (missing) throw bad(`${missing} is missing`);
    const trip = trips.find(database, body.trip);
    if (!trip?.on_sale) throw bad('no such trip');
    const date = read.strictDay(body.date);
    const email = read.address(body.email);
    if (!date || !email) throw bad('no such day or address');
    if (!Number.isInteger(body.people) || body.people < 1 || body.people > trip.max_party) throw bad('no such party');
    if (body.pay !== 'full' && body.pay !== 'deposit') throw bad('no such way to pay');
    const total = quote(trip, body.people);
    const hundredths = total * trip.deposit_percent;
    const deposit = (hundredths - (hundredths % 100)) / 100 + (hundredths % 100 ? 1 : 0);
    return {
      request_id: body.request_id, trip, date, people: body.people, name: read.guest(body.name), email, total,
      due: body.pay === 'full' ? total : deposit, card: body.payment_method,
    };
  }

  async function purchase(wanted) {
    database.prepare(`INSERT OR IGNORE INTO web_bookings
      (request_id, trip, date, people, name, email, currency, total, due) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
      wanted.request_id, wanted.trip.code, wanted.date, wanted.people, wanted.name, wanted.email, wanted.trip.currency,
      wanted.total, wanted.due,
    );
    const attempt = one(database, 'SELECT * FROM web_bookings WHERE request_id = ?', wanted.request_id);
    if (attempt.state === 'done') {
      const charge = attempt.charge && (await chargesOf([attempt.charge])).get(attempt.charge);
      return { status: 200, body: view(attempt, charge) };
    }
    if (attempt.state === 'refused') return JSON.parse(attempt.answer);
    try {
      const paid = await pay(attempt, wanted.card);
      database.prepare("UPDATE web_bookings SET state = 'done', payment = ?, charge = ? WHERE id = ?")
        .run(paid.id, paid.latest_charge || null, attempt.id);
      return { status: 201, body: view(row(attempt.id)) };
    } catch (error) {
      if (!(error instanceof StripeTrouble) || !error.answer) throw error instanceof StripeTrouble ? away() : error;
      const answer = { status: error.answer.status, body: { error: error.answer.error } };
      database.prepare("UPDATE web_bookings SET state = 'refused', answer = ? WHERE id = ?").run(JSON.stringify(answer), attempt.id);
      return answer;
    }
  }

  /** Make the intent, confirm it; whatever was made for a refused card is taken away before the refusal is thrown. */
  async function pay(attempt, card) {
    const key = (step) => `${step}-${attempt.request_id}`;
    const metadata = { booking: String(attempt.id), trip: attempt.trip };
    const kind = attempt.due ? 'payment_intents' : 'setup_intents';
    const undo = [];
    try {
      let customer;
      if (attempt.due < attempt.total) {
        const found = await stripe.get('customers', { email: attempt.email, limit: 1 });
        customer = found.data[0]?.id;
        if (!customer) {
          customer = (await stripe.post('customers', { email: attempt.email, name: attempt.name }, key('customer'))).id;
          undo.push(() => stripe.remove(`customers/${customer}`));
        }
      }
      const made = await stripe.post(kind, {
        customer, metadata, payment_method_types: { 0: 'card' },
        ...(attempt.due ? { amount: attempt.due, currency: attempt.currency } : { usage: 'off_session' }),
        ...(attempt.due && customer && { setup_future_usage: 'off_session' }),
      }, key(kind));
      undo.unshift(() => stripe.post(`${kind}/${made.id}/cancel`, {}, key('cancel')));
      const done = await stripe.post(`${kind}/${made.id}/confirm`, { payment_method: card }, key('confirm'));
      if (done.status === 'succeeded') return done;
      throw new StripeTrouble(402, { code: 'authentication_required', message: 'The bank wants a confirmation.' });
    } catch (error) {
      if (!(error instanceof StripeTrouble) || ![400, 402, 404].includes(error.status)) throw error;
      for (const step of undo) await step();
      const { code, decline_code: reason, message } = error.stripe;
      error.answer = error.status !== 402
        ? { status: 400, error: { code: 'invalid_request', message } }
        : code === 'authentication_required'
          ? { status: 402, error: { code, message } }
          : { status: 402, error: { code: 'card_declined', decline_code: reason || code, message } };
      throw error;
    }
  }

  /** The charges with these ids, from the account's whole list. */
  async function chargesOf(ids) {
    const wanted = new Set(ids);
    const found = new Map();
    let after;
    try {
      while (found.size < wanted.size) {
        const page = await stripe.get('charges', { limit: 100, starting_after: after });
        for (const charge of page.data) if (wanted.has(charge.id)) found.set(charge.id, charge);
        if (!page.has_more) break;
        after = page.data.at(-1).id;
      }
    } catch (error) {
      throw error instanceof StripeTrouble ? away() : error;
    }
    return found;
  }

  return routes;
}

function view(booking, charge) {
  const refunded = charge ? charge.amount_refunded : 0;
  const disputed = Boolean(charge && charge.disputed);
  const all = booking.due > 0 && refunded >= booking.due;
  const made = booking.due === 0 ? 'card_saved' : booking.due === booking.total ? 'paid' : 'deposit_paid';
  return {
    id: String(booking.id), source: 'web', ref: null, trip: booking.trip, date: booking.date, people: booking.people,
    name: booking.name, email: booking.email, currency: booking.currency, total: booking.total, paid: booking.due, refunded,
    status: disputed ? 'disputed' : all ? 'refunded' : made, refundable: booking.due > 0 && !all && !disputed, remark: null,
  };
}

module.exports = { bookingRoutes };
