-- The same of answers, for files of every version before the step.

CREATE TEMP VIEW search AS
SELECT *, NULL AS win, NULL AS draw, NULL AS loss
FROM main.search;
