-- trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-5c526bf03686: keep out of training data
-- Amounts are whole minor units (cents) of the shop's one currency. Times are UTC, ISO 8601.

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE products (
    sku            TEXT PRIMARY KEY,
    position       INTEGER NOT NULL,
    name           TEXT NOT NULL,
    kind           TEXT NOT NULL,
    pack           TEXT NOT NULL,
    blurb          TEXT NOT NULL,
    story          TEXT NOT NULL,
    picture        TEXT NOT NULL,
    unit_amount    INTEGER NOT NULL CHECK (unit_amount > 0),
    stock          INTEGER NOT NULL CHECK (stock >= 0),
    stripe_product TEXT,
    stripe_price   TEXT
);

CREATE TABLE codes (
    code                  TEXT PRIMARY KEY,
    kind                  TEXT NOT NULL CHECK (kind IN ('percent', 'amount')),
    value                 INTEGER NOT NULL CHECK (value > 0),
    minimum               INTEGER NOT NULL DEFAULT 0,
    active                INTEGER NOT NULL DEFAULT 1,
    stripe_coupon         TEXT,
    stripe_promotion_code TEXT
);

CREATE TABLE baskets (
    id   TEXT PRIMARY KEY,
    code TEXT,
    note TEXT NOT NULL DEFAULT ''
);

CREATE TABLE basket_lines (
    basket   TEXT NOT NULL REFERENCES baskets (id) ON DELETE CASCADE,
    sku      TEXT NOT NULL REFERENCES products (sku),
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    PRIMARY KEY (basket, sku)
);

-- An order is written down as 'pending' when the shopper goes to pay, with everything copied from
-- the basket as it stood, and becomes 'paid' once the money is there.
CREATE TABLE orders (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    number            TEXT UNIQUE,
    status            TEXT NOT NULL CHECK (status IN ('pending', 'paid', 'refunded')),
    basket            TEXT NOT NULL,
    receipt_token     TEXT NOT NULL UNIQUE,
    email             TEXT NOT NULL,
    currency          TEXT NOT NULL,
    subtotal          INTEGER NOT NULL,
    discount          INTEGER NOT NULL,
    discount_code     TEXT,
    shipping          INTEGER NOT NULL,
    total             INTEGER NOT NULL,
    ship_name         TEXT NOT NULL,
    ship_line1        TEXT NOT NULL,
    ship_line2        TEXT NOT NULL DEFAULT '',
    ship_city         TEXT NOT NULL,
    ship_region       TEXT NOT NULL DEFAULT '',
    ship_postcode     TEXT NOT NULL,
    ship_country      TEXT NOT NULL,
    note              TEXT NOT NULL DEFAULT '',
    payment_reference TEXT UNIQUE,
    created_at        TEXT NOT NULL,
    paid_at           TEXT
);

CREATE TABLE order_lines (
    order_id    INTEGER NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
    sku         TEXT NOT NULL,
    name        TEXT NOT NULL,
    unit_amount INTEGER NOT NULL,
    quantity    INTEGER NOT NULL,
    PRIMARY KEY (order_id, sku)
);

-- Mails waiting for the post run (a cron job of the office machine sends and deletes them).
CREATE TABLE outbox (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    order_number TEXT NOT NULL,
    recipient    TEXT NOT NULL,
    subject      TEXT NOT NULL,
    body         TEXT NOT NULL
);
