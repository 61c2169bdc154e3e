// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-1c9bc877b896: keep out of training data
// The addresses, with prepared answers of Stripe: nothing here leaves the machine.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import Stripe from 'stripe'
import { STRIPE_API_VERSION } from '../src/config.ts'
import { desk } from '../src/desk.ts'
import { Records } from '../src/records.ts'

const answers = new Map<string, unknown>()
const records = new Records(':memory:')
const prepared = createServer((request, response) => {
  const found = answers.get(`${request.method} ${(request.url ?? '').split('?')[0]}`)
  response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
  response.end(JSON.stringify(found ?? { error: { type: 'invalid_request_error', message: 'No such thing' } }))
})
let office: ReturnType<typeof desk>
let address = ''

before(async () => {
  await new Promise<void>((done) => prepared.listen(0, '127.0.0.1', done))
  const { port } = prepared.address() as AddressInfo
  const stripe = new Stripe('sk_test_of_nobody', {
    apiVersion: STRIPE_API_VERSION, host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0, telemetry: false,
  })
  office = desk(stripe, records)
  await new Promise<void>((done) => office.listen(0, '127.0.0.1', done))
  address = `http://127.0.0.1:${(office.address() as AddressInfo).port}`
})

after(() => {
  for (const server of [office, prepared]) {
    server.close()
    server.closeAllConnections()
  }
})

beforeEach(() => answers.clear())

async function ask(method: string, path: string, body?: unknown): Promise<[number, any]> {
  const response = await fetch(address + path, { method, body: body === undefined ? undefined : JSON.stringify(body) })
  return [response.status, await response.json()]
}

const list = (...data: unknown[]) => ({ object: 'list', data, has_more: false, url: '/v1/things' })
const refund = { id: 're_one', object: 'refund', amount: 500, created: 1772442100, status: 'succeeded', reason: null }
const charge = {
  id: 'ch_one', object: 'charge', amount: 4500, amount_refunded: 500, paid: true, refunded: false, created: 1772442000,
  currency: 'gbp', outcome: { reason: null }, payment_intent: 'pi_one',
  payment_method_details: { type: 'card', card: { brand: 'visa', last4: '4242' } },
}
const intent = { id: 'pi_one', object: 'payment_intent', amount: 4500, amount_received: 4500, currency: 'gbp', status: 'succeeded' }

test('health', async () => {
  assert.deepEqual(await ask('GET', '/health'), [200, { ok: true }])
})

test('a sale that nobody knows', async () => {
  assert.deepEqual(await ask('GET', '/sales/S-1'), [404, { error: 'not found' }])
})

test('a sale', async () => {
  records.writeSale('S-2', 'A jug', 'pi_one')
  answers.set('GET /v1/payment_intents/pi_one', intent)
  answers.set('GET /v1/charges', list(charge))
  answers.set('GET /v1/refunds', list(refund))
  const [status, sale] = await ask('GET', '/sales/S-2')
  assert.equal(status, 200)
  assert.equal(sale.state, 'partly given back')
  assert.deepEqual(sale.attempts.map((one: any) => one.card.last4), ['4242'])
  assert.deepEqual(sale.refunds.map((one: any) => one.refund), ['re_one'])
})

test('too much is not given back', async () => {
  records.writeSale('S-2', 'A jug', 'pi_one')
  answers.set('GET /v1/payment_intents/pi_one', intent)
  answers.set('GET /v1/charges', list(charge))
  answers.set('GET /v1/refunds', list(refund))
  assert.deepEqual(await ask('POST', '/sales/S-2/refunds', { amount: 4001 }), [422, { error: 'amount', left: 4000 }])
})

test('an invoice that Stripe does not know', async () => {
  assert.deepEqual(await ask('GET', '/invoices/in_none'), [404, { error: 'not found' }])
})

test('how an invoice is paid has to be said', async () => {
  assert.deepEqual(await ask('POST', '/invoices/in_one/pay', { how: 'shells' }), [422, { error: 'how', choices: ['bank', 'card'] }])
})

test('a studio that has left', async () => {
  answers.set('GET /v1/customers/cus_gone', { id: 'cus_gone', object: 'customer', deleted: true })
  assert.deepEqual(await ask('GET', '/studios/cus_gone/statement'), [410, { error: 'left' }])
})

test('firings are counted in whole numbers', async () => {
  assert.deepEqual(await ask('POST', '/benches/sub_one/firings', { count: 1.5, reference: 'k1' }), [422, { error: 'count' }])
})

test('a day that is none', async () => {
  assert.deepEqual(await ask('GET', '/takings?from=soon&to=2026-03-02'), [422, { error: 'from' }])
})
