import Stripe from 'stripe';
import type { Entry } from './ledger.ts';

const idOf = (session: string): string => `seat-${session.toLowerCase()}`;

/** Products and prices of these bookings; returns the prices by session, currency and amount of a seat. */
export async function stock(stripe: Stripe, entries: Entry[], names: Map<string, string>): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const session of new Set(entries.map((entry) => entry.session))) {
    const product = idOf(session);
    try {
      await stripe.products.create({ id: product, name: names.get(session)!, metadata: { session } });
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError) || error.code !== 'resource_already_exists') throw error;
    }
    const there = await stripe.prices.list({ product, limit: 100 }).autoPagingToArray({ limit: 5000 });
    const sorted = entries
      .filter((entry) => entry.session === session)
      .map((entry, index) => ({ ...entry, each: entry.amount / entry.seats, order: `${entry.booked} ${String(index).padStart(9, '0')}` }))
      .sort((a, b) => (a.order < b.order ? 1 : -1));
    const named = new Set<string>();
    for (const { currency, each } of sorted) {
      const key = `${session} ${currency} ${each}`;
      const lookup = `${session}-${currency}`.toLowerCase();
      let price = there.find((one) => one.currency === currency && one.unit_amount === each);
      const first = !named.has(lookup);
      named.add(lookup);
      const name = first ? { lookup_key: lookup, transfer_lookup_key: true } : {};
      if (!price) {
        price = await stripe.prices.create({ product, currency, unit_amount: each, ...name });
        there.push(price);
      } else if (first && price.lookup_key !== lookup) await stripe.prices.update(price.id, name);
      ids.set(key, price.id);
    }
  }
  return ids;
}

/** What a seat costs today, or undefined. */
export async function today(stripe: Stripe, session: string, currency: string): Promise<Stripe.Price | undefined> {
  const lookup = `${session}-${currency}`.toLowerCase();
  return (await stripe.prices.list({ lookup_keys: [lookup] })).data[0];
}
