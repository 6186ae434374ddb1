-- The memo of engine answers, the trees derived from it, and what the user says of both.
--
-- An answer, and what endgame tables say, is kept for good: it cost engine time. A fleet's worker that is found wrong
-- is the one exception. A tree (node, settled, verdict, course, and what `analysis` counts) follows from its answers,
-- and `deepanalyze verify` grows it again to prove it.
--
-- Values (idea, alpha, value, and eval but in `search`) are one ordered integer in centipawns for the side to move, or
-- for the side that plays the move where there is one: scores are clamped to ±31000; a mate delivered after k plies is
-- 32000 - k, being mated after k plies is -(32000 - k).
--
-- Positions are written as EPD without operations: board, side to move, castling rights, legal en passant square, no
-- clocks. Moves are in UCI notation, castling as e1g1; lines are moves with one blank between them. Times are
-- milliseconds since 1970, UTC. Plies count from the root, 0 first.

PRAGMA application_id = 1684106849; -- 'dana'

CREATE TABLE position (
    id INTEGER PRIMARY KEY,
    epd TEXT NOT NULL UNIQUE,
    -- How the game is over there; no row of search has such a position. NULL where it goes on.
    ending TEXT CHECK (ending IN ('checkmate', 'stalemate', 'insufficient material'))
) STRICT;

-- What makes two scores comparable.
CREATE TABLE profile (
    id INTEGER PRIMARY KEY,
    -- As it names itself ("id name").
    engine TEXT NOT NULL,
    -- The options that the user set, as a JSON object with sorted keys. For answers on a kept hash, which depend on the
    -- searches before them, "keep-hash" is among them: true where nobody knows what was searched before, else an
    -- object with sorted keys:
    --
    --   {"distance":10,"limit":{"depth":5},"moves":"e2e4 e7e5","of":"best lines","passes":4,"start":"EPD"}
    --
    -- "of" is "tree", all searches of a tree, or "best lines", those of its rehearsal; "start" and "moves" (where there
    -- are any) lead to its root; "limit" is the limit of its searches where another profile has them, and "passes" or
    -- "nodes" how far it had come.
    options TEXT NOT NULL,
    -- What ends each search, and at how many plies or nodes.
    limit_kind TEXT NOT NULL CHECK (limit_kind IN ('depth', 'nodes')),
    limit_value INTEGER NOT NULL CHECK (limit_value > 0),
    UNIQUE (engine, options, limit_kind, limit_value)
) STRICT;

-- The workers of a fleet.
CREATE TABLE worker (
    id INTEGER PRIMARY KEY,
    -- What it is called at the broker: a worker that is started again is another.
    name TEXT NOT NULL UNIQUE,
    -- Why it is not believed; NULL as long as it is.
    why TEXT,
    -- Which time it was that answers were taken back; NULL where it had given none. Whoever has read a tree or a
    -- list before the last time reads it anew.
    taken_back INTEGER UNIQUE CHECK (taken_back > 0),
    CHECK (taken_back IS NULL OR why IS NOT NULL)
) STRICT;

