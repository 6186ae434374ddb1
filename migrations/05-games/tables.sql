
-- A set of games that trees know: what it was when it was counted.
CREATE TABLE game_set (
    id INTEGER PRIMARY KEY,
    -- What identifies its games: the same ones in another order, or in another file, have the same.
    digest TEXT NOT NULL UNIQUE,
    -- What it was called, and which of its games were counted, in words; empty where all were.
    name TEXT NOT NULL,
    filter TEXT NOT NULL,
    games INTEGER NOT NULL CHECK (games >= 0),
    -- CRC-32 of digest, name, filter and games.
    checksum INTEGER NOT NULL
) STRICT;

-- In how many games of a set each move of a position was played: of every analysed position of a tree that knows them,
-- and of others that were looked at.
CREATE TABLE move_count (
    game_set INTEGER NOT NULL REFERENCES game_set (id),
    position INTEGER NOT NULL REFERENCES position (id),
    -- A JSON object: moves and games, the most games first; {} where no game has been.
    counts TEXT NOT NULL,
    -- CRC-32 of the columns before it.
    checksum INTEGER NOT NULL,
    PRIMARY KEY (position, game_set)
) STRICT, WITHOUT ROWID;

-- What people play at the analysed positions of each tree, and whether it is followed for that. CROSS JOIN: each table is
-- read by its key, whatever SQLite guesses.
CREATE VIEW played_move (analysis, position, epd, ply, move, games, share, is_followed) AS
WITH said AS (
    SELECT
        node.analysis, node.position, position.epd, node.ply, one.key AS move, one.value AS games,
        (SELECT sum(value) FROM json_each(move_count.counts)) AS all_games,
        iif(position.epd LIKE '% w %', analysis.played_white, analysis.played_black) AS rule
    FROM analysis
    CROSS JOIN node ON node.analysis = analysis.id
    CROSS JOIN position ON position.id = node.position
    CROSS JOIN move_count ON move_count.game_set = analysis.game_set AND move_count.position = node.position
    CROSS JOIN json_each(move_count.counts) AS one
    WHERE analysis.game_set > 0
)
SELECT
    analysis, position, epd, ply, move, games, 1.0 * games / all_games,
    -- A text like 5%/10 is 5 as a number.
    rule <> ''
    AND games >= CAST(substr(rule, instr(rule, '/') + 1) AS INTEGER)
    AND 100 * games >= CAST(rule AS INTEGER) * all_games
    AND NOT EXISTS (
        SELECT 1 FROM grown_directive AS wish
        WHERE wish.analysis = said.analysis AND wish.position = said.position AND wish.move = said.move
            AND wish.kind IN ('exclude', 'include')
    )
FROM said;
