CREATE TABLE trips (
  code TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  blurb TEXT NOT NULL DEFAULT '',
  currency TEXT NOT NULL,
  price INTEGER NOT NULL,           -- for one person, in minor units of the currency
  max_party INTEGER NOT NULL
);
