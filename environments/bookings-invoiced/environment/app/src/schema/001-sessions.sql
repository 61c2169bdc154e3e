CREATE TABLE sessions (
  code text PRIMARY KEY,
  name text NOT NULL,
  blurb text NOT NULL DEFAULT '',
  seats integer NOT NULL CHECK (seats > 0),   -- how many one booking may have
  on_offer boolean NOT NULL DEFAULT true      -- false: not this year; nothing is ever deleted
);
