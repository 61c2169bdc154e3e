// Shops as the office keeps them: who they are, what they offer, and the account at Stripe of those that have one.
import { readFileSync } from "node:fs";

import { run } from "./database.js";
import { hashPassword } from "./passwords.js";
import { slugOf } from "./sellers.js";

export function loadShops(path) {
  const { shops } = JSON.parse(readFileSync(path, "utf8"));
  for (const one of shops) {
    const { lastInsertRowid } = run(
      "INSERT INTO sellers (email, password_hash, shop, slug, country, status, stripe_account) VALUES (?, ?, ?, ?, ?, ?, ?)",
      one.email, hashPassword(one.password), one.shop, slugOf(one.shop), one.country, one.status ?? "open", one.stripe_account ?? null,
    );
    for (const item of one.items ?? []) {
      run("INSERT INTO items (seller_id, title, description, amount) VALUES (?, ?, ?, ?)", Number(lastInsertRowid), item.title, item.description ?? "", item.amount);
    }
  }
  return shops.length;
}
