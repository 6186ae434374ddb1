-- The memo of engine answers, and the trees derived from it.
--
-- Facts (position, profile, search) are append-only: an answer cost engine time and is kept for
-- good. Derived rows (link, analysis, settled, node) can be worked out again from the facts, and
-- `deepanalyze verify` does so.
--
-- Values (node.idea, tree_move.eval, tree_move.idea) are one ordered integer for the side to move
-- or the mover: centipawns, clamped to ±31000; a mate delivered after k plies is 32000 - k, being
-- mated after k plies is -(32000 - k).

PRAGMA application_id = 1685089889; -- 'dpna'

CREATE TABLE position (
    id INTEGER PRIMARY KEY,
    -- Board, side to move, castling rights, legal en passant square: no clocks.
    epd TEXT NOT NULL UNIQUE,
    -- How the game is over there; no row of search has such a position.
    ending TEXT CHECK (ending IN ('checkmate', 'stalemate', 'insufficient material'))
) STRICT;

-- What makes two scores comparable.
CREATE TABLE profile (
    id INTEGER PRIMARY KEY,
    engine TEXT NOT NULL,
    -- The options that the user set, as a JSON object with sorted keys.
    options TEXT NOT NULL,
    limit_kind TEXT NOT NULL CHECK (limit_kind IN ('depth', 'nodes')),
    limit_value INTEGER NOT NULL CHECK (limit_value > 0),
    UNIQUE (engine, options, limit_kind, limit_value)
) STRICT;

-- One answer of an engine: its best move among those of lower rank excluded.
CREATE TABLE search (
    profile INTEGER NOT NULL REFERENCES profile (id),
    position INTEGER NOT NULL REFERENCES position (id),
    rank INTEGER NOT NULL CHECK (rank >= 0),
    -- UCI notation, castling as e1g1.
    move TEXT NOT NULL,
    -- The score for the side that plays the move, in centipawns or in moves to mate.
    cp INTEGER,
    mate INTEGER,
    depth INTEGER NOT NULL,
    seldepth INTEGER NOT NULL,
    nodes INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    -- UCI moves; the first is the move.
    pv TEXT NOT NULL,
    -- milliseconds since 1970, UTC.
    created_at INTEGER NOT NULL,
    -- CRC-32 of the row as the program wrote it; a row without one came from elsewhere, and verify
    -- says so.
    checksum INTEGER,
    PRIMARY KEY (profile, position, rank),
    CHECK ((cp IS NULL) <> (mate IS NULL))
) STRICT, WITHOUT ROWID;

-- Where a move leads, so that SQL can follow it.
CREATE TABLE link (
    position INTEGER NOT NULL REFERENCES position (id),
    move TEXT NOT NULL,
    child INTEGER NOT NULL REFERENCES position (id),
    PRIMARY KEY (position, move)
) STRICT, WITHOUT ROWID;

-- One tree: the function of root, game history, profile and distance.
CREATE TABLE analysis (
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
    -- Centipawns.
    distance INTEGER NOT NULL CHECK (distance >= 0),
    target_depth INTEGER NOT NULL,
    settled_depth INTEGER,
    pass INTEGER NOT NULL DEFAULT 0,
    positions INTEGER NOT NULL DEFAULT 0,
    searches INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    UNIQUE (start_epd, history, profile, distance)
) STRICT;

-- How far the analysis had come when a depth was settled.
CREATE TABLE settled (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    depth INTEGER NOT NULL,
    passes INTEGER NOT NULL,
    searches INTEGER NOT NULL,
    positions INTEGER NOT NULL,
    -- The root's alpha for its side to move; none where the root is no analysed position.
    value INTEGER,
    settled_at INTEGER NOT NULL,
    PRIMARY KEY (analysis, depth)
) STRICT, WITHOUT ROWID;

-- An analysed position of a tree: its least ply, how many of its answers are admitted, and its
-- backed-up value for its side to move, whatever line leads to it.
CREATE TABLE node (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    ply INTEGER NOT NULL,
    admitted INTEGER NOT NULL CHECK (admitted > 0),
    idea INTEGER NOT NULL,
    PRIMARY KEY (analysis, position)
) STRICT, WITHOUT ROWID;

-- Every admitted move of every tree, with the engine's score and the backed-up one, for its mover.
CREATE VIEW tree_move (analysis, epd, ply, rank, uci, eval, idea) AS
WITH listed AS (
    SELECT
        node.analysis, position.epd, node.ply, search.rank, search.move, ending.ending,
        below.idea AS below,
        CASE
            WHEN search.cp IS NOT NULL THEN max(-31000, min(31000, search.cp))
            WHEN search.mate > 0 THEN max(31001, 32001 - 2 * search.mate)
            ELSE min(-31001, -32000 - 2 * search.mate)
        END AS eval
    FROM node
    JOIN analysis ON analysis.id = node.analysis
    JOIN position ON position.id = node.position
    JOIN search ON search.profile = analysis.profile
        AND search.position = node.position
        AND search.rank < node.admitted
    LEFT JOIN link ON link.position = node.position AND link.move = search.move
    LEFT JOIN position AS ending ON ending.id = link.child
    LEFT JOIN node AS below ON below.analysis = node.analysis AND below.position = link.child
)
SELECT
    analysis, epd, ply, rank, move, eval,
    CASE
        WHEN ending = 'checkmate' THEN 31999
        WHEN ending IS NOT NULL THEN 0
        WHEN below IS NULL THEN eval
        WHEN below > 31000 THEN 1 - below
        WHEN below < -31000 THEN -1 - below
        ELSE -below
    END
FROM listed;
