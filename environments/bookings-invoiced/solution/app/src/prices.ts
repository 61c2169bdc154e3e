// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-dd9db6baf015: keep out of training data
// What a seat costs, in our database and as Stripe's prices.

import { one, transaction, type Database, type Queryable } from './database.ts';
import type { Entry } from './ledger.ts';
import type { Billing } from './stripe.ts';

interface SeatPrice {
  session: string;
  currency: string;
  amount: number;
  today: boolean;
}

const keyOf = (session: string, currency: string, amount: number): string => `${session}/${currency}/${amount}`;
export const lookupKey = (session: string, currency: string): string => `${session}-${currency}`.toLowerCase();

/** Every price of a seat that the bookings know. Today's is that of the latest booking. */
export function derive(entries: Entry[]): SeatPrice[] {
  const found = new Map<string, SeatPrice>();
  const latest = new Map<string, { booked: string; price: SeatPrice }>();
  for (const { session, currency, amount, seats, booked } of entries) {
    const each = amount / seats;
    const price = found.get(keyOf(session, currency, each)) ?? { session, currency, amount: each, today: false };
    found.set(keyOf(session, currency, each), price);
    const best = latest.get(lookupKey(session, currency));
    if (!best || booked >= best.booked) latest.set(lookupKey(session, currency), { booked, price });
  }
  for (const { price } of latest.values()) price.today = true;
  return [...found.values()];
}

/** Bring the prices into Stripe and into the database; returns a function that finds the price of a booking. */
export async function bring(
  database: Database, billing: Billing, entries: Entry[], names: Map<string, string>,
): Promise<(entry: Entry) => string> {
  const wanted = derive(entries);
  const products = await billing.products();
  const ids = new Map<string, string>();
  for (const session of new Set(wanted.map((price) => price.session))) {
    const product = products.get(session) ?? await billing.createProduct(session, names.get(session)!);
    const there = await billing.prices(product);
    for (const { currency, amount, today } of wanted.filter((price) => price.session === session)) {
      const price = there.find((one) => one.active && one.currency === currency && one.unit_amount === amount)
        ?? await billing.createPrice(product, currency, amount);
      ids.set(keyOf(session, currency, amount), price.id);
      const key = lookupKey(session, currency);
      if (today && price.lookup_key !== key) await billing.nameLookup(price.id, key);
    }
  }
  await transaction(database, async (work) => {
    for (const { session, currency, amount, today } of wanted) {
      if (today) await work.query('UPDATE seat_prices SET today = false WHERE session = $1 AND currency = $2', [session, currency]);
      await work.query(
        `INSERT INTO seat_prices (session, currency, amount, today, stripe_price) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (session, currency, amount) DO UPDATE SET today = excluded.today, stripe_price = excluded.stripe_price`,
        [session, currency, amount, today, ids.get(keyOf(session, currency, amount))],
      );
    }
  });
  return ({ session, currency, amount, seats }) => ids.get(keyOf(session, currency, amount / seats))!;
}

/** What a seat costs today in a currency, or null when none was ever sold in it. */
export function ofToday(database: Queryable, session: string, currency: string) {
  return one<{ amount: number; stripe_price: string }>(
    database,
    'SELECT amount, stripe_price FROM seat_prices WHERE session = $1 AND currency = $2 AND today',
    [session, currency],
  );
}
