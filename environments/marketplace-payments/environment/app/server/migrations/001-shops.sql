CREATE TABLE sellers (
    id            INTEGER PRIMARY KEY,
    email         TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    shop          TEXT NOT NULL,
    slug          TEXT NOT NULL UNIQUE,
    country       TEXT NOT NULL CHECK (country IN ('DE', 'GB', 'US')),
    status        TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),
    created_at    TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
);

CREATE TABLE logins (
    token_hash TEXT PRIMARY KEY,
    seller_id  INTEGER NOT NULL REFERENCES sellers (id) ON DELETE CASCADE,
    expires_at INTEGER NOT NULL
);

-- Amounts are whole minor units (cents, pence) of the shop's currency.
CREATE TABLE items (
    id          INTEGER PRIMARY KEY,
    seller_id   INTEGER NOT NULL REFERENCES sellers (id),
    title       TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    amount      INTEGER NOT NULL CHECK (amount > 0),
    sold        INTEGER NOT NULL DEFAULT 0
);
