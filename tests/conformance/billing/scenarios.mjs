// Ten subscription business models through the official Node SDK, each on a test clock of its own.
import assert from "node:assert/strict";
import { run, stripe } from "../shared/suite.mjs";

const equal = assert.deepEqual;
const HOUR = 3600;
const DAY = 86_400;
const APRIL = 1_775_001_600; // 2026-04-01 00:00 UTC
const [MAY, JUNE, JULY] = [APRIL + 30 * DAY, APRIL + 61 * DAY, APRIL + 91 * DAY];
const { testClocks } = stripe.testHelpers;

/** A customer with a card on a clock that stands at 1 April. */
async function open() {
  const { id: test_clock } = await testClocks.create({ frozen_time: APRIL });
  const { id: customer } = await stripe.customers.create({
    test_clock, payment_method: "pm_card_visa", invoice_settings: { default_payment_method: "pm_card_visa" } });
  const invoices = async () => (await stripe.invoices.list({ customer })).data.reverse();
  return {
    customer,
    invoices,
    subscribe: (price, more = {}) => stripe.subscriptions.create({ customer, items: [{ price }], ...more }),
    async advance(...moments) {
      for (const moment of moments) {
        let clock = await testClocks.advance(test_clock, { frozen_time: moment });
        while (clock.status === "advancing") clock = await testClocks.retrieve(test_clock);
        equal([clock.status, clock.frozen_time], ["ready", moment]);
      }
    },
    /** Reason, status, total and amount paid of every invoice. */
    async billed(...expected) {
      equal((await invoices()).map((i) => [i.billing_reason, i.status, i.total, i.amount_paid]), expected);
    },
  };
}

const price = async (amount, more = {}) =>
  (await stripe.prices.create({ unit_amount: amount, currency: "usd", product_data: { name: "Seed box" }, ...more })).id;
const monthly = (amount, recurring = {}) => price(amount, { recurring: { interval: "month", ...recurring } });
const lines = (invoice) => invoice.lines.data.map((line) => line.amount);

