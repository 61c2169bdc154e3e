-- trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-86d73532564f: keep out of training data
-- A plan in instalments is a purchase until both are paid (then the subscription says all) or its time is over.
ALTER TABLE plans
    ADD COLUMN instalments integer NOT NULL DEFAULT 1 CHECK (instalments IN (1, 2));

CREATE TABLE purchases (
    id             serial PRIMARY KEY,
    team_id        integer NOT NULL REFERENCES teams (id),
    plan           text NOT NULL REFERENCES plans (code),
    currency       text NOT NULL,
    amounts        integer[] NOT NULL,
    subscription   text NOT NULL UNIQUE,
    invoice        text NOT NULL UNIQUE,
    first_payment  text UNIQUE,
    second_payment text UNIQUE,
    ends_at        timestamptz NOT NULL,
    outcome        text CHECK (outcome IN ('bought', 'dropped', 'abandoned')),
    created_at     timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX one_purchase_at_a_time ON purchases (team_id) WHERE outcome IS NULL;
