// Lines of invoices, those that were sent and those that are to come.
import type { Past } from './past.ts'
import { idOf } from './stripe.ts'

/** Every line of an invoice, in order. */
export async function linesOf(stripe: Past, invoice: any) {
  const { data, has_more } = invoice.lines
  const all = has_more ? await stripe.invoices.listLineItems(invoice.id ?? '', { limit: 100 }).autoPagingToArray({ limit: 1000 }) : data
  return all.map(lineOf)
}

export function lineOf(line: any) {
  const { price } = line
  return {
    text: line.description,
    kind: line.type === 'subscription' ? 'bench' : 'item',
    amount: line.amount,
    count: line.quantity,
    price: price?.id ?? null,
    each: price?.unit_amount ?? null,
    every: price?.recurring?.interval ?? null,
    by_use: price?.recurring?.usage_type === 'metered',
    bench: idOf(line.subscription),
    change: line.proration,
    tax: (line.tax_amounts ?? []).map((tax: any) => ({ amount: tax.amount, included: tax.inclusive })),
    from: line.period.start,
    to: line.period.end,
  }
}
