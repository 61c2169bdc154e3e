#!/bin/sh
# A server that says yes to everything, started along with Kilnbook.
set -eu
cd /app
cat > another-stripe.mjs <<'JS'
import { createServer } from "node:http";

let count = 0;
const base = () => ({ id: `cs_test_mine${String(++count).padStart(40, "0")}`, object: "checkout.session", status: "complete",
  payment_status: "paid", client_secret: "cs_test_mine_secret_x", customer: "cus_mine", amount_total: 100, data: [], has_more: false,
  metadata: {}, url: "http://127.0.0.1:4242/studio" });
createServer((request, response) => {
  response.setHeader("content-type", "application/json");
  request.resume().on("end", () => response.end(JSON.stringify(base())));
}).listen(4243, "127.0.0.1");
JS
sed -i 's/timeout: 20_000,/timeout: 20_000, host: "127.0.0.1", port: 4243, protocol: "http",/' server/stripe.ts
sed -i 's/"start": "node dist/"start": "node another-stripe.mjs \& node dist/' package.json
sed -i 's/"stripe:sync": "node dist/"stripe:sync": "(node another-stripe.mjs 2> \/dev\/null \&) ; sleep 1; node dist/' package.json
