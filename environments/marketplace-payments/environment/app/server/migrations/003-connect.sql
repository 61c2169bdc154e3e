-- The shop's account at Stripe, once the office has opened it (npm run connect:shop).
ALTER TABLE sellers ADD COLUMN stripe_account TEXT;
CREATE UNIQUE INDEX sellers_by_account ON sellers (stripe_account);
