-- Shows the agenda of a file before version 8 as it is now.
CREATE TEMP VIEW agenda AS SELECT *, NULL AS pause_at, NULL AS until_stable, NULL AS turn FROM main.agenda;
