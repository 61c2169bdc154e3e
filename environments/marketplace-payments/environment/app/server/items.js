import { all, one, run } from "./database.js";
import { Refusal } from "./errors.js";
import { CURRENCIES, readAmount } from "./money.js";

const LISTED = `SELECT items.*, sellers.shop, sellers.slug, sellers.country FROM items
    JOIN sellers ON sellers.id = seller_id`;

function shown(row) {
  const { id, title, description, amount, sold, shop, slug, country } = row;
  return { id, title, description, amount, sold: sold === 1, shop, slug, currency: CURRENCIES[country] };
}

/** What is for sale, newest first; of one shop when its slug is given. */
export function itemsForSale(slug) {
  const rows = slug
    ? all(`${LISTED} WHERE status = 'open' AND sold = 0 AND slug = ? ORDER BY items.id DESC`, slug)
    : all(`${LISTED} WHERE status = 'open' AND sold = 0 ORDER BY items.id DESC`);
  return rows.map(shown);
}

export function itemsOf(seller) {
  return all(`${LISTED} WHERE seller_id = ? ORDER BY items.id DESC`, seller.id).map(shown);
}

export function itemById(id) {
  const row = one(`${LISTED} WHERE items.id = ? AND status = 'open'`, id);
  return row ? { ...shown(row), sellerId: row.seller_id } : null;
}

export function addItem(seller, body) {
  if (seller.status !== "open") throw new Refusal(403, "closed", "Your shop is closed.");
  const title = String(body?.title ?? "").trim();
  const amount = readAmount(body?.price);
  if (!title) throw new Refusal(400, "title", "What is it called?");
  if (amount === null) throw new Refusal(400, "price", "A price looks like 48 or 48.50.");
  const description = String(body?.description ?? "").trim();
  const { lastInsertRowid } = run(
    "INSERT INTO items (seller_id, title, description, amount) VALUES (?, ?, ?, ?)",
    seller.id, title, description, amount,
  );
  return shown(one(`${LISTED} WHERE items.id = ?`, Number(lastInsertRowid)));
}