-- One answer of an engine: its best move among those of lower rank excluded.
CREATE TABLE search (
    profile INTEGER NOT NULL REFERENCES profile (id),
    position INTEGER NOT NULL REFERENCES position (id),
    rank INTEGER NOT NULL CHECK (rank >= 0),
    move TEXT NOT NULL,
    -- The score for the side that plays the move, in centipawns or in moves to mate (negative where it is mated).
    cp INTEGER,
    mate INTEGER,
    -- As the engine told last: plies, the most plies of a line, nodes, milliseconds.
    depth INTEGER NOT NULL,
    seldepth INTEGER NOT NULL,
    nodes INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    -- The engine's line; it begins with the move.
    pv TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- CRC-32 of the row as the program wrote it; a row without one came from elsewhere, and verify says so.
    checksum INTEGER,
    -- Who gave it; NULL for an engine of the computer that grew the tree.
    worker INTEGER REFERENCES worker (id),
    PRIMARY KEY (profile, position, rank),
    CHECK ((cp IS NULL) <> (mate IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX search_worker ON search (worker) WHERE worker IS NOT NULL;

-- Where a move leads, so that SQL can follow it.
CREATE TABLE link (
    position INTEGER NOT NULL REFERENCES position (id),
    move TEXT NOT NULL,
    child INTEGER NOT NULL REFERENCES position (id),
    PRIMARY KEY (position, move)
) STRICT, WITHOUT ROWID;

-- What endgame tables say of a position that is no end by the rules and in which nobody may castle.
CREATE TABLE fact (
    position INTEGER PRIMARY KEY REFERENCES position (id),
    -- From -2 (lost) to 2 (won) for the side to move; 1 and -1 are draws by the fifty-move rule, whose count
    -- begins at 0. NULL where the tables do not have the position.
    wdl INTEGER CHECK (wdl BETWEEN -2 AND 2),
    -- How many men the position has, kings included.
    men INTEGER NOT NULL,
    -- The largest number of men of the tables that were asked.
    table_men INTEGER NOT NULL CHECK (table_men >= men),
    -- 0 where the position was found, or not, when it was looked up first. Where tables have come since that
    -- have it, which time that was: trees that were grown before know nothing of it until they are grown
    -- again.
    round INTEGER NOT NULL DEFAULT 0 CHECK (round >= 0),
    -- CRC-32 of the columns before it.
    checksum INTEGER NOT NULL,
    CHECK (round = 0 OR wdl IS NOT NULL)
) STRICT;
CREATE INDEX fact_round ON fact (round) WHERE round > 0;
-- What tables did not have is looked up again at every start.
CREATE INDEX fact_missing ON fact (men) WHERE wdl IS NULL;

-- The moves of roots that endgame tables know.
CREATE TABLE table_move (
    position INTEGER NOT NULL REFERENCES position (id),
    move TEXT NOT NULL,
    -- The best comes first, at 0.
    place INTEGER NOT NULL CHECK (place >= 0),
    -- The result for the side that plays the move, as in fact.
    wdl INTEGER NOT NULL CHECK (wdl BETWEEN -2 AND 2),
    -- Plies to the next capture, pawn move or mate, the move included; negative where its side loses. NULL
    -- where the tables do not say.
    dtz INTEGER,
    -- CRC-32 of the columns before it.
    checksum INTEGER NOT NULL,
    PRIMARY KEY (position, move)
) STRICT, WITHOUT ROWID;

-- A game up to a root of which the user has said something, or which was grown.
CREATE TABLE game (
    id INTEGER PRIMARY KEY,
    -- Where it began, and the moves from there to the root.
    start_epd TEXT NOT NULL,
    history TEXT NOT NULL,
    -- How often its directives have changed.
    revision INTEGER NOT NULL DEFAULT 0,
    -- What people call the root: what the user said by `rename`, else the players of the PGN file or the `id` of the
    -- EPD record that it was first grown from. NULL where nothing is known.
    name TEXT CHECK (name <> ''),
    UNIQUE (start_epd, history)
) STRICT;

-- What the user says of positions of a root, whatever line leads to them.
CREATE TABLE directive (
    game INTEGER NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    kind TEXT NOT NULL CHECK (kind IN ('exclude', 'include', 'value', 'stop', 'note')),
    -- Empty where it is said of the position itself.
    move TEXT NOT NULL DEFAULT '',
    -- Centipawns for White.
    value INTEGER,
    -- The note.
    text TEXT,
    -- When it was said.
    created_at INTEGER NOT NULL,
    PRIMARY KEY (game, position, kind, move),
    CHECK ((kind IN ('exclude', 'include')) = (move <> '')),
    CHECK ((kind = 'value') = (value IS NOT NULL)),
    CHECK ((kind = 'note') = (text IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- One tree: the function of root, game history, profile, distances, directives and tables.
CREATE TABLE analysis (
    -- AUTOINCREMENT: greater than every number that there has ever been, so that none is used twice.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- FEN of the root, with the clocks that it was first given with.
    root TEXT NOT NULL,
    -- FEN of the position where the game began, with its clocks.
    start TEXT NOT NULL,
    -- The same without clocks.
    start_epd TEXT NOT NULL,
    -- Moves from there to the root.
    history TEXT NOT NULL,
    -- Whose answers.
    profile INTEGER NOT NULL REFERENCES profile (id),
    -- Centipawns, where both sides have the same distance at plies 0 and 1, halved from then on; else NULL.
    distance INTEGER CHECK (distance >= 0),
    -- Distances ply by ply where the side is to move, in their shortest spelling: the last one halves, or
    -- stays where a + follows it. One alone that halves counts for plies 0 and 1.
    width_white TEXT NOT NULL,
    width_black TEXT NOT NULL,
    -- How many moves the root has at least.
    root_moves INTEGER NOT NULL DEFAULT 1 CHECK (root_moves > 0),
    -- The depth that the last run was to settle, and the greatest that is settled (NULL before depth 0).
    target_depth INTEGER NOT NULL,
    settled_depth INTEGER,
    -- How many passes there were, and how many analysed positions and admitted answers the tree has.
    pass INTEGER NOT NULL DEFAULT 0,
    positions INTEGER NOT NULL DEFAULT 0,
    searches INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    -- Always 0: the course is known from the first pass on.
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
    -- The line of best alphas from the root as the last pass left it; empty where the root is an end, NULL before the
    -- first pass.
    line TEXT,
    UNIQUE (start_epd, history, profile, width_white, width_black, root_moves, table_men, fifty)
) STRICT;

-- Names of single analyses, which go before those of their games; each stage of an analysis has a row.
CREATE TABLE own_name (
    analysis INTEGER PRIMARY KEY REFERENCES analysis (id) ON DELETE CASCADE,
    -- NULL where it is to have none, whatever the game is called.
    name TEXT CHECK (name <> '')
) STRICT;

-- The roots that `deepanalyze serve` grows side by side.
CREATE TABLE agenda (
    -- The first stage of the root. It stays though nothing is in it yet, as long as it is here.
    analysis INTEGER PRIMARY KEY REFERENCES analysis (id) ON DELETE CASCADE,
    -- Whether the engines search deeper from stage to stage; otherwise this one analysis is grown.
    stages INTEGER NOT NULL CHECK (stages IN (0, 1)),
    -- Its share of the engines' time beside the others'.
    weight INTEGER NOT NULL CHECK (weight BETWEEN 1 AND 100),
    -- Where it stands: the least comes first.
    place INTEGER NOT NULL,
    -- Whether the user wants it to grow: the next start goes on with it, unless it was done.
    growing INTEGER NOT NULL CHECK (growing IN (0, 1)),
    -- Why it is done; NULL where it is not.
    ended TEXT
) STRICT;

-- The directives that the tree of an analysis was grown with; columns as in directive.
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

-- The analysed positions of each tree.
CREATE TABLE node (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    -- The least ply.
    ply INTEGER NOT NULL,
    -- How many of its answers are admitted: those of lower rank.
    admitted INTEGER NOT NULL CHECK (admitted > 0),
    -- The backed-up value for its side to move, whatever line leads to it.
    idea INTEGER NOT NULL,
    -- After how many passes `admitted` was last written with another number. Several passes may be written together;
    -- they count as the last of them. Who follows a tree reads the lists that have grown since.
    grown INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (analysis, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX node_grown ON node (analysis, grown);

-- How far the analysis had come when a depth was settled.
CREATE TABLE settled (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    depth INTEGER NOT NULL,
    passes INTEGER NOT NULL,
    searches INTEGER NOT NULL,
    positions INTEGER NOT NULL,
    -- The root's alpha for its side to move; NULL where the root is no analysed position.
    value INTEGER,
    settled_at INTEGER NOT NULL,
    -- How many root moves the verdict of the depth has.
    moves INTEGER,
    PRIMARY KEY (analysis, depth)
) STRICT, WITHOUT ROWID;

-- What a settled depth made of each move of the root, for the side that plays it.
CREATE TABLE verdict (
    analysis INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    move TEXT NOT NULL,
    -- As in search; NULL where the move is not listed: the user has included it.
    rank INTEGER CHECK (rank >= 0),
    -- The engine's score, the backed-up value, and the value behind the game and the move, where a repetition counts.
    eval INTEGER,
    idea INTEGER NOT NULL,
    alpha INTEGER NOT NULL,
    -- The move first: best alpha follows, until the tree's end, a repetition or an ending.
    line TEXT NOT NULL,
    PRIMARY KEY (analysis, depth, move),
    CHECK ((rank IS NULL) = (eval IS NULL)),
    FOREIGN KEY (analysis, depth) REFERENCES settled (analysis, depth)
        ON DELETE CASCADE ON UPDATE CASCADE
) STRICT, WITHOUT ROWID;

-- The passes that changed the root's best move or its alpha, the first one among them.
CREATE TABLE course (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    -- How many passes, answers and positions there were then.
    pass INTEGER NOT NULL,
    searches INTEGER NOT NULL,
    positions INTEGER NOT NULL,
    -- The best move, and its alpha for the side that plays it.
    move TEXT NOT NULL,
    alpha INTEGER NOT NULL,
    noted_at INTEGER NOT NULL,
    PRIMARY KEY (analysis, pass)
) STRICT, WITHOUT ROWID;

-- Every move of every tree that counts, with the engine's score and the backed-up one, for the side that plays it. A
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
