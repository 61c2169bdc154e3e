// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-94ead250b13b: keep out of training data
// Lines of invoices, those that were sent and those that are to come.
import Stripe from 'stripe'
import { idOf } from './stripe.ts'

type Prices = Map<string, Stripe.Price>

/** Every line of an invoice, in order. */
export async function linesOf(stripe: Stripe, invoice: Stripe.Invoice) {
  const { data, has_more } = invoice.lines
  const all = has_more ? await stripe.invoices.listLineItems(invoice.id ?? '', { limit: 100 }).autoPagingToArray({ limit: 1000 }) : data
  const prices: Prices = new Map()
  for (const line of all) {
    const id = idOf(line.pricing?.price_details?.price)
    if (id && !prices.has(id)) prices.set(id, await stripe.prices.retrieve(id))
  }
  return all.map((line) => lineOf(line, prices))
}

function lineOf(line: Stripe.InvoiceLineItem, prices: Prices) {
  const price = prices.get(idOf(line.pricing?.price_details?.price) ?? '')
  const ofBench = line.parent?.subscription_item_details
  const details = ofBench ?? line.parent?.invoice_item_details
  return {
    text: line.description,
    kind: ofBench ? 'bench' : 'item',
    amount: line.amount,
    count: line.quantity,
    price: price?.id ?? null,
    each: price?.unit_amount ?? null,
    every: price?.recurring?.interval ?? null,
    by_use: price?.recurring?.usage_type === 'metered',
    bench: idOf(details?.subscription),
    change: details?.proration ?? false,
    tax: (line.taxes ?? []).map((tax) => ({ amount: tax.amount, included: tax.tax_behavior === 'inclusive' })),
    from: line.period.start,
    to: line.period.end,
  }
}
