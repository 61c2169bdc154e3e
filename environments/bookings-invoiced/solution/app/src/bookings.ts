// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-32bf3d13a344: keep out of training data
// Buying seats, and looking at a booking.

import { createHash } from 'node:crypto';
import { one, transaction, type Database, type Queryable, type Row } from './database.ts';
import { isoDay } from './days.ts';
import { Problem } from './errors.ts';
import { customerOf } from './guests.ts';
import { stateOf } from './migration.ts';
import { isCurrency, type Currency } from './money.ts';
import * as prices from './prices.ts';
import * as sessions from './sessions.ts';
import type { Session } from './sessions.ts';
import { Refused, type Billing } from './stripe.ts';
import * as tidy from './tidy.ts';

const DAYS_TO_PAY = 14;
const COLUMNS = [
  'ref', 'source', 'session', 'night', 'guest', 'email', 'seats', 'currency', 'amount', 'state', 'stripe_customer',
  'stripe_invoice',
];

interface Wanted {
  requestId: string;
  session: Session;
  night: string;
  seats: number;
  currency: Currency;
  each: { amount: number; stripe_price: string };
  guest: string;
  email: string;
  card: string | null;
}

export function createBookings({ database, billing }: { database: Database; billing: Billing }) {
  /** Book what the page asks for; `made` is false when it had been booked before. */
  async function book(request: unknown): Promise<{ booking: Row; made: boolean }> {
    const wanted = await understand(database, request);
    return transaction(database, async (work) => {
      // One request_id at a time, and one e-mail address, whichever process it comes to.
      await work.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`booking ${wanted.email}`]);
      await work.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`request ${wanted.requestId}`]);
      const earlier = await one(work, 'SELECT * FROM bookings WHERE request_id = $1', [wanted.requestId]);
      if (earlier) return { booking: await shown(work, earlier), made: false };
      return { booking: await buy(work, wanted), made: true };
    });
  }

  async function buy(work: Queryable, wanted: Wanted): Promise<Row> {
    const key = createHash('sha256').update(wanted.requestId).digest('hex');
    const ref = `WEB-${key.slice(0, 12)}`;
    const customer = await customerOf(work, billing, wanted);
    const card = wanted.card && await unlessRefused(() => billing.keepCard(key, wanted.card!, customer));
    const draft = await billing.draft({
      key,
      ref,
      customer,
      currency: wanted.currency,
      description: `${wanted.session.name}, ${wanted.night}`,
      ...(!card && { days: DAYS_TO_PAY }),
    });
    await billing.addSeats(key, draft, wanted.each.stripe_price, wanted.seats);
    let invoice = await billing.finalize(key, draft.id!);
    if (card) {
      invoice = await unlessRefused(() => billing.payByCard(key, invoice.id!, card), async () => {
        await billing.voidInvoice(invoice.id!);
        await billing.forgetCard(card);
      });
      await billing.forgetCard(card);
    }
    const row = await one(
      work,
      `INSERT INTO bookings (ref, source, request_id, session, night, booked, guest, email, seats, currency, amount, state,
         stripe_customer, stripe_invoice)
       VALUES ($1, 'web', $2, $3, $4, CURRENT_DATE, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING *`,
      [
        ref, wanted.requestId, wanted.session.code, wanted.night, wanted.guest, wanted.email, wanted.seats, wanted.currency,
        wanted.each.amount * wanted.seats, stateOf(invoice), customer, invoice.id,
      ],
    );
    return view(row!, invoice.hosted_invoice_url ?? null);
  }

  /** A booking as it is at this moment. */
  async function find(ref: string): Promise<Row> {
    const row = await one(database, 'SELECT * FROM bookings WHERE ref = $1', [ref]);
    if (!row) throw new Problem(404, 'not_found', 'There is no such booking.');
    return shown(database, row);
  }

  async function shown(work: Queryable, row: Row): Promise<Row> {
    if (!row.stripe_invoice) return view(row, null);
    const invoice = await billing.invoice(String(row.stripe_invoice));
    const state = stateOf(invoice);
    if (state !== row.state) await work.query('UPDATE bookings SET state = $2 WHERE ref = $1', [row.ref, state]);
    return view({ ...row, state }, invoice.hosted_invoice_url ?? null);
  }

  return { book, find };
}

/** Do something that the bank may refuse, and leave nothing behind when it does. */
async function unlessRefused<T>(ask: () => Promise<T>, undo: () => Promise<void> = async () => {}): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    await undo();
    throw error.problem;
  }
}

/** What the page asks for, checked and priced by us; throws a Problem before anything reaches Stripe. */
async function understand(database: Database, request: unknown): Promise<Wanted> {
  const given = (request && typeof request === 'object' ? request : {}) as Record<string, unknown>;
  const text = (field: string): string => {
    const value = given[field];
    if (typeof value !== 'string' || !value.trim()) throw wrong(`We need ${field}.`);
    return value;
  };
  const requestId = text('request_id');
  const session = await sessions.find(database, text('session'));
  if (!session?.on_offer) throw wrong('There is no such session.');
  const night = isoDay(text('night'));
  if (!night) throw wrong('There is no such day.');
  const { seats } = given;
  if (typeof seats !== 'number' || !Number.isInteger(seats) || seats < 1 || seats > session.seats) {
    throw wrong(`One booking has 1 to ${session.seats} seats.`);
  }
  const currency = text('currency');
  const each = isCurrency(currency) ? await prices.ofToday(database, session.code, currency) : null;
  if (!isCurrency(currency) || !each) throw wrong('We do not sell it in this currency.');
  const guest = tidy.spaced(text('guest'));
  const email = tidy.email(text('email'));
  if (!email) throw wrong('This is no e-mail address.');
  const pay = text('pay');
  if (pay !== 'card' && pay !== 'invoice') throw wrong('One pays by card or by invoice.');
  const card = pay === 'card' ? text('payment_method') : null;
  return { requestId, session, night, seats, currency, each, guest, email, card };
}

const wrong = (message: string): Problem => new Problem(400, 'invalid_request', message);

function view(row: Row, invoiceUrl: string | null): Row {
  return { ...Object.fromEntries(COLUMNS.map((column) => [column, row[column]])), invoice_url: invoiceUrl };
}
