-- What shows a reader of a file from before the step, which he leaves as it is, the same as after the last one: for his connection alone it
-- stands before the table. The sum is made where it is asked for.

CREATE TEMP VIEW analysis AS
SELECT
    *,
    (
        SELECT CAST(total(search.nodes) AS INTEGER)
        FROM main.node AS node
        CROSS JOIN main.search AS search ON search.profile = kept.profile
            AND search.position = node.position
            AND search.rank < node.admitted
        WHERE node.analysis = kept.id
    ) AS nodes,
    '' AS found,
    0 AS game_set,
    '' AS played_white,
    '' AS played_black,
    0 AS draw_value
FROM main.analysis AS kept;
