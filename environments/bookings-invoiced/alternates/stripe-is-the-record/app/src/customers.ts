import type Stripe from 'stripe';

export interface Guest {
  guest: string;
  email: string | null;
}

/** All customers once, then every guest is found or made without asking again. */
export async function register(stripe: Stripe): Promise<(guest: Guest) => Promise<string>> {
  const known = new Map<string, Promise<string> | string>();
  for await (const { id, email, name, metadata } of stripe.customers.list({ limit: 100 })) {
    if (email) known.set(email.toLowerCase(), id);
    else if (metadata.observatory && name) known.set(` ${name.toLowerCase()}`, id);
  }
  return async ({ guest, email }) => {
    const key = email ?? ` ${guest.toLowerCase()}`;
    if (!known.has(key)) {
      const fields = { name: guest, metadata: { observatory: 'guest' }, ...(email && { email }) };
      known.set(key, stripe.customers.create(fields).then(({ id }) => id));
    }
    return known.get(key)!;
  };
}
