CREATE TABLE waiting (
  id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  session text NOT NULL REFERENCES sessions (code),
  name text NOT NULL,
  email text NOT NULL,
  note text NOT NULL DEFAULT '',
  told boolean NOT NULL DEFAULT false
);
