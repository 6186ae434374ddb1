-- The last schema from before the first release, as its thirteen steps left it, without comments.
PRAGMA application_id = 1685089889;
PRAGMA user_version = 13;
CREATE TABLE position (
    id INTEGER PRIMARY KEY,
    epd TEXT NOT NULL UNIQUE,
    ending TEXT CHECK (ending IN ('checkmate', 'stalemate', 'insufficient material'))
) STRICT;
CREATE TABLE profile (
    id INTEGER PRIMARY KEY,
    engine TEXT NOT NULL,
    options TEXT NOT NULL,
    limit_kind TEXT NOT NULL CHECK (limit_kind IN ('depth', 'nodes')),
    limit_value INTEGER NOT NULL CHECK (limit_value > 0),
    UNIQUE (engine, options, limit_kind, limit_value)
) STRICT;
CREATE TABLE search (
    profile INTEGER NOT NULL REFERENCES profile (id),
    position INTEGER NOT NULL REFERENCES position (id),
    rank INTEGER NOT NULL CHECK (rank >= 0),
    move TEXT NOT NULL,
    cp INTEGER,
    mate INTEGER,
    depth INTEGER NOT NULL,
    seldepth INTEGER NOT NULL,
    nodes INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    pv TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    checksum INTEGER, worker INTEGER REFERENCES worker (id),
    PRIMARY KEY (profile, position, rank),
    CHECK ((cp IS NULL) <> (mate IS NULL))
) STRICT, WITHOUT ROWID;
CREATE TABLE link (
    position INTEGER NOT NULL REFERENCES position (id),
    move TEXT NOT NULL,
    child INTEGER NOT NULL REFERENCES position (id),
    PRIMARY KEY (position, move)
) STRICT, WITHOUT ROWID;
CREATE TABLE settled (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    depth INTEGER NOT NULL,
    passes INTEGER NOT NULL,
    searches INTEGER NOT NULL,
    positions INTEGER NOT NULL,
    value INTEGER,
    settled_at INTEGER NOT NULL, moves INTEGER,
    PRIMARY KEY (analysis, depth)
) STRICT, WITHOUT ROWID;
CREATE TABLE node (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    ply INTEGER NOT NULL,
    admitted INTEGER NOT NULL CHECK (admitted > 0),
    idea INTEGER NOT NULL, grown INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (analysis, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE course (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    pass INTEGER NOT NULL,
    searches INTEGER NOT NULL,
    positions INTEGER NOT NULL,
    move TEXT NOT NULL,
    alpha INTEGER NOT NULL,
    noted_at INTEGER NOT NULL,
    PRIMARY KEY (analysis, pass)
) STRICT, WITHOUT ROWID;
CREATE INDEX node_grown ON node (analysis, grown);
CREATE TABLE "verdict" (
    analysis INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    move TEXT NOT NULL,
    rank INTEGER CHECK (rank >= 0),
    eval INTEGER,
    idea INTEGER NOT NULL,
    alpha INTEGER NOT NULL,
    line TEXT NOT NULL,
    PRIMARY KEY (analysis, depth, move),
    CHECK ((rank IS NULL) = (eval IS NULL)),
    FOREIGN KEY (analysis, depth) REFERENCES settled (analysis, depth)
        ON DELETE CASCADE ON UPDATE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE game (
    id INTEGER PRIMARY KEY,
    start_epd TEXT NOT NULL,
    history TEXT NOT NULL,
    revision INTEGER NOT NULL DEFAULT 0, name TEXT CHECK (name <> ''),
    UNIQUE (start_epd, history)
) STRICT;
CREATE TABLE directive (
    game INTEGER NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    kind TEXT NOT NULL CHECK (kind IN ('exclude', 'include', 'value', 'stop', 'note')),
    move TEXT NOT NULL DEFAULT '',
    value INTEGER,
    text TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (game, position, kind, move),
    CHECK ((kind IN ('exclude', 'include')) = (move <> '')),
    CHECK ((kind = 'value') = (value IS NOT NULL)),
    CHECK ((kind = 'note') = (text IS NOT NULL))
) STRICT, WITHOUT ROWID;
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
CREATE TABLE agenda (
    analysis INTEGER PRIMARY KEY REFERENCES analysis (id) ON DELETE CASCADE,
    stages INTEGER NOT NULL CHECK (stages IN (0, 1)),
    weight INTEGER NOT NULL CHECK (weight BETWEEN 1 AND 100),
    place INTEGER NOT NULL,
    growing INTEGER NOT NULL CHECK (growing IN (0, 1)),
    ended TEXT
) STRICT;
CREATE TABLE fact (
    position INTEGER PRIMARY KEY REFERENCES position (id),
    wdl INTEGER CHECK (wdl BETWEEN -2 AND 2),
    men INTEGER NOT NULL,
    table_men INTEGER NOT NULL CHECK (table_men >= men),
    round INTEGER NOT NULL DEFAULT 0 CHECK (round >= 0),
    checksum INTEGER NOT NULL,
    CHECK (round = 0 OR wdl IS NOT NULL)
) STRICT;
CREATE INDEX fact_round ON fact (round) WHERE round > 0;
CREATE TABLE worker (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    why TEXT,
    taken_back INTEGER UNIQUE CHECK (taken_back > 0),
    CHECK (taken_back IS NULL OR why IS NOT NULL)
) STRICT;
CREATE INDEX search_worker ON search (worker) WHERE worker IS NOT NULL;
CREATE TABLE "table_move" (
    position INTEGER NOT NULL REFERENCES position (id),
    move TEXT NOT NULL,
    place INTEGER NOT NULL CHECK (place >= 0),
    wdl INTEGER NOT NULL CHECK (wdl BETWEEN -2 AND 2),
    dtz INTEGER,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (position, move)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_missing ON fact (men) WHERE wdl IS NULL;
CREATE TABLE "analysis" (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    root TEXT NOT NULL,
    start TEXT NOT NULL,
    start_epd TEXT NOT NULL,
    history TEXT NOT NULL,
    profile INTEGER NOT NULL REFERENCES profile (id),
    distance INTEGER CHECK (distance >= 0),
    width_white TEXT NOT NULL,
    width_black TEXT NOT NULL,
    root_moves INTEGER NOT NULL DEFAULT 1 CHECK (root_moves > 0),
    target_depth INTEGER NOT NULL,
    settled_depth INTEGER,
    pass INTEGER NOT NULL DEFAULT 0,
    positions INTEGER NOT NULL DEFAULT 0,
    searches INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    course_from INTEGER NOT NULL DEFAULT 0,
    regrown INTEGER NOT NULL DEFAULT 0,
    table_men INTEGER NOT NULL DEFAULT 0 CHECK (table_men >= 0),
    fifty TEXT NOT NULL DEFAULT 'fide' CHECK (fifty IN ('fide', 'iccf')),
    fact_round INTEGER NOT NULL DEFAULT 0,
    grown_round INTEGER NOT NULL DEFAULT 0, line TEXT,
    UNIQUE (start_epd, history, profile, width_white, width_black, root_moves, table_men, fifty)
) STRICT;
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
CREATE TABLE own_name (
    analysis INTEGER PRIMARY KEY REFERENCES analysis (id) ON DELETE CASCADE,
    name TEXT CHECK (name <> '')
) STRICT;
