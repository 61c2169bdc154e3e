-- Amounts are whole minor units (cents). A team without a plan is on the free one.
CREATE TABLE plans (
    code           text PRIMARY KEY,
    position       integer NOT NULL,
    name           text NOT NULL,
    blurb          text NOT NULL,
    highlights     jsonb NOT NULL DEFAULT '[]',
    kilns          integer NOT NULL,
    unit_amount    integer NOT NULL CHECK (unit_amount > 0),
    currency       text NOT NULL,
    interval       text NOT NULL CHECK (interval IN ('month', 'year')),
    trial_days     integer NOT NULL DEFAULT 0,
    on_sale        boolean NOT NULL DEFAULT true,
    stripe_product text,
    stripe_price   text
);

ALTER TABLE teams
    ADD COLUMN plan text REFERENCES plans (code),
    ADD COLUMN subscription_status text,
    ADD COLUMN stripe_customer text UNIQUE,
    ADD COLUMN stripe_subscription text UNIQUE;
