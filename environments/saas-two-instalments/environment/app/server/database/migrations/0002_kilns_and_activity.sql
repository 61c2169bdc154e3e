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
