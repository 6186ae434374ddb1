-- Widths and directives: the user's hand (ALGORITHM, section 6).
--
-- An analysis was a function of its root, profile and one distance. Now each side has distances of its own,
-- ply by ply, the root may be given a number of moves, and the user may say of positions which moves to
-- exclude and to include, what they are worth, and where to stop.
--
-- `analysis` is rebuilt, because what identifies one is another key; the program switches foreign keys off
-- for that, or dropping the old table would empty the tables that refer to it. `verdict` is rebuilt, because
-- a move that only the user has included has neither rank nor score.

DROP VIEW tree_move;

CREATE TABLE analysis_5 (
    id INTEGER PRIMARY KEY,
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
    -- How often its tree was grown again under other directives.
    regrown INTEGER NOT NULL DEFAULT 0,
    UNIQUE (start_epd, history, profile, width_white, width_black, root_moves)
) STRICT;

INSERT INTO analysis_5 (id, root, start, start_epd, history, profile, distance, width_white,
    width_black, target_depth, settled_depth, pass, positions, searches, created_at, changed_at,
    course_from)
SELECT id, root, start, start_epd, history, profile, distance, distance, distance, target_depth,
    settled_depth, pass, positions, searches, created_at, changed_at, course_from
FROM analysis;
DROP TABLE analysis;
ALTER TABLE analysis_5 RENAME TO analysis;

CREATE TABLE verdict_5 (
    analysis INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    -- UCI notation, as in search.
    move TEXT NOT NULL,
    -- None where the move is not listed: the user has included it.
    rank INTEGER CHECK (rank >= 0),
    eval INTEGER,
    idea INTEGER NOT NULL,
    alpha INTEGER NOT NULL,
    -- UCI moves, the root's first: best alpha follows, until the tree's end, a repetition or an
    -- ending.
    line TEXT NOT NULL,
    PRIMARY KEY (analysis, depth, move),
    CHECK ((rank IS NULL) = (eval IS NULL)),
    FOREIGN KEY (analysis, depth) REFERENCES settled (analysis, depth)
        ON DELETE CASCADE ON UPDATE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO verdict_5 (analysis, depth, move, rank, eval, idea, alpha, line)
SELECT analysis, depth, move, rank, eval, idea, alpha, line FROM verdict;
DROP TABLE verdict;
ALTER TABLE verdict_5 RENAME TO verdict;

-- A game up to a root of which the user has said something, or which was grown.
CREATE TABLE game (
    id INTEGER PRIMARY KEY,
    start_epd TEXT NOT NULL,
    -- UCI moves to the root.
    history TEXT NOT NULL,
    -- How often its directives have changed.
    revision INTEGER NOT NULL DEFAULT 0,
    UNIQUE (start_epd, history)
) STRICT;
INSERT INTO game (start_epd, history) SELECT DISTINCT start_epd, history FROM analysis;

-- What the user says of positions of a root, whatever line leads to them.
CREATE TABLE directive (
    game INTEGER NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    kind TEXT NOT NULL CHECK (kind IN ('exclude', 'include', 'value', 'stop', 'note')),
    -- UCI notation; empty where it is said of the position itself.
    move TEXT NOT NULL DEFAULT '',
    -- Centipawns for White.
    value INTEGER,
    text TEXT,
    -- When it was said: milliseconds since 1970, UTC.
    created_at INTEGER NOT NULL,
    PRIMARY KEY (game, position, kind, move),
    CHECK ((kind IN ('exclude', 'include')) = (move <> '')),
    CHECK ((kind = 'value') = (value IS NOT NULL)),
    CHECK ((kind = 'note') = (text IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- The directives that the tree of an analysis was grown with.
CREATE TABLE grown_directive (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    kind TEXT NOT NULL CHECK (kind IN ('exclude', 'include', 'value', 'stop')),
    move TEXT NOT NULL DEFAULT '',
    value INTEGER,
    PRIMARY KEY (analysis, position, kind, move),
    CHECK ((kind IN ('exclude', 'include')) = (move <> '')),
    CHECK ((kind = 'value') = (value IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- Every move of every tree that counts, with the engine's score and the backed-up one, for its mover. A
-- move that only the user has included has neither rank nor eval.
CREATE VIEW tree_move (analysis, epd, ply, rank, uci, eval, idea) AS
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
        iif(position.epd LIKE '% w %', said.value, -said.value) AS value
    FROM moves
    JOIN position ON position.id = moves.position
    LEFT JOIN link ON link.position = moves.position AND link.move = moves.move
    LEFT JOIN position AS ending ON ending.id = link.child
    LEFT JOIN node AS below ON below.analysis = moves.analysis AND below.position = link.child
    LEFT JOIN grown_directive AS said ON said.analysis = moves.analysis
        AND said.position = link.child AND said.kind = 'value'
)
SELECT
    analysis, epd, ply, rank, move, eval,
    CASE
        WHEN value IS NOT NULL THEN value
        WHEN ending = 'checkmate' THEN 31999
        WHEN ending IS NOT NULL THEN 0
        WHEN below IS NULL THEN eval
        WHEN below > 31000 THEN 1 - below
        WHEN below < -31000 THEN -1 - below
        ELSE -below
    END
FROM behind
WHERE rank IS NOT NULL OR value IS NOT NULL OR ending IS NOT NULL OR below IS NOT NULL;
