import assert from "node:assert/strict";
import { test } from "node:test";

import { brandStyles } from "../server/brand.js";
import { migrate, open } from "../server/database.js";
import { checkPassword, hashPassword } from "../server/passwords.js";
import { policyHeader } from "../server/policy.js";
import { slugOf } from "../server/sellers.js";

test("passwords are checked", () => {
  const stored = hashPassword("linen thread 18/3");
  assert.ok(checkPassword("linen thread 18/3", stored));
  assert.ok(!checkPassword("linen thread 18/2", stored));
});

test("shops have addresses", () => {
  assert.equal(slugOf("Weissenfels & Tochter"), "weissenfels-tochter");
  assert.equal(slugOf("  Rag, Tag & Bob  "), "rag-tag-bob");
});

test("migrations run once", () => {
  const fresh = open(":memory:");
  migrate(fresh);
  migrate(fresh);
  const tables = fresh.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all().map((row) => row.name);
  for (const table of ["items", "logins", "orders", "sellers"]) assert.ok(tables.includes(table), table);
});

test("pages may not be framed, and load nothing inline", () => {
  const header = policyHeader();
  assert.match(header, /frame-ancestors 'none'/);
  assert.doesNotMatch(header, /unsafe/);
});

test("the brand is variables of CSS", () => {
  assert.equal(brandStyles({ ink: "#123456" }), ":root {\n  --ink: #123456;\n}\n");
});
