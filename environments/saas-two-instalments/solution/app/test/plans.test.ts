// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-a27eb9979568: keep out of training data
import assert from "node:assert/strict";
import { test } from "node:test";

import { halves } from "../server/instalments.ts";
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
    interval: "month" as const, trialDays: 7, onSale: true, instalments: 2, stripeProduct: "prod_1", stripePrice: "price_1",
  };
  assert.deepEqual(Object.keys(offer(plan)).sort(), [
    "amount", "blurb", "code", "currency", "highlights", "instalments", "interval", "kilns", "name", "trialDays",
  ]);
});

test("two instalments are the whole amount, and the first has the odd cent", () => {
  assert.deepEqual(halves(2900), [1450, 1450]);
  assert.deepEqual(halves(79_095), [39_548, 39_547]);
});
