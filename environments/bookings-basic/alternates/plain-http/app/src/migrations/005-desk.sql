CREATE TABLE phone_bookings (
  ref TEXT PRIMARY KEY, trip TEXT NOT NULL, date TEXT NOT NULL, people INTEGER NOT NULL, name TEXT NOT NULL, email TEXT,
  currency TEXT NOT NULL, paid INTEGER NOT NULL, remark TEXT
);
CREATE TABLE web_bookings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  request_id TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL DEFAULT 'open',        -- open, done or refused
  answer TEXT,                               -- of a refused attempt
  trip TEXT NOT NULL, date TEXT NOT NULL, people INTEGER NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL,
  currency TEXT NOT NULL, total INTEGER NOT NULL, due INTEGER NOT NULL,
  payment TEXT, charge TEXT, refunding INTEGER NOT NULL DEFAULT 0
);
