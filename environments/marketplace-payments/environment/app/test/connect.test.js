import assert from "node:assert/strict";
import { test } from "node:test";

import { accountOf } from "../server/connect.js";

test("every account is of the same kind", () => {
  const seller = { id: 7, email: "ines@weissenfels.example", shop: "Weissenfels & Tochter", slug: "weissenfels-tochter", country: "DE" };
  const account = accountOf(seller, "https://deckle-row.example");
  assert.deepEqual(account.controller, {
    fees: { payer: "account" },
    losses: { payments: "stripe" },
    requirement_collection: "stripe",
    stripe_dashboard: { type: "none" },
  });
  assert.equal(account.country, "DE");
  assert.equal(account.metadata.seller, "7");
  assert.equal(account.business_profile.url, "https://deckle-row.example/shops/weissenfels-tochter");
});
