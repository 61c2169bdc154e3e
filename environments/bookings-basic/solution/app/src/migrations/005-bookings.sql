-- trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-b4454c1c61fa: keep out of training data
-- Bookings from the web and from the phone book, and which Stripe customer an e-mail address is.
CREATE TABLE bookings (
  id TEXT PRIMARY KEY,
  source TEXT NOT NULL CHECK (source IN ('web', 'phone')),
  ref TEXT UNIQUE,                  -- phone: the number in Mairi's book
  request_id TEXT UNIQUE,           -- web: the page's name for the attempt
  trip TEXT NOT NULL REFERENCES trips (code),
  date TEXT NOT NULL,
  people INTEGER NOT NULL,
  name TEXT NOT NULL,
  email TEXT,
  currency TEXT NOT NULL,
  total INTEGER,                    -- in minor units; not known of phone bookings
  paid INTEGER NOT NULL,
  status TEXT NOT NULL,             -- when it was made; what came later is asked of Stripe
  intent TEXT,                      -- web: the PaymentIntent or SetupIntent
  customer TEXT,                    -- web: the Stripe customer that keeps the card
  remark TEXT
);
CREATE INDEX bookings_by_date ON bookings (date);

CREATE TABLE customers (
  email TEXT PRIMARY KEY,
  stripe_id TEXT NOT NULL
);
