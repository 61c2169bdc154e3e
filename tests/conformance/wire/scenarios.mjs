// The wire's scenarios through an official Node SDK. usage: node scenarios.mjs PACKAGE
import assert from "node:assert/strict";
import { connect, refused, run, stripe } from "../shared/suite.mjs";

const { SECRET_KEY, PUBLISHABLE_KEY, WEBHOOK_PAYLOAD, WEBHOOK_HEADER, WEBHOOK_SECRET } = process.env;

const pay = (more = {}) =>
  stripe.paymentIntents.create(
    { amount: 2000, currency: "usd", payment_method: "pm_card_visa", confirm: true, return_url: "https://shop.example/done",
      capture_method: "automatic", ...more },
  );

const scenarios = {
  async create_and_retrieve() {
    const made = await stripe.customers.create({ email: "a@example.test", name: "Zoë & Co", address: { line1: "1 Mill Lane", country: "GB" } });
    const read = await stripe.customers.retrieve(made.id);
    assert.equal(read.name, "Zoë & Co");
    assert.equal(read.address.line1, "1 Mill Lane");
    assert.ok(read.lastResponse.requestId.startsWith("req_"));
  },
  async metadata_merges_and_unsets() {
    const made = await stripe.customers.create({ metadata: { a: "1", b: "2" } });
    const changed = await stripe.customers.update(made.id, { metadata: { a: "", c: "3" } });
    assert.deepEqual({ ...changed.metadata }, { b: "2", c: "3" });
    assert.deepEqual({ ...(await stripe.customers.update(made.id, { metadata: "" })).metadata }, {});
  },
  async pages_visit_every_object_once() {
    const made = [];
    for (let n = 0; n < 13; n += 1) made.push((await stripe.products.create({ name: `page ${n}` })).id);
    const seen = [];
    for await (const product of stripe.products.list({ limit: 5 })) if (made.includes(product.id)) seen.push(product.id);
    assert.deepEqual(seen, made.reverse());
    const back = await stripe.products.list({ limit: 2, ending_before: made[5] });
    assert.deepEqual(back.data.map((p) => p.id), [made[3], made[4]]);
  },
  async expand_reaches_into_lists() {
    const price = await stripe.prices.create({ unit_amount: 500, currency: "usd", product_data: { name: "Mug" }, expand: ["product"] });
    assert.equal(price.product.name, "Mug");
    const list = await stripe.prices.list({ product: price.product.id, expand: ["data.product"] });
    assert.equal(list.data[0].product.name, "Mug");
    await refused(stripe.prices.retrieve(price.id, { expand: ["nonsense"] }), { type: "StripeInvalidRequestError", param: "expand" });
  },
  async search_finds() {
    const made = await stripe.customers.create({ name: "Search Me", metadata: { shelf: "node-7" } });
    const found = await stripe.customers.search({ query: "metadata['shelf']:'node-7'" });
    assert.deepEqual(found.data.map((c) => c.id), [made.id]);
    await stripe.customers.del(made.id);
  },
  async unknown_parameter() {
    await refused(stripe.customers.create({ emial: "x" }), { type: "StripeInvalidRequestError", code: "parameter_unknown", param: "emial", statusCode: 400 });
  },
  async missing_object() {
    await refused(stripe.customers.retrieve("cus_none"), { type: "StripeInvalidRequestError", code: "resource_missing", param: "id", statusCode: 404 });
  },
  async bad_key() {
    await refused(connect("sk_test_wrongwrongwrong").customers.list(), { type: "StripeAuthenticationError", statusCode: 401 });
  },
  async publishable_key_may_not() {
    await refused(connect(PUBLISHABLE_KEY).customers.list(), { type: "StripePermissionError", statusCode: 403 });
  },
  async deleted_stub() {
    const made = await stripe.customers.create({});
    assert.deepEqual({ ...(await stripe.customers.del(made.id)) }, { id: made.id, object: "customer", deleted: true });
    assert.equal((await stripe.customers.retrieve(made.id)).deleted, true);
  },
  async idempotent_replay() {
    const key = `node-${process.argv[2]}-${Date.now()}`;
    const first = await stripe.customers.create({ name: "once" }, { idempotencyKey: key });
    const again = await stripe.customers.create({ name: "once" }, { idempotencyKey: key });
    assert.equal(again.id, first.id);
    assert.equal(again.lastResponse.headers["idempotent-replayed"], "true");
    await refused(stripe.customers.create({ name: "twice" }, { idempotencyKey: key }), { type: "StripeIdempotencyError" });
  },
  async payment_succeeds() {
    const intent = await pay({ metadata: { order: "7" }, expand: ["latest_charge.balance_transaction"] });
    assert.equal(intent.status, "succeeded");
    assert.equal(intent.latest_charge.payment_method_details.card.last4, "4242");
    assert.equal(intent.latest_charge.balance_transaction.amount, 2000);
  },
  async card_declined() {
    const error = await refused(pay({ payment_method: "pm_card_visa_chargeDeclinedInsufficientFunds" }), {
      type: "StripeCardError", code: "card_declined", decline_code: "insufficient_funds", statusCode: 402 });
    assert.equal(error.payment_intent.status, "requires_payment_method");
  },
  async authentication_required() {
    const intent = await pay({ payment_method: "pm_card_threeDSecure2Required" });
    assert.equal(intent.status, "requires_action");
    assert.equal(intent.next_action.type, "redirect_to_url");
  },
  async refund() {
    const intent = await pay();
    const part = await stripe.refunds.create({ payment_intent: intent.id, amount: 500 });
    assert.equal(part.status, "succeeded");
    await refused(stripe.refunds.create({ payment_intent: intent.id, amount: 1600 }), { type: "StripeInvalidRequestError", param: "amount" });
    await stripe.refunds.create({ payment_intent: intent.id });
    await refused(stripe.refunds.create({ payment_intent: intent.id }), { code: "charge_already_refunded" });
  },
  async nested_arrays() {
    const customer = await stripe.customers.create({ payment_method: "pm_card_visa", invoice_settings: { default_payment_method: "pm_card_visa" } });
    const price = await stripe.prices.create({ unit_amount: 1000, currency: "usd", recurring: { interval: "month" }, product_data: { name: "Plan" } });
    const made = await stripe.subscriptions.create({ customer: customer.id, items: [{ price: price.id, quantity: 3, metadata: { seat: "a" } }] });
    assert.equal(made.status, "active");
    assert.equal(made.items.data[0].quantity, 3);
    assert.equal(made.items.data[0].metadata.seat, "a");
  },
  async webhook_signature() {
    const event = stripe.webhooks.constructEvent(WEBHOOK_PAYLOAD, WEBHOOK_HEADER, WEBHOOK_SECRET);
    assert.equal(event.type, "customer.created");
    assert.throws(() => stripe.webhooks.constructEvent(`${WEBHOOK_PAYLOAD} `, WEBHOOK_HEADER, WEBHOOK_SECRET));
  },
  async retries_through_a_lock_timeout() {
    const patient = connect(SECRET_KEY, { maxNetworkRetries: 2 });
    const coupon = await patient.coupons.create({ percent_off: 10, duration: "once" });
    assert.equal(coupon.percent_off, 10);
  },
  async rate_limited() {
    await refused(stripe.coupons.retrieve("limited"), { type: "StripeRateLimitError", statusCode: 429 });
  },
};

await run(scenarios);
