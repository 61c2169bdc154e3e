import { Router } from 'express';
import { randomUUID } from 'node:crypto';
import type { Parts } from '../app.ts';
import { one, type Row } from '../database.ts';
import { isoDay } from '../days.ts';
import { Problem } from '../errors.ts';
import { officeOnly } from '../office.ts';
import { customer } from '../people.ts';
import { address, squeeze } from '../reading.ts';
import * as sessions from '../sessions.ts';
import { Stripe, StripeError, Unreachable, type Thing } from '../stripe-http.ts';

const SHOWN = `ref, source, session, night, guest, email, seats, currency, amount, state, stripe_customer, stripe_invoice`;
const STATES: Record<string, string> = { paid: 'paid', open: 'open', draft: 'open' };

export function bookingRoutes({ config, database }: Parts): Router {
  const routes = Router();
  const stripe = new Stripe(config.stripeSecretKey);
  let turn: Promise<unknown> = Promise.resolve();

  routes.post('/bookings', async (request, response) => {
    const mine = turn.then(() => buy(request.body ?? {}));
    turn = mine.catch(() => {});
    response.status(201).json(await mine);
  });

  routes.get('/bookings/:ref', officeOnly(config), async (request, response) => {
    const row = await one(database, `SELECT ${SHOWN} FROM bookings WHERE ref = $1`, [request.params.ref]);
    if (!row) throw new Problem(404, 'not_found', 'No such booking.');
    response.json(await fresh(row));
  });

  async function fresh(row: Row): Promise<Row> {
    if (!row.stripe_invoice) return { ...row, invoice_url: null };
    const invoice = await reach(() => stripe.ask('GET', `invoices/${row.stripe_invoice}`));
    return { ...row, state: STATES[invoice.status] ?? 'cancelled', invoice_url: invoice.hosted_invoice_url };
  }

  async function reach<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Unreachable) throw new Problem(502, 'stripe_unavailable', 'Try again in a moment.');
      throw error;
    }
  }

  async function buy(body: Row): Promise<Row> {
    const refuse = (message: string): never => {
      throw new Problem(400, 'invalid_request', message);
    };
    const word = (name: string): string => {
      const value = body[name];
      return typeof value === 'string' && value.trim() ? value : refuse(`${name} is missing`);
    };
    const [id, code, night, currency] = [word('request_id'), word('session'), isoDay(word('night')), word('currency')];
    const guest = squeeze(word('guest'));
    const email = address(word('email')) ?? refuse('no e-mail address');
    const seats = Number.isInteger(body.seats) ? Number(body.seats) : 0;
    const card = { card: () => word('payment_method'), invoice: () => null }[word('pay')] ?? refuse('card or invoice');
    const method = card();
    const session = await sessions.find(database, code);
    if (!session?.on_offer) return refuse('no such session');
    if (!night) return refuse('no such day');
    if (seats < 1 || seats > session.seats) return refuse('how many seats?');
    const earlier = await one(database, `SELECT ${SHOWN} FROM bookings WHERE request_id = $1`, [id]);
    if (earlier) return fresh(earlier);
    if (!['eur', 'gbp', 'chf', 'jpy'].includes(currency)) return refuse('no such currency');
    return reach(async () => {
      const lookup = `${session.code}-${currency}`.toLowerCase();
      const [price] = (await stripe.ask('GET', 'prices', { lookup_keys: [lookup], active: true })).data;
      if (!price) return refuse('not sold in this currency');
      return pay({ id, session: session.code, night, guest, email, seats, currency, method, price });
    });
  }

  async function pay(want: Thing): Promise<Row> {
    const { id, price } = want;
    const step = (name: string, path: string, fields: Thing): Promise<Thing> => stripe.step(database, `${name} of ${id}`, path, fields);
    const ref = (await one<{ answer: { ref: string } }>(
      database,
      `INSERT INTO steps (name, answer) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING answer`,
      [`ref of ${id}`, { ref: `W-${randomUUID()}` }],
    ))!.answer.ref;
    const who = await customer(database, stripe, want);
    let invoice: Thing;
    try {
      const kept = want.method && (await step('card', `payment_methods/${want.method}/attach`, { customer: who })).id;
      const terms = kept
        ? { collection_method: 'charge_automatically', default_payment_method: kept }
        : { collection_method: 'send_invoice', days_until_due: 14 };
      invoice = await step('draft', 'invoices', { customer: who, currency: want.currency, ...terms, metadata: { booking: ref } });
      await step('line', `invoices/${invoice.id}/add_lines`, { lines: [{ pricing: { price: price.id }, quantity: want.seats }] });
      invoice = await step('final', `invoices/${invoice.id}/finalize`, { auto_advance: false });
      if (kept) invoice = { ...invoice, ...(await step('payment', `invoices/${invoice.id}/pay`, {})) };
    } catch (error) {
      if (!(error instanceof StripeError) || error.status !== 402) throw error;
      if (invoice) await step('void', `invoices/${invoice.id}/void`, {});
      const code = error.code.includes('requires_action') ? 'authentication_required' : 'card_declined';
      throw new Problem(402, code, error.message, { decline_code: error.declined });
    }
    const row = await one(
      database,
      `INSERT INTO bookings (ref, source, request_id, session, night, guest, email, seats, currency, amount, state, stripe_customer, stripe_invoice)
       VALUES ($1, 'web', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING ${SHOWN}`,
      [
        ref, id, want.session, want.night, want.guest, want.email, want.seats, want.currency, price.unit_amount * want.seats,
        STATES[invoice.status], who, invoice.id,
      ],
    );
    return { ...row!, invoice_url: invoice.hosted_invoice_url };
  }

  return routes;
}
