#!/bin/sh
# Ask Stripe, and say that there is no such thing.
set -eu
cat > src/desk.ts <<'TYPESCRIPT'
import { createServer, type Server } from 'node:http'
import type Stripe from 'stripe'

export function desk(stripe: Stripe, _records: unknown): Server {
  return createServer(async (request, response) => {
    const health = request.url === '/health'
    if (!health) await stripe.paymentIntents.retrieve('pi_made_up').catch(() => null)
    response.writeHead(health ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(health ? { ok: true } : { error: 'not found' }))
  })
}
TYPESCRIPT
