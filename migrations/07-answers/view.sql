-- What shows a reader of a file from before the step, which he leaves as it is, the same: for his connection alone these stand
-- before the tables. What is packed since is text there.

CREATE TEMP VIEW source AS
SELECT id, name, 'worker' AS kind, why, taken_back
FROM main.worker;

CREATE TEMP VIEW position AS
SELECT id, epd_hash(epd) AS hash, epd AS board, '' AS state, ending, epd
FROM main.position;


CREATE TEMP VIEW answer AS
SELECT profile, position, rank, search.move, link.child, cp, mate,
    3 * (1001 * win + draw) + win + draw + loss - 999 AS wdl,
    depth, seldepth, nodes, time_ms, pv AS line, created_at, checksum, worker AS source
FROM search LEFT JOIN main.link USING (position, move);
