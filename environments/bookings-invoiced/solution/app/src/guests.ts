// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-07ac5d687bb0: keep out of training data
// Which Stripe customer a guest is.

import { one, type Queryable } from './database.ts';
import type { Billing } from './stripe.ts';

export interface Guest {
  guest: string;
  email: string | null;
}

/** What makes two guests one: the e-mail address, else the name in whatever case. */
export function keyOf({ guest, email }: Guest): string {
  return email ?? `name:${guest.toLowerCase()}`;
}

/** The guest's customer: the one we know, else one that Stripe has, else a new one. */
export async function customerOf(
  database: Queryable, billing: Billing, guest: Guest, byName: Map<string, string> = new Map(),
): Promise<string> {
  const key = keyOf(guest);
  const known = await one<{ stripe_customer: string }>(database, 'SELECT stripe_customer FROM guests WHERE key = $1', [key]);
  if (known) return known.stripe_customer;
  const there = guest.email ? await billing.customerByEmail(guest.email) : byName.get(key);
  const customer = there ?? await billing.createCustomer(key, guest.guest, guest.email);
  await database.query('INSERT INTO guests (key, stripe_customer) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING', [key, customer]);
  return customer;
}
