// The addresses of the back office. What callers send and get is described in the README.
import type { Server } from 'node:http'
import type Stripe from 'stripe'
import { Benches } from './benches.ts'
import { serve } from './http.ts'
import { Invoices } from './invoices.ts'
import { Past } from './past.ts'
import { Refused } from './problems.ts'
import type { Records } from './records.ts'
import { Sales } from './sales.ts'

const DAY = 86_400

export function desk(stripe: Stripe, records: Records): Server {
  const past = new Past(stripe)
  const sales = new Sales(past, records)
  const invoices = new Invoices(past, records)
  const benches = new Benches(past, records)
  return serve({
    'GET /health': async () => [200, { ok: true }],

    'GET /sales/:number': async ({ params }) => [200, await sales.show(params.number)],
    'POST /sales/:number/refunds': async ({ params, body }) => [201, await sales.refund(params.number, body.amount)],
    'GET /takings': async ({ query }) => [200, await sales.takings(day(query, 'from'), day(query, 'to') + DAY)],

    'GET /invoices/:id': async ({ params }) => [200, await invoices.show(params.id)],
    'POST /invoices/:id/pay': async ({ params, body }) => [200, await invoices.pay(params.id, body.how)],
    'GET /payments/:id': async ({ params }) => [200, await invoices.payment(params.id)],
    'GET /studios/:id/statement': async ({ params }) => [200, await invoices.statement(params.id)],

    'GET /benches': async ({ query }) => [200, await benches.list(query.get('after'))],
    'GET /benches/:id': async ({ params }) => [200, await benches.show(params.id)],
    'GET /benches/:id/next': async ({ params }) => [200, await benches.next(params.id)],
    'GET /benches/:id/firings': async ({ params }) => [200, await benches.firings(params.id)],
    'POST /benches/:id/firings': async ({ params, body }) => [201, await benches.report(params.id, body.count, body.at, body.reference)],
    'POST /benches/:id/end': async ({ params, body }) => [200, await benches.end(params.id, body.when)],
  })
}

function day(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? ''
  const moment = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN
  if (Number.isNaN(moment)) throw new Refused(422, name)
  return moment / 1000
}
