import assert from "node:assert/strict";
import { test } from "node:test";

import { offer, readPlansFile } from "../server/plans.ts";

test("the plans file is in order", () => {
  const { currency, plans } = readPlansFile("data/plans.json");
  assert.match(currency, /^[a-z]{3}$/);
  assert.equal(new Set(plans.map((plan) => plan.code)).size, plans.length);
  for (const plan of plans) {
    assert.ok(Number.isInteger(plan.unit_amount) && plan.unit_amount > 0, plan.code);
    assert.ok(plan.trial_days >= 0, plan.code);
  }
});

test("an offer shows nothing of Stripe", () => {
  const plan = {
    code: "bisque", position: 0, name: "Bisque", blurb: "", highlights: [], kilns: 3, unitAmount: 1200, currency: "eur",
    interval: "month" as const, trialDays: 7, onSale: true, stripeProduct: "prod_1", stripePrice: "price_1",
  };
  assert.deepEqual(Object.keys(offer(plan)).sort(), [
    "amount", "blurb", "code", "currency", "highlights", "interval", "kilns", "name", "trialDays",
  ]);
});
