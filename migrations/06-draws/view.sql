-- What shows a reader of a file from before the step, which he leaves as it is, the same: for his connection alone it
-- stands before the table.

CREATE TEMP VIEW analysis AS
SELECT *, 0 AS draw_value
FROM main.analysis;
