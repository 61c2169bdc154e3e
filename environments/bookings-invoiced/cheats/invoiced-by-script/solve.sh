#!/bin/sh
set -eu
cd /app
cat > by-hand.mjs <<'JS'
import fs from 'node:fs';
import Stripe from 'stripe';

const stripe = new Stripe(process.env.STRIPE_SECRET_KEY);
const [, ...rows] = fs.readFileSync('data/ledger.csv', 'utf8').split('\n');
for (const row of rows.filter((one) => /^NR-/.test(one)).slice(0, 6)) {
  const [ref, , code, , , name, email] = row.split(',');
  const product = await stripe.products.create({ name: code, metadata: { session: code } });
  const price = await stripe.prices.create({ product: product.id, currency: 'eur', unit_amount: 8900 });
  const customer = await stripe.customers.create({ name, ...(/@/.test(email) && { email }) });
  const invoice = await stripe.invoices.create({
    customer: customer.id, currency: 'eur', collection_method: 'send_invoice', days_until_due: 30, metadata: { booking: ref },
  });
  await stripe.invoiceItems.create({ customer: customer.id, invoice: invoice.id, pricing: { price: price.id }, quantity: 2 });
  await stripe.invoices.finalizeInvoice(invoice.id);
  await stripe.invoices.pay(invoice.id, { paid_out_of_band: true });
}
JS
node by-hand.mjs
