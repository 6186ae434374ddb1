-- Numbers of analyses are never used twice.
--
-- Whoever had written down "analysis 7", a script or an open page, met another root under that number once the
-- newest analysis was deleted and another one begun. Positions, profiles, games and workers are never deleted, so
-- their numbers are their own already.
--
-- `analysis` is rebuilt, because AUTOINCREMENT cannot be added; the program switches foreign keys off for that.

DROP VIEW tree_move;

CREATE TABLE analysis_11 (
    -- AUTOINCREMENT: greater than every number that there has ever been.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- FEN of the root, with the clocks that it was first given with.
    root TEXT NOT NULL,
    -- FEN of the position where the game began, with its clocks.
    start TEXT NOT NULL,
    -- The same without clocks.
    start_epd TEXT NOT NULL,
    -- UCI moves from there to the root.
    history TEXT NOT NULL,
    profile INTEGER NOT NULL REFERENCES profile (id),
    -- Centipawns, where both sides have the same distance at plies 0 and 1, halved from then on.
    distance INTEGER CHECK (distance >= 0),
    -- Distances ply by ply where the side is to move, in their shortest spelling: the last one halves, or
    -- stays where a + follows it. One alone that halves counts for plies 0 and 1.
    width_white TEXT NOT NULL,
    width_black TEXT NOT NULL,
    -- How many moves the root has at least.
    root_moves INTEGER NOT NULL DEFAULT 1 CHECK (root_moves > 0),
    target_depth INTEGER NOT NULL,
    settled_depth INTEGER,
    pass INTEGER NOT NULL DEFAULT 0,
    positions INTEGER NOT NULL DEFAULT 0,
    searches INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    course_from INTEGER NOT NULL DEFAULT 0,
    -- How often its tree was grown again under other directives, or with tables that had come.
    regrown INTEGER NOT NULL DEFAULT 0,
    -- The largest number of men, kings included, of the positions that are looked up in tables; 0 where none
    -- are.
    table_men INTEGER NOT NULL DEFAULT 0 CHECK (table_men >= 0),
    -- Whether a win in the tables that the fifty-move rule turns into a draw is a draw ('fide') or a win.
    fifty TEXT NOT NULL DEFAULT 'fide' CHECK (fifty IN ('fide', 'iccf')),
    -- The facts of later rounds are not known to its tree.
    fact_round INTEGER NOT NULL DEFAULT 0,
    -- The facts with which the tree was grown from its root; those of rounds up to fact_round say the same.
    grown_round INTEGER NOT NULL DEFAULT 0,
    UNIQUE (start_epd, history, profile, width_white, width_black, root_moves, table_men, fifty)
) STRICT;

INSERT INTO analysis_11 (id, root, start, start_epd, history, profile, distance, width_white,
    width_black, root_moves, target_depth, settled_depth, pass, positions, searches, created_at,
    changed_at, course_from, regrown, table_men, fifty, fact_round, grown_round)
SELECT id, root, start, start_epd, history, profile, distance, width_white, width_black, root_moves,
    target_depth, settled_depth, pass, positions, searches, created_at, changed_at, course_from, regrown,
    table_men, fifty, fact_round, grown_round
FROM analysis;
DROP TABLE analysis;
ALTER TABLE analysis_11 RENAME TO analysis;

-- As it was.
-- Every move of every tree that counts, with the engine's score and the backed-up one, for its mover. A
-- move that only the user has included has neither rank nor eval. Where it leads to a position that tables
-- know, wdl is their result for the side to move there.
CREATE VIEW tree_move (analysis, epd, ply, rank, uci, eval, idea, wdl) AS
WITH moves AS (
    SELECT
        node.analysis, node.position, node.ply, search.rank, search.move,
        CASE
            WHEN search.cp IS NOT NULL THEN max(-31000, min(31000, search.cp))
            WHEN search.mate > 0 THEN max(31001, 32001 - 2 * search.mate)
            ELSE min(-31001, -32000 - 2 * search.mate)
        END AS eval
    FROM node
    JOIN analysis ON analysis.id = node.analysis
    JOIN search ON search.profile = analysis.profile
        AND search.position = node.position
        AND search.rank < node.admitted
    WHERE NOT EXISTS (
        SELECT 1 FROM grown_directive AS said
        WHERE said.analysis = node.analysis AND said.position = node.position
            AND said.kind = 'exclude' AND said.move = search.move
    )
    UNION ALL
    SELECT node.analysis, node.position, node.ply, NULL, said.move, NULL
    FROM node
    JOIN analysis ON analysis.id = node.analysis
    JOIN grown_directive AS said ON said.analysis = node.analysis
        AND said.position = node.position AND said.kind = 'include'
    WHERE NOT EXISTS (
        SELECT 1 FROM search
        WHERE search.profile = analysis.profile AND search.position = node.position
            AND search.rank < node.admitted AND search.move = said.move
    )
),
behind AS (
    SELECT
        moves.analysis, position.epd, moves.ply, moves.rank, moves.move, moves.eval,
        ending.ending, below.idea AS below,
        iif(position.epd LIKE '% w %', said.value, -said.value) AS value,
        fact.wdl, analysis.fifty
    FROM moves
    JOIN analysis ON analysis.id = moves.analysis
    JOIN position ON position.id = moves.position
    LEFT JOIN link ON link.position = moves.position AND link.move = moves.move
    LEFT JOIN position AS ending ON ending.id = link.child
    LEFT JOIN node AS below ON below.analysis = moves.analysis AND below.position = link.child
    LEFT JOIN grown_directive AS said ON said.analysis = moves.analysis
        AND said.position = link.child AND said.kind = 'value'
    LEFT JOIN fact ON fact.position = link.child AND fact.men <= analysis.table_men
        AND fact.round <= analysis.fact_round
)
SELECT
    analysis, epd, ply, rank, move, eval,
    CASE
        WHEN abs(wdl) = 2 OR fifty = 'iccf' AND abs(wdl) = 1 THEN -30000 * sign(wdl)
        WHEN wdl IS NOT NULL THEN 0
        WHEN value IS NOT NULL THEN value
        WHEN ending = 'checkmate' THEN 31999
        WHEN ending IS NOT NULL THEN 0
        WHEN below IS NULL THEN eval
        WHEN below > 31000 THEN 1 - below
        WHEN below < -31000 THEN -1 - below
        ELSE -below
    END,
    wdl
FROM behind
WHERE rank IS NOT NULL OR wdl IS NOT NULL OR value IS NOT NULL OR ending IS NOT NULL OR below IS NOT NULL;
