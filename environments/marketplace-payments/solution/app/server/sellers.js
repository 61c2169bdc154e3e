// trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-6f4244e26c00: keep out of training data
import { createHash, randomBytes } from "node:crypto";

import { all, one, run } from "./database.js";
import { Refusal } from "./errors.js";
import { CURRENCIES } from "./money.js";
import { checkPassword, hashPassword } from "./passwords.js";

const COOKIE = "deckle_login";
const DAYS = 30;
const hashed = (token) => createHash("sha256").update(token).digest("hex");

export function slugOf(shop) {
  return shop.toLowerCase().normalize("NFD").replace(/[\u0300-\u036f]/g, "").replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
}

function readSeller(body) {
  const text = (name) => String(body?.[name] ?? "").trim();
  const seller = { email: text("email").toLowerCase(), password: String(body?.password ?? ""), shop: text("shop"), country: text("country") };
  if (!/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(seller.email)) throw new Refusal(400, "email", "That is no e-mail address.");
  if (seller.password.length < 8) throw new Refusal(400, "password", "A password needs eight characters or more.");
  if (!slugOf(seller.shop)) throw new Refusal(400, "shop", "Your shop needs a name.");
  if (!CURRENCIES[seller.country]) throw new Refusal(400, "country", "We have no shops in that country yet.");
  return { ...seller, slug: slugOf(seller.shop) };
}

/** A new shop; 400 when something is missing, 409 when the address or the name is taken. */
export function signUp(body) {
  const seller = readSeller(body);
  if (one("SELECT id FROM sellers WHERE email = ? OR slug = ?", seller.email, seller.slug)) {
    throw new Refusal(409, "taken", "There is a shop with this name or e-mail address already.");
  }
  const { lastInsertRowid } = run(
    "INSERT INTO sellers (email, password_hash, shop, slug, country) VALUES (?, ?, ?, ?, ?)",
    seller.email, hashPassword(seller.password), seller.shop, seller.slug, seller.country,
  );
  return sellerById(Number(lastInsertRowid));
}

export function signIn(body) {
  const seller = one("SELECT * FROM sellers WHERE email = ?", String(body?.email ?? "").trim().toLowerCase());
  if (!seller || !checkPassword(String(body?.password ?? ""), seller.password_hash)) {
    throw new Refusal(401, "credentials", "E-mail address and password do not fit.");
  }
  return seller;
}

/** Undo a sign-up that came to nothing. */
export function forget(seller) {
  run("DELETE FROM sellers WHERE id = ?", seller.id);
}

export function sellerById(id) {
  return one("SELECT * FROM sellers WHERE id = ?", id);
}

export function sellerBySlug(slug) {
  return one("SELECT * FROM sellers WHERE slug = ?", slug);
}

export function openShops() {
  return all("SELECT * FROM sellers WHERE status = 'open' ORDER BY shop");
}

export function keepAccount(seller, account) {
  run("UPDATE sellers SET stripe_account = ? WHERE id = ?", account, seller.id);
}

/** What a seller may know of themselves. */
export function shown(seller) {
  const { id, email, shop, slug, country, status } = seller;
  return { id, email, shop, slug, country, status, currency: CURRENCIES[country] };
}

// Logins

export function startLogin(response, seller) {
  const token = randomBytes(24).toString("base64url");
  run("INSERT INTO logins (token_hash, seller_id, expires_at) VALUES (?, ?, ?)", hashed(token), seller.id, Date.now() + DAYS * 86_400_000);
  response.cookie(COOKIE, token, { httpOnly: true, sameSite: "lax", path: "/", maxAge: DAYS * 86_400_000 });
}

export function endLogin(request, response) {
  run("DELETE FROM logins WHERE token_hash = ?", hashed(tokenOf(request)));
  response.clearCookie(COOKIE, { path: "/" });
}

/** The seller who is signed in, or null. */
export function currentSeller(request) {
  return one(
    "SELECT sellers.* FROM logins JOIN sellers ON sellers.id = seller_id WHERE token_hash = ? AND expires_at > ?",
    hashed(tokenOf(request)), Date.now(),
  );
}

/** The seller who is signed in; 401 when nobody is. */
export function needSeller(request) {
  const seller = currentSeller(request);
  if (!seller) throw new Refusal(401, "signed_out", "Please sign in.");
  return seller;
}

function tokenOf(request) {
  const match = new RegExp(`(?:^|; )${COOKIE}=([^;]+)`).exec(request.headers.cookie ?? "");
  return match ? match[1] : "";
}
