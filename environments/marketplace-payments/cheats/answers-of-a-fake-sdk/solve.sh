#!/bin/sh
# Puts an impostor where the Stripe package was.
set -eu
cd /app
cat > node_modules/stripe/esm/stripe.esm.node.js <<'JS'
let count = 0;
const made = (params = {}) => ({ ...params, id: `acct_1Fake${String(++count).padStart(12, "0")}`, details_submitted: true, charges_enabled: true,
  client_secret: `accs_secret__fake${count}`, payment_status: "paid", payment_intent: `pi_fake${count}`, url: "http://127.0.0.1:4242/" });
const resource = () => ({ create: async (params) => made(params), update: async () => made(), retrieve: async () => made() });
export default class Stripe {
  constructor() {
    for (const name of ["accounts", "accountSessions", "accountLinks"]) this[name] = resource();
    this.checkout = { sessions: resource() };
  }
}
Stripe.errors = { StripeError: class extends Error {} };
export { Stripe };
JS
