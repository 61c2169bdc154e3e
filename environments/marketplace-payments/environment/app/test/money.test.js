import assert from "node:assert/strict";
import { test } from "node:test";

import { feeOf, readAmount } from "../server/money.js";

test("our share is rounded down", () => {
  assert.equal(feeOf(11800, 8), 944);
  assert.equal(feeOf(2449, 8), 195);
});

test("prices are read as people write them", () => {
  assert.equal(readAmount("48"), 4800);
  assert.equal(readAmount(" 48.5 "), 4850);
  assert.equal(readAmount("48,05"), 4805);
  for (const wrong of ["", "0", "-3", "4.999", "a dozen", null]) assert.equal(readAmount(wrong), null);
});
