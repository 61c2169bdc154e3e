// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-35094d1b25a4: keep out of training data
// The ledger into the database and into Stripe. Every step first looks for what an earlier run has left, so that it
// can stop anywhere and be run again.

import { all, transaction, type Database, type Queryable } from './database.ts';
import { customerOf, keyOf } from './guests.ts';
import * as ledger from './ledger.ts';
import type { Entry, Report, State } from './ledger.ts';
import * as prices from './prices.ts';
import type { Session } from './sessions.ts';
import type { Billing } from './stripe.ts';

const AT_ONCE = 4;
const DAYS_TO_PAY = 30;

type Invoice = Awaited<ReturnType<Billing['invoice']>>;

export async function migrate({ database, billing, text }: { database: Database; billing: Billing; text: string }): Promise<Report> {
  const sessions = await all<Session>(database, 'SELECT code, name FROM sessions ORDER BY code');
  const { entries, report } = ledger.read(text, sessions);
  await transaction(database, async (work) => {
    for (const entry of entries) await note(work, entry);
  });

  const names = new Map(sessions.map(({ code, name }) => [code, name]));
  const billed = entries.filter((entry) => entry.state !== 'cancelled');
  const priceOf = await prices.bring(database, billing, billed, names);
  const customers = await bringCustomers(database, billing, billed);
  const invoices = await billing.invoices();

  const todo = [...entries];
  const work = async (): Promise<void> => {
    for (let entry = todo.shift(); entry; entry = todo.shift()) {
      let invoice = invoices.get(entry.ref);
      if (!invoice && entry.state === 'cancelled') continue;
      const customer = customers.get(keyOf(entry)) ?? String(invoice?.customer);
      invoice ??= await billing.draft({
        key: entry.ref,
        ref: entry.ref,
        customer,
        currency: entry.currency,
        description: `${names.get(entry.session)}, ${entry.night}`,
        days: DAYS_TO_PAY,
        from: Date.parse(`${entry.booked}T00:00:00Z`) / 1000,
      });
      const state = await settle(billing, invoice, entry, priceOf);
      await database.query(
        'UPDATE bookings SET state = $2, stripe_customer = $3, stripe_invoice = $4 WHERE ref = $1',
        [entry.ref, state, customer, invoice.id],
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return report;
}

/** Write a booking down as the ledger has it. */
async function note(work: Queryable, entry: Entry): Promise<void> {
  await work.query(
    `INSERT INTO bookings (ref, source, session, night, booked, guest, email, seats, currency, amount, state)
     VALUES ($1, 'ledger', $2, $3, $4, $5, $6, $7, $8, $9, $10)
     ON CONFLICT (ref) DO UPDATE SET session = excluded.session, night = excluded.night, booked = excluded.booked,
       guest = excluded.guest, email = excluded.email, seats = excluded.seats, currency = excluded.currency,
       amount = excluded.amount, state = excluded.state`,
    [
      entry.ref, entry.session, entry.night, entry.booked, entry.guest, entry.email, entry.seats, entry.currency,
      entry.amount, entry.state,
    ],
  );
}

async function bringCustomers(database: Database, billing: Billing, entries: Entry[]): Promise<Map<string, string>> {
  const byName = await billing.namedCustomers();
  const found = new Map<string, string>();
  for (const entry of entries) {
    const key = keyOf(entry);
    if (!found.has(key)) found.set(key, await customerOf(database, billing, entry, byName));
  }
  return found;
}

/** Take an invoice from wherever it stands to where the ledger has it; returns the state it is then in. */
async function settle(billing: Billing, start: Invoice, entry: Entry, priceOf: (entry: Entry) => string): Promise<State> {
  let invoice = start;
  if (invoice.status === 'draft') {
    if (invoice.lines.data.length === 0) await billing.addSeats(entry.ref, invoice, priceOf(entry), entry.seats);
    invoice = await billing.finalize(entry.ref, invoice.id!);
  }
  if (invoice.status === 'open' && entry.state === 'paid') invoice = await billing.payOutOfBand(invoice.id!);
  if (invoice.status === 'open' && entry.state === 'cancelled') invoice = await billing.voidInvoice(invoice.id!);
  return stateOf(invoice);
}

/** What an invoice's status means for its booking. */
export function stateOf(invoice: Pick<Invoice, 'status'>): State {
  if (invoice.status === 'paid') return 'paid';
  return invoice.status === 'open' || invoice.status === 'draft' ? 'open' : 'cancelled';
}
