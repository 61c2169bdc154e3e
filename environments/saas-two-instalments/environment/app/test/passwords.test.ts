import assert from "node:assert/strict";
import { test } from "node:test";

import { hashPassword, newToken, passwordMatches, tokenHash } from "../server/passwords.ts";

test("a password matches its hash and no other", async () => {
  const stored = await hashPassword("a long enough one");
  assert.ok(await passwordMatches("a long enough one", stored));
  assert.ok(!(await passwordMatches("another long one", stored)));
  assert.ok(!stored.includes("long"));
});

test("two hashes of one password differ", async () => {
  assert.notEqual(await hashPassword("a long enough one"), await hashPassword("a long enough one"));
});

test("tokens are stored as hashes", () => {
  const token = newToken();
  assert.notEqual(tokenHash(token), token);
  assert.equal(tokenHash(token), tokenHash(token));
});
