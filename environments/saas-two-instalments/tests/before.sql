-- trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-c0d59d88124c: keep out of training data
CREATE TABLE teams (
    id         serial PRIMARY KEY,
    name       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE users (
    id            serial PRIMARY KEY,
    team_id       integer NOT NULL REFERENCES teams (id),
    role          text NOT NULL CHECK (role IN ('owner', 'member')),
    name          text NOT NULL,
    email         text NOT NULL UNIQUE,
    password_hash text NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE logins (
    token_hash text PRIMARY KEY,
    user_id    integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    expires_at timestamptz NOT NULL
);
CREATE TABLE kilns (
    id         serial PRIMARY KEY,
    team_id    integer NOT NULL REFERENCES teams (id),
    name       text NOT NULL,
    litres     integer NOT NULL CHECK (litres > 0),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE activity (
    id         serial PRIMARY KEY,
    team_id    integer NOT NULL REFERENCES teams (id),
    user_id    integer REFERENCES users (id),
    action     text NOT NULL,
    detail     text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX activity_of_team ON activity (team_id, id);
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

CREATE TABLE migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
INSERT INTO migrations (name) VALUES ('0001_accounts.sql'), ('0002_kilns_and_activity.sql'), ('0003_plans.sql');
