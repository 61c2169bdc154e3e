CREATE TABLE orders (
    id             INTEGER PRIMARY KEY,
    item_id        INTEGER NOT NULL REFERENCES items (id),
    seller_id      INTEGER NOT NULL REFERENCES sellers (id),
    amount         INTEGER NOT NULL,
    fee            INTEGER NOT NULL,
    currency       TEXT NOT NULL,
    status         TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'paid')),
    buyer          TEXT,
    stripe_session TEXT UNIQUE,
    stripe_payment TEXT UNIQUE,
    created_at     TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
);
