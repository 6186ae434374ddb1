-- Profiles as version 3 has them, whichever version wrote them. Readers of older databases put this view in
-- the place of their table `profile`; up.sql takes the new rows from it.
--
-- Version 2 wrote, as the option "keep-hash", "true" or a sentence: of the tree of EPD, distance 10; the same
-- with the UCI moves of a game behind the EPD; of the best lines of the tree of …; and behind the distance, or
-- not, a limit and how far the tree had come: depth 5, after 4 passes, or nodes 900, after 1200 nodes.
CREATE TEMP VIEW profile_3 (id, engine, options, limit_kind, limit_value) AS
WITH kept AS (
    SELECT *, CASE
        WHEN json_valid(options) AND json_type(options, '$."keep-hash"') = 'text'
            THEN options ->> '$."keep-hash"'
    END AS sentence
    FROM main.profile
), cut AS (
    SELECT *,
        -- The EPD and the moves: an EPD has no comma.
        substr(sentence, instr(sentence, 'of the tree of ') + 15,
            instr(sentence, ', distance ') - instr(sentence, 'of the tree of ') - 15) AS place,
        substr(sentence, instr(sentence, ', distance ') + 11) AS numbers
    FROM kept
), words AS (
    SELECT *,
        '["' || replace(place, ' ', '","') || '"]' AS fields,
        '["' || replace(replace(numbers, ',', ''), ' ', '","') || '"]' AS counts
    FROM cut
), named AS (
    SELECT *,
        (fields ->> 0) || ' ' || (fields ->> 1) || ' ' || (fields ->> 2) || ' ' || (fields ->> 3)
            AS start,
        counts ->> 5 AS unit
    FROM words
    WHERE sentence LIKE 'of the tree of %, distance %'
        OR sentence LIKE 'of the best lines of the tree of %, distance %'
), data AS (
    SELECT id,
        -- A patch leaves out what is null.
        json_patch('{}', json_object(
            'distance', CAST(counts ->> 0 AS INTEGER),
            'limit', CASE WHEN unit IS NOT NULL
                THEN json_object(counts ->> 1, CAST(counts ->> 2 AS INTEGER)) END,
            'moves', nullif(substr(place, length(start) + 2), ''),
            'nodes', CASE unit WHEN 'nodes' THEN CAST(counts ->> 4 AS INTEGER) END,
            'of', CASE WHEN sentence LIKE 'of the best lines %' THEN 'best lines' ELSE 'tree' END,
            'passes', CASE unit WHEN 'passes' THEN CAST(counts ->> 4 AS INTEGER) END,
            'start', start
        )) AS contents
    FROM named
)
SELECT kept.id, engine, CASE
        WHEN contents IS NOT NULL THEN json_replace(options, '$."keep-hash"', json(contents))
        WHEN sentence = 'true' THEN json_replace(options, '$."keep-hash"', json('true'))
        ELSE options
    END, limit_kind, limit_value
FROM kept LEFT JOIN data ON data.id = kept.id;
