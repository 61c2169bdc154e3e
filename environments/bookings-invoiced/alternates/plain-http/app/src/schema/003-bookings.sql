CREATE TABLE bookings (
  ref text PRIMARY KEY,
  source text NOT NULL,
  request_id text UNIQUE,
  session text NOT NULL,
  night date NOT NULL,
  guest text NOT NULL,
  email text,
  seats integer NOT NULL,
  currency text NOT NULL,
  amount integer NOT NULL,
  state text NOT NULL,
  stripe_customer text,
  stripe_invoice text
);

-- What was asked of Stripe and what came of it: a step is done once.
CREATE TABLE steps (
  name text PRIMARY KEY,
  answer jsonb NOT NULL
);
