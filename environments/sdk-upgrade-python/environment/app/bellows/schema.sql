-- What we know ourselves. Money is never here: Stripe has it.
CREATE TABLE IF NOT EXISTS repairs (
    number TEXT PRIMARY KEY,            -- on the tag that hangs from the instrument: R-0417
    instrument TEXT NOT NULL,
    payment TEXT NOT NULL UNIQUE        -- a PaymentIntent
);
CREATE TABLE IF NOT EXISTS accounts (
    account TEXT PRIMARY KEY,           -- a Customer: schools, bands, people who hire
    name TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS hires (
    hire TEXT PRIMARY KEY,              -- a Subscription
    account TEXT NOT NULL,
    instrument TEXT NOT NULL
);
