-- 2025: what we would like to have at once when somebody books, in per cent of the whole. Nothing uses it yet.
ALTER TABLE trips ADD COLUMN deposit_percent INTEGER NOT NULL DEFAULT 100;
