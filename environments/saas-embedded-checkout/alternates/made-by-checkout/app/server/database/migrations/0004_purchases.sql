-- The Checkout Sessions that we have made, so that those of others on the account are never taken for ours.
CREATE TABLE purchases (
    session    text PRIMARY KEY,
    team_id    integer NOT NULL REFERENCES teams (id),
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX purchases_of_team ON purchases (team_id);
