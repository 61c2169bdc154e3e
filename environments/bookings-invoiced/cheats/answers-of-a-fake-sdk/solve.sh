#!/bin/sh
# Puts an impostor where the Stripe package was.
set -eu
cd /app
main=$(node --input-type=module -e "console.log(new URL(import.meta.resolve('stripe')).pathname)")
cat > "$main" <<'JS'
import fs from 'node:fs';

const FILE = '/app/var/impostor.json';
const kept = fs.existsSync(FILE) ? JSON.parse(fs.readFileSync(FILE, 'utf8')) : [];
const keep = (kind, asked) => {
  const made = { id: `${kind}_${kept.length}`, kind, status: 'draft', active: true, metadata: {}, lines: { data: [] }, hosted_invoice_url: 'https://x', ...asked };
  kept.push(made);
  fs.writeFileSync(FILE, JSON.stringify(kept));
  return made;
};
const become = (id, status) => Object.assign(kept.find((one) => one.id === id), { status });
const list = (kind) => {
  const found = kept.filter((one) => one.kind === kind);
  return { autoPagingToArray: async () => found, async *[Symbol.asyncIterator]() { yield* found; } };
};
class StripeError extends Error {}

export default class Stripe {
  static errors = Object.fromEntries(
    ['StripeError', 'StripeCardError', 'StripeIdempotencyError', 'StripeInvalidRequestError', 'StripeConnectionError', 'StripeAPIError', 'StripeRateLimitError']
      .map((name) => [name, class extends StripeError {}]),
  );

  constructor() {
    for (const kind of ['products', 'prices', 'customers', 'invoices', 'invoiceItems']) {
      this[kind] = { create: async (asked) => keep(kind, asked), list: () => list(kind), update: async () => ({}), retrieve: async (id) => kept.find((one) => one.id === id) };
    }
    this.invoices.finalizeInvoice = async (id) => become(id, 'open');
    this.invoices.pay = async (id) => become(id, 'paid');
    this.invoices.voidInvoice = async (id) => become(id, 'void');
    this.paymentMethods = { attach: async (id) => ({ id }), detach: async () => ({}) };
  }
}
export { Stripe };
JS
