import { one, type Queryable } from './database.ts';
import { Stripe } from './stripe-http.ts';

/** The Stripe customer of a guest: noted, or there already, or new. */
export async function customer(notes: Queryable, stripe: Stripe, { guest, email }: { guest: string; email: string | null }): Promise<string> {
  const name = `customer ${email ?? `? ${guest.toLowerCase()}`}`;
  const noted = await one<{ answer: { id: string } }>(notes, 'SELECT answer FROM steps WHERE name = $1', [name]);
  if (noted) return noted.answer.id;
  if (email) {
    for await (const found of stripe.each('customers', { email })) {
      await notes.query('INSERT INTO steps (name, answer) VALUES ($1, $2)', [name, { id: found.id }]);
      return found.id;
    }
  }
  return (await stripe.step(notes, name, 'customers', { name: guest, email: email ?? undefined })).id;
}
