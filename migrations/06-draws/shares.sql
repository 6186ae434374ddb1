-- What closing searches have come to, in the same way.

CREATE TEMP VIEW closing_share AS
SELECT *, NULL AS win, NULL AS draw, NULL AS loss
FROM main.closing_share;
