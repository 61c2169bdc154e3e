-- trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-ee22a1375878: keep out of training data
-- Bookings from the ledger and from the web, and what belongs to them in Stripe.
CREATE TABLE guests (
  key text PRIMARY KEY,               -- the e-mail address, or "name:" and the name in lower case
  stripe_customer text NOT NULL UNIQUE
);

CREATE TABLE seat_prices (
  session text NOT NULL REFERENCES sessions (code),
  currency text NOT NULL,
  amount integer NOT NULL CHECK (amount > 0),
  today boolean NOT NULL DEFAULT false,  -- what a seat costs today
  stripe_price text NOT NULL UNIQUE,
  PRIMARY KEY (session, currency, amount)
);
CREATE UNIQUE INDEX seat_prices_of_today ON seat_prices (session, currency) WHERE today;

CREATE TABLE bookings (
  ref text PRIMARY KEY,
  source text NOT NULL CHECK (source IN ('ledger', 'web')),
  request_id text UNIQUE,             -- web: the page's name for the attempt
  session text NOT NULL REFERENCES sessions (code),
  night date NOT NULL,
  booked date NOT NULL,
  guest text NOT NULL,
  email text,
  seats integer NOT NULL CHECK (seats > 0),
  currency text NOT NULL,
  amount integer NOT NULL CHECK (amount > 0),
  state text NOT NULL CHECK (state IN ('paid', 'open', 'cancelled')),
  stripe_customer text,
  stripe_invoice text UNIQUE
);
