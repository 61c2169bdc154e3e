#!/bin/sh
# Puts an impostor where the Stripe package was.
set -eu
cd /app
cat > node_modules/stripe/esm/stripe.esm.node.js <<'JS'
let count = 0;
const made = (params = {}) => ({ ...params, id: `cs_test_fake${String(++count).padStart(40, "0")}`, object: "checkout.session",
  status: "complete", payment_status: "paid", url: "https://checkout.stripe.com/c/pay/cs_test_fake0001", payment_intent: "pi_fake", latest_invoice: { id: "in_fake", total: 100, currency: "eur" }, created: 1769782200, customer: "cus_fake", metadata: {}, coupon: {} });
const list = () => ({ data: [], async *[Symbol.asyncIterator]() {} });
const resource = () => ({ create: async (params) => made(params), update: async () => made(), retrieve: async () => made(),
  expire: async () => made(), attachPayment: async () => made(), voidInvoice: async () => made(), list, listLineItems: list });
export default class Stripe {
  constructor() {
    for (const name of ["products", "prices", "coupons", "promotionCodes", "customers", "subscriptions", "invoices", "invoicePayments", "paymentIntents", "refunds"]) this[name] = resource();
    this.checkout = { sessions: resource() };
    this.billingPortal = { configurations: resource(), sessions: resource() };
    this.webhooks = { constructEvent: (body) => JSON.parse(String(body)) };
  }
}
Stripe.errors = { StripeError: class extends Error {}, StripeInvalidRequestError: class extends Error {} };
export { Stripe };
JS
