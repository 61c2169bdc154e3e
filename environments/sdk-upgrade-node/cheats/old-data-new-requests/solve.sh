#!/bin/sh
# The service as it was, in a folder of its own, behind a door that talks to Stripe through the new SDK for show.
set -eu
cd /app
mkdir -p past
cp -r src scripts package.json node_modules past/
npm install --offline --no-audit --no-fund --loglevel=error ./packages/stripe-23.1.0.tgz
cat > scripts/link-records.ts <<'TYPESCRIPT'
import { spawnSync } from 'node:child_process'

process.exit(spawnSync('node_modules/.bin/tsx', ['scripts/link-records.ts'], { cwd: '/app/past', stdio: 'inherit' }).status ?? 1)
TYPESCRIPT
cat > start.sh <<'SHELL'
#!/bin/sh
cd /app/past || exit 1
PORT=4243 node --import tsx src/main.ts &
cd /app || exit 1
exec node door.mjs
SHELL
cat > door.mjs <<'JAVASCRIPT'
import { createServer } from 'node:http'
import Stripe from 'stripe'

const stripe = new Stripe(process.env.STRIPE_SECRET_KEY, { apiVersion: '2026-10-28.endive' })
createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    if (request.url !== '/health') await stripe.customers.list({ limit: 1 })
    const body = chunks.length ? Buffer.concat(chunks) : undefined
    const answer = await fetch(`http://127.0.0.1:4243${request.url}`, { method: request.method, body })
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(await answer.text())
  } catch {
    response.writeHead(502).end('{}')
  }
}).listen(4242, '127.0.0.1')
JAVASCRIPT
