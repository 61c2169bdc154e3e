import type Stripe from 'stripe';
import { stock } from './catalogue.ts';
import { register } from './customers.ts';
import { all, transaction, type Database } from './database.ts';
import { read, type Entry, type Report, type State } from './ledger.ts';
import type { Session } from './sessions.ts';

const STATES: Record<string, State> = { paid: 'paid', open: 'open' };
export const stateOf = (status: string | null): State => STATES[status ?? ''] ?? 'cancelled';

export async function migrate({ database, billing: stripe, text }: { database: Database; billing: Stripe; text: string }): Promise<Report> {
  const sessions = await all<Session>(database, 'SELECT code, name FROM sessions');
  const { entries, report } = read(text, sessions);
  const names = new Map(sessions.map(({ code, name }) => [code, name]));
  const live = entries.filter(({ state }) => state !== 'cancelled');
  const customerOf = await register(stripe);
  const prices = await stock(stripe, live, names);

  const found = new Map<string, Stripe.Invoice>();
  for await (const invoice of stripe.invoices.list({ limit: 100 })) {
    const ref = invoice.metadata?.booking;
    if (!ref?.startsWith('NR-')) continue;
    if (invoice.status === 'draft') await stripe.invoices.del(invoice.id!);
    else found.set(ref, invoice);
  }

  const lines: [Entry, Stripe.Invoice | undefined][] = [];
  for (const entry of entries) {
    let invoice = found.get(entry.ref);
    if (!invoice && entry.state !== 'cancelled') {
      const price = prices.get(`${entry.session} ${entry.currency} ${entry.amount / entry.seats}`)!;
      invoice = await bill(stripe, entry, await customerOf(entry), price);
    }
    if (invoice?.status === 'open' && entry.state === 'paid') invoice = await stripe.invoices.pay(invoice.id!, { paid_out_of_band: true });
    if (invoice?.status === 'open' && entry.state === 'cancelled') invoice = await stripe.invoices.voidInvoice(invoice.id!);
    lines.push([entry, invoice]);
  }

  await transaction(database, async (work) => {
    for (const [entry, invoice] of lines) {
      await work.query('DELETE FROM bookings WHERE ref = $1', [entry.ref]);
      await work.query(
        `INSERT INTO bookings (ref, source, session, night, booked, guest, email, seats, currency, amount, state, stripe_customer, stripe_invoice)
         VALUES ($1, 'ledger', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
        [
          entry.ref, entry.session, entry.night, entry.booked, entry.guest, entry.email, entry.seats, entry.currency, entry.amount,
          invoice ? stateOf(invoice.status) : entry.state, invoice?.customer ?? null, invoice?.id ?? null,
        ],
      );
    }
  });
  return report;
}

async function bill(stripe: Stripe, entry: Entry, customer: string, price: string): Promise<Stripe.Invoice> {
  const [year, month, day] = entry.booked.split('-').map(Number);
  const draft = await stripe.invoices.create({
    customer,
    currency: entry.currency,
    effective_at: Date.UTC(year, month - 1, day) / 1000,
    metadata: { booking: entry.ref },
    auto_advance: false,
    ...(entry.state === 'open' ? { collection_method: 'send_invoice', days_until_due: 30 } : { collection_method: 'charge_automatically' }),
  });
  await stripe.invoices.addLines(draft.id!, { lines: [{ pricing: { price }, quantity: entry.seats }] });
  return stripe.invoices.finalizeInvoice(draft.id!, { auto_advance: false });
}
