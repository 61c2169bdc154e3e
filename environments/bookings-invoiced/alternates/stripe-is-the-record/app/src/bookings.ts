import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import { today } from './catalogue.ts';
import { one, type Database, type Row } from './database.ts';
import { isoDay } from './days.ts';
import { Problem } from './errors.ts';
import { stateOf } from './migration.ts';
import { isCurrency } from './money.ts';
import * as sessions from './sessions.ts';
import { problemOf } from './stripe.ts';
import * as tidy from './tidy.ts';

type Booked = { booking: Row; made: boolean };

const check: (fine: unknown, message: string) => asserts fine = (fine, message) => {
  if (!fine) throw new Problem(400, 'invalid_request', message);
};

export function createBookings({ database, billing: stripe }: { database: Database; billing: Stripe }) {
  const running = new Map<string, Promise<Booked>>();

  function book(request: Record<string, unknown>): Promise<Booked> {
    const id = String(request?.request_id ?? '');
    const before = running.get(id);
    if (before) return before.then(({ booking }) => ({ booking, made: false }));
    const mine = attempt(request ?? {}).catch((error) => {
      throw problemOf(error);
    }).finally(() => running.delete(id));
    running.set(id, mine);
    return mine;
  }

  async function attempt(request: Record<string, unknown>): Promise<Booked> {
    for (const field of ['request_id', 'session', 'night', 'currency', 'guest', 'email', 'pay']) {
      check(typeof request[field] === 'string' && request[field].trim(), `${field} is missing`);
    }
    const given = request as Record<string, string>;
    const { seats } = request;
    const session = await sessions.find(database, given.session);
    check(session?.on_offer, 'no such session');
    check(isoDay(given.night), 'no such day');
    check(typeof seats === 'number' && Number.isInteger(seats) && seats >= 1 && seats <= session.seats, 'seats');
    check(isCurrency(given.currency), 'no such currency');
    const email = tidy.email(given.email);
    check(email, 'no such address');
    check(['card', 'invoice'].includes(given.pay), 'card or invoice');
    check(given.pay === 'invoice' || (typeof given.payment_method === 'string' && given.payment_method), 'no card');
    const price = await today(stripe, session.code, given.currency);
    check(price, 'never sold in this currency');

    const booked = await one(database, 'SELECT * FROM bookings WHERE request_id = $1', [given.request_id]);
    if (booked) return { booking: await fresh(booked), made: false };
    await database.query('INSERT INTO attempts (request_id, ref) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      given.request_id, `WEB${randomBytes(8).toString('hex')}`,
    ]);
    const { ref } = (await one<{ ref: string }>(database, 'SELECT ref FROM attempts WHERE request_id = $1', [given.request_id]))!;
    const guest = tidy.spaced(given.guest);
    const customer = (await stripe.customers.list({ email })).data[0] ?? await stripe.customers.create({ email, name: guest });
    const invoice = await settled(customer.id, ref, given, price.id, seats);
    const row = await one(
      database,
      `INSERT INTO bookings (ref, source, request_id, session, night, booked, guest, email, seats, currency, amount, state, stripe_customer,
         stripe_invoice)
       VALUES ($1, 'web', $2, $3, $4, CURRENT_DATE, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING *`,
      [
        ref, given.request_id, session.code, given.night, guest, email, seats, given.currency, price.unit_amount! * seats,
        stateOf(invoice.status), customer.id, invoice.id,
      ],
    );
    return { booking: shown(row!, invoice), made: true };
  }

  /** The invoice of an attempt, as far as an earlier try brought it and then to its end. */
  async function settled(customer: string, ref: string, given: Record<string, string>, price: string, quantity: number): Promise<Stripe.Invoice> {
    const mine = await stripe.invoices.list({ customer, limit: 100 }).autoPagingToArray({ limit: 5000 });
    let invoice = mine.find(({ metadata, status }) => metadata?.booking === ref && status !== 'void');
    if (invoice?.status === 'draft') {
      await stripe.invoices.del(invoice.id!);
      invoice = undefined;
    }
    if (!invoice) {
      const byCard = given.pay === 'card';
      const draft = await stripe.invoices.create({
        customer,
        currency: given.currency,
        metadata: { booking: ref },
        ...(byCard ? { collection_method: 'charge_automatically', auto_advance: false } : { collection_method: 'send_invoice', days_until_due: 14 }),
      });
      await stripe.invoiceItems.create({ customer, invoice: draft.id, pricing: { price }, quantity });
      invoice = await stripe.invoices.finalizeInvoice(draft.id!);
    }
    if (given.pay !== 'card' || invoice.status === 'paid') return invoice;
    try {
      const card = await stripe.paymentMethods.attach(given.payment_method, { customer });
      return await stripe.invoices.pay(invoice.id!, { payment_method: card.id });
    } catch (error) {
      if ((problemOf(error) as Problem).status !== 502) await stripe.invoices.voidInvoice(invoice.id!);
      throw error;
    }
  }

  async function find(ref: string): Promise<Row> {
    const row = await one(database, 'SELECT * FROM bookings WHERE ref = $1', [ref]);
    if (!row) throw new Problem(404, 'not_found', 'There is no such booking.');
    return fresh(row);
  }

  async function fresh(row: Row): Promise<Row> {
    return shown(row, row.stripe_invoice ? await stripe.invoices.retrieve(String(row.stripe_invoice)) : null);
  }

  return { book, find };
}

function shown({ request_id, booked, ...row }: Row, invoice: Stripe.Invoice | null): Row {
  return { ...row, ...(invoice && { state: stateOf(invoice.status) }), invoice_url: invoice?.hosted_invoice_url ?? null };
}
