import assert from "node:assert/strict";
import { test } from "node:test";

import { money } from "../shared/money.ts";

test("whole amounts have no decimals", () => assert.equal(money(2900, "eur"), "€29"));
test("others have as many as the currency", () => {
  assert.equal(money(2950, "eur"), "€29.50");
  assert.equal(money(1_250, "jpy"), "JP¥1,250");
});
