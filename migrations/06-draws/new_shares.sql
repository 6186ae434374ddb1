-- The same where the table is the reader's own.

ALTER TABLE temp.closing_share ADD COLUMN win INTEGER;
ALTER TABLE temp.closing_share ADD COLUMN draw INTEGER;
ALTER TABLE temp.closing_share ADD COLUMN loss INTEGER;
