// Everything that differs between machines comes from the environment.
import { resolve } from "node:path";

const needed = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
};

export const config = {
  port: Number(process.env.PORT ?? 4242),
  origin: process.env.ORIGIN ?? "http://127.0.0.1:4242",
  database: resolve(process.env.DATABASE_PATH ?? "var/deckle-row.db"),
  shops: resolve(process.env.SHOPS_PATH ?? "data/shops.json"),
  brand: resolve(process.env.BRAND_PATH ?? "brand/brand.json"),
  feePercent: 8,
  get stripeSecretKey() {
    return needed("STRIPE_SECRET_KEY");
  },
  get stripePublishableKey() {
    return needed("STRIPE_PUBLISHABLE_KEY");
  },
};
