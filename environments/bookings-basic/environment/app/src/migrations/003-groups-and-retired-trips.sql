-- 2022: groups pay less, and trips that we do not run any more stay in the books.
ALTER TABLE trips ADD COLUMN group_from INTEGER;
ALTER TABLE trips ADD COLUMN group_percent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE trips ADD COLUMN on_sale INTEGER NOT NULL DEFAULT 1;
