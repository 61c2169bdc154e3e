CREATE TABLE attempts (
  request_id text PRIMARY KEY,
  ref text NOT NULL UNIQUE
);