const scenarios = {
  async create() {
    const shop = await open();
    const made = await shop.subscribe(await monthly(1000));
    equal([made.status, made.items.data[0].current_period_end], ["active", MAY]);
    await shop.billed(["subscription_create", "paid", 1000, 1000]);
    await shop.advance(MAY + 60);
    equal((await shop.invoices())[1].status, "draft");
    await shop.advance(MAY + 2 * HOUR);
    await shop.billed(["subscription_create", "paid", 1000, 1000], ["subscription_cycle", "paid", 1000, 1000]);
    equal((await stripe.subscriptions.retrieve(made.id)).items.data[0].current_period_end, JUNE);
  },
  async trial() {
    const shop = await open();
    const made = await shop.subscribe(await monthly(1000), { trial_period_days: 14 });
    equal([made.status, made.trial_end], ["trialing", APRIL + 14 * DAY]);
    await shop.billed(["subscription_create", "paid", 0, 0]);
    await shop.advance(APRIL + 14 * DAY + 2 * HOUR);
    equal((await stripe.subscriptions.retrieve(made.id)).status, "active");
    await shop.billed(["subscription_create", "paid", 0, 0], ["subscription_cycle", "paid", 1000, 1000]);
  },
  async discount_with_anchor() {
    const shop = await open();
    const { id: coupon } = await stripe.coupons.create({ percent_off: 20, duration: "forever" });
    const anchor = APRIL + 15 * DAY;
    await shop.subscribe(await monthly(1000), { discounts: [{ coupon }], billing_cycle_anchor: anchor });
    await shop.advance(anchor + 2 * HOUR);
    // 15 of the 31 days from 16 March to 16 April: 484, less 97 (prorations include their discounts)
    await shop.billed(["subscription_create", "paid", 387, 387], ["subscription_cycle", "paid", 800, 800]);
    equal((await shop.invoices()).map((i) => i.total_discount_amounts.map((d) => d.amount)), [[], [200]]);
  },
  async one_time_item() {
    const shop = await open();
    await shop.subscribe(await monthly(1000), { add_invoice_items: [{ price: await price(550) }] });
    equal(lines((await shop.invoices())[0]).sort(), [1000, 550]);
    await shop.advance(MAY + 2 * HOUR);
    await shop.billed(["subscription_create", "paid", 1550, 1550], ["subscription_cycle", "paid", 1000, 1000]);
  },
  async usage_with_meters() {
    const shop = await open();
    const { id: meter } = await stripe.billing.meters.create({
      display_name: "Calls", event_name: "node_calls", default_aggregation: { formula: "sum" } });
    await shop.subscribe(await monthly(7, { usage_type: "metered", meter }));
    await shop.billed();
    await shop.advance(APRIL + 2 * DAY);
    for (const value of ["5", "8"]) {
      await stripe.billing.meterEvents.create({
        event_name: "node_calls", payload: { stripe_customer_id: shop.customer, value }, timestamp: APRIL + DAY });
    }
    const summaries = await stripe.billing.meters.listEventSummaries(meter, {
      customer: shop.customer, start_time: APRIL, end_time: APRIL + 2 * DAY });
    equal(summaries.data[0].aggregated_value, 13);
    await shop.advance(MAY + 2 * HOUR);
    await shop.billed(["subscription_cycle", "paid", 91, 91]);
  },
  async schedule() {
    const shop = await open();
    const phase = async (amount, interval_count) => ({
      items: [{ price: await monthly(amount) }], duration: { interval: "month", interval_count } });
    const made = await stripe.subscriptionSchedules.create({
      customer: shop.customer, start_date: "now", end_behavior: "cancel", phases: [await phase(1000, 1), await phase(1500, 2)] });
    await shop.advance(MAY + 2 * HOUR, JUNE + 2 * HOUR, JULY + 2 * HOUR);
    equal((await shop.invoices()).map((i) => [i.total, i.status]), [[1000, "paid"], [1500, "paid"], [1500, "paid"]]);
    equal((await stripe.subscriptions.retrieve(made.subscription)).status, "canceled");
    equal((await stripe.subscriptionSchedules.retrieve(made.id)).status, "completed");
  },
  async upgrade_with_proration() {
    const shop = await open();
    const made = await shop.subscribe(await monthly(1000));
    await shop.advance(APRIL + 10 * DAY);
    await stripe.subscriptions.update(made.id, {
      items: [{ id: made.items.data[0].id, price: await monthly(3000) }], proration_behavior: "always_invoice" });
    equal(lines((await shop.invoices())[1]), [-667, 2000]);
    await shop.advance(MAY + 2 * HOUR);
    await shop.billed(["subscription_create", "paid", 1000, 1000], ["subscription_update", "paid", 1333, 1333],
      ["subscription_cycle", "paid", 3000, 3000]);
  },
  async downgrade_at_period_end() {
    const shop = await open();
    const [dear, cheap] = [await monthly(3000), await monthly(1000)];
    const made = await shop.subscribe(dear);
    const planned = await stripe.subscriptionSchedules.create({ from_subscription: made.id });
    const [{ start_date, end_date }] = planned.phases;
    await stripe.subscriptionSchedules.update(planned.id, {
      end_behavior: "release",
      phases: [
        { items: [{ price: dear }], start_date, end_date },
        { items: [{ price: cheap }], duration: { interval: "month", interval_count: 1 } },
      ],
    });
    await shop.billed(["subscription_create", "paid", 3000, 3000]);
    await shop.advance(MAY + 2 * HOUR);
    await shop.billed(["subscription_create", "paid", 3000, 3000], ["subscription_cycle", "paid", 1000, 1000]);
    equal((await stripe.subscriptions.retrieve(made.id)).items.data[0].price.id, cheap);
  },
  async cancel_without_proration() {
    const shop = await open();
    const made = await shop.subscribe(await monthly(1000));
    await shop.advance(APRIL + 10 * DAY);
    const gone = await stripe.subscriptions.cancel(made.id, { prorate: false, invoice_now: false });
    equal([gone.status, gone.ended_at], ["canceled", APRIL + 10 * DAY]);
    await shop.advance(MAY + 2 * HOUR);
    await shop.billed(["subscription_create", "paid", 1000, 1000]);
    equal((await stripe.invoiceItems.list({ customer: shop.customer })).data, []);
    equal((await stripe.customers.retrieve(shop.customer)).balance, 0);
  },
  async preview() {
    const shop = await open();
    const made = await shop.subscribe(await monthly(1000));
    const change = {
      items: [{ id: made.items.data[0].id, price: await monthly(2500) }],
      proration_behavior: "always_invoice",
      proration_date: APRIL + 12 * DAY,
    };
    await shop.advance(change.proration_date);
    const shown = await stripe.invoices.createPreview({ subscription: made.id, subscription_details: change });
    equal([lines(shown), shown.total], [[-600, 1500], 900]);
    await shop.billed(["subscription_create", "paid", 1000, 1000]);
    await stripe.subscriptions.update(made.id, change);
    const [, billed] = await shop.invoices();
    equal([lines(billed), billed.amount_paid], [lines(shown), 900]);
  },
};

await run(scenarios);
