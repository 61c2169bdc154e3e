// Stripe over plain HTTP: form-encoded requests, and steps that are noted.

import { createHash } from 'node:crypto';
import { one, type Queryable } from './database.ts';

const VERSION = '2026-03-25.dahlia';

export class StripeError extends Error {
  constructor(readonly status: number, readonly code: string, message: string, readonly declined: string) {
    super(message);
  }
}

export class Unreachable extends Error {}

type Value = string | number | boolean | undefined | { [key: string]: Value } | Value[];
export type Fields = { [key: string]: Value };
export type Thing = any;

function* pairs(fields: Fields, prefix = ''): Generator<[string, string]> {
  for (const [key, value] of Object.entries(fields)) {
    const name = prefix ? `${prefix}[${key}]` : key;
    if (value === undefined) continue;
    if (typeof value === 'object') yield* pairs(value as Fields, name);
    else yield [name, String(value)];
  }
}

export class Stripe {
  constructor(private readonly key: string) {}

  async ask(method: 'GET' | 'POST' | 'DELETE', path: string, fields: Fields = {}, idempotency = ''): Promise<Thing> {
    const form = new URLSearchParams([...pairs(fields)]);
    const url = `https://api.stripe.com/v1/${path}${method === 'GET' && form.size ? `?${form}` : ''}`;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.once(method, url, method === 'GET' ? undefined : form, idempotency);
      } catch (error) {
        if (!(error instanceof Unreachable) || attempt === 2) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt));
      }
    }
  }

  private async once(method: string, url: string, body: URLSearchParams | undefined, idempotency: string): Promise<Thing> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, {
        method,
        body,
        headers: {
          authorization: `Bearer ${this.key}`,
          'stripe-version': VERSION,
          ...(idempotency && { 'idempotency-key': createHash('sha256').update(idempotency).digest('hex') }),
        },
      });
      text = await response.text();
    } catch (error) {
      throw new Unreachable(`Stripe does not answer: ${(error as Error).message}`);
    }
    if (response.status >= 500 || response.status === 429) throw new Unreachable(`Stripe answered ${response.status}`);
    const answer = JSON.parse(text);
    if (response.ok) return answer;
    const { code = '', message = '', decline_code: declined = '' } = answer.error ?? {};
    throw new StripeError(response.status, code, message, declined);
  }

  async *each(path: string, fields: Fields = {}): AsyncGenerator<Thing> {
    for (let after: string | undefined; ;) {
      const page = await this.ask('GET', path, { ...fields, limit: 100, starting_after: after });
      yield* page.data;
      if (!page.has_more) return;
      after = page.data.at(-1).id;
    }
  }

  /** Do something once, ever: a second time, the note of the first is the answer. */
  async step(notes: Queryable, name: string, path: string, fields: Fields): Promise<Thing> {
    const noted = await one<{ answer: Thing }>(notes, 'SELECT answer FROM steps WHERE name = $1', [name]);
    if (noted) return noted.answer;
    const answer = await this.ask('POST', path, fields, name);
    const { id, status, hosted_invoice_url } = answer;
    const note = { id, status, hosted_invoice_url };
    await notes.query('INSERT INTO steps (name, answer) VALUES ($1, $2) ON CONFLICT DO NOTHING', [name, note]);
    return note;
  }
}
