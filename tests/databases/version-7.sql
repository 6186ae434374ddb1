-- A database as version 7 of the schema wrote it: a scripted engine; a root with directives and a name, another one move
-- later that began with a copy of them, and both on the agenda, the later one first.
PRAGMA foreign_keys = OFF;
PRAGMA application_id = 1685089889;
PRAGMA user_version = 7;
BEGIN TRANSACTION;
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
INSERT INTO agenda VALUES(1,1,1,2,1,NULL);
INSERT INTO agenda VALUES(2,0,3,1,0,'depth 1 is complete');
CREATE TABLE "analysis" (
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
INSERT INTO analysis VALUES(1,'4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1','4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1','4k3/3pp3/8/8/8/8/3PP3/4K3 w - -','',1,10,'10','10',1,1,1,7,9,31,1795393173018,1795393176470,0,1);
INSERT INTO analysis VALUES(2,'4k3/3pp3/8/8/3P4/8/4P3/4K3 b - - 0 1','4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1','4k3/3pp3/8/8/8/8/3PP3/4K3 w - -','d2d4',1,10,'10','10',1,1,1,6,7,25,1795393178281,1795393179102,0,1);
CREATE TABLE course (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    -- How many passes there were then.
    pass INTEGER NOT NULL,
    searches INTEGER NOT NULL,
    positions INTEGER NOT NULL,
    -- The best move in UCI notation, and its alpha for the mover.
    move TEXT NOT NULL,
    alpha INTEGER NOT NULL,
    -- When, in milliseconds since 1970, UTC.
    noted_at INTEGER NOT NULL,
    PRIMARY KEY (analysis, pass)
) STRICT, WITHOUT ROWID;
INSERT INTO course VALUES(1,1,3,1,'d2d4',4,1795393174086);
INSERT INTO course VALUES(1,2,7,2,'d2d3',-3,1795393174123);
INSERT INTO course VALUES(1,5,18,6,'d2d3',14,1795393175004);
INSERT INTO course VALUES(2,1,4,1,'e7e6',10,1795393178629);
INSERT INTO course VALUES(2,2,7,2,'e7e5',21,1795393178629);
INSERT INTO course VALUES(2,4,12,4,'e7e6',10,1795393178629);
INSERT INTO course VALUES(2,5,25,7,'d7d5',7,1795393178629);
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
INSERT INTO directive VALUES(1,1,'exclude','e2e4',NULL,NULL,1795393170440);
INSERT INTO directive VALUES(1,1,'include','d2d4',NULL,NULL,1795393171016);
INSERT INTO directive VALUES(1,2,'include','e7e5',NULL,NULL,1795393171016);
INSERT INTO directive VALUES(2,1,'exclude','e2e4',NULL,NULL,1795393178361);
INSERT INTO directive VALUES(2,1,'include','d2d4',NULL,NULL,1795393178361);
INSERT INTO directive VALUES(2,2,'include','e7e5',NULL,NULL,1795393178361);
CREATE TABLE game (
    id INTEGER PRIMARY KEY,
    start_epd TEXT NOT NULL,
    -- UCI moves to the root.
    history TEXT NOT NULL,
    -- How often its directives have changed.
    revision INTEGER NOT NULL DEFAULT 0, name TEXT CHECK (name <> ''),
    UNIQUE (start_epd, history)
) STRICT;
INSERT INTO game VALUES(1,'4k3/3pp3/8/8/8/8/3PP3/4K3 w - -','',2,'Two pawns each');
INSERT INTO game VALUES(2,'4k3/3pp3/8/8/8/8/3PP3/4K3 w - -','d2d4',1,NULL);
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
INSERT INTO grown_directive VALUES(1,1,'exclude','e2e4',NULL);
INSERT INTO grown_directive VALUES(1,1,'include','d2d4',NULL);
INSERT INTO grown_directive VALUES(1,2,'include','e7e5',NULL);
INSERT INTO grown_directive VALUES(2,1,'exclude','e2e4',NULL);
INSERT INTO grown_directive VALUES(2,1,'include','d2d4',NULL);
INSERT INTO grown_directive VALUES(2,2,'include','e7e5',NULL);
CREATE TABLE link (
    position INTEGER NOT NULL REFERENCES position (id),
    move TEXT NOT NULL,
    child INTEGER NOT NULL REFERENCES position (id),
    PRIMARY KEY (position, move)
) STRICT, WITHOUT ROWID;
INSERT INTO link VALUES(1,'d2d3',4);
INSERT INTO link VALUES(1,'d2d4',2);
INSERT INTO link VALUES(1,'e1f1',5);
INSERT INTO link VALUES(2,'d7d5',7);
INSERT INTO link VALUES(2,'d7d6',9);
INSERT INTO link VALUES(2,'e7e5',3);
INSERT INTO link VALUES(2,'e7e6',6);
INSERT INTO link VALUES(2,'e8d8',8);
INSERT INTO link VALUES(3,'d4e5',11);
INSERT INTO link VALUES(3,'e2e3',12);
INSERT INTO link VALUES(3,'e2e4',10);
INSERT INTO link VALUES(4,'d7d5',15);
INSERT INTO link VALUES(4,'e7e6',13);
INSERT INTO link VALUES(4,'e8f8',14);
INSERT INTO link VALUES(6,'e1d1',22);
INSERT INTO link VALUES(6,'e1d2',23);
INSERT INTO link VALUES(6,'e2e3',21);
INSERT INTO link VALUES(6,'e2e4',24);
INSERT INTO link VALUES(7,'e1d1',28);
INSERT INTO link VALUES(7,'e1d2',26);
INSERT INTO link VALUES(7,'e1f2',27);
INSERT INTO link VALUES(7,'e2e3',25);
INSERT INTO link VALUES(7,'e2e4',29);
INSERT INTO link VALUES(8,'e1d1',31);
INSERT INTO link VALUES(8,'e1f2',32);
INSERT INTO link VALUES(8,'e2e3',30);
INSERT INTO link VALUES(8,'e2e4',33);
INSERT INTO link VALUES(10,'d7d5',17);
INSERT INTO link VALUES(10,'e8d8',16);
INSERT INTO link VALUES(11,'d7d5',20);
INSERT INTO link VALUES(11,'e8d8',19);
INSERT INTO link VALUES(11,'e8f8',18);
CREATE TABLE node (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    ply INTEGER NOT NULL,
    admitted INTEGER NOT NULL CHECK (admitted > 0),
    idea INTEGER NOT NULL, grown INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (analysis, position)
) STRICT, WITHOUT ROWID;
INSERT INTO node VALUES(1,1,0,3,14,4);
INSERT INTO node VALUES(1,2,1,4,7,4);
INSERT INTO node VALUES(1,3,2,3,13,4);
INSERT INTO node VALUES(1,4,1,3,-14,7);
INSERT INTO node VALUES(1,6,2,4,4,7);
INSERT INTO node VALUES(1,7,2,5,-7,7);
INSERT INTO node VALUES(1,8,2,4,-6,7);
INSERT INTO node VALUES(1,10,3,2,-13,7);
INSERT INTO node VALUES(1,11,3,3,1,7);
INSERT INTO node VALUES(2,2,0,4,7,6);
INSERT INTO node VALUES(2,3,1,3,13,6);
INSERT INTO node VALUES(2,6,1,4,4,6);
INSERT INTO node VALUES(2,7,1,5,-7,6);
INSERT INTO node VALUES(2,8,1,4,-6,6);
INSERT INTO node VALUES(2,10,2,2,-13,6);
INSERT INTO node VALUES(2,11,2,3,1,6);
CREATE TABLE position (
    id INTEGER PRIMARY KEY,
    -- Board, side to move, castling rights, legal en passant square: no clocks.
    epd TEXT NOT NULL UNIQUE,
    -- How the game is over there; no row of search has such a position.
    ending TEXT CHECK (ending IN ('checkmate', 'stalemate', 'insufficient material'))
) STRICT;
INSERT INTO position VALUES(1,'4k3/3pp3/8/8/8/8/3PP3/4K3 w - -',NULL);
INSERT INTO position VALUES(2,'4k3/3pp3/8/8/3P4/8/4P3/4K3 b - -',NULL);
INSERT INTO position VALUES(3,'4k3/3p4/8/4p3/3P4/8/4P3/4K3 w - -',NULL);
INSERT INTO position VALUES(4,'4k3/3pp3/8/8/8/3P4/4P3/4K3 b - -',NULL);
INSERT INTO position VALUES(5,'4k3/3pp3/8/8/8/8/3PP3/5K2 b - -',NULL);
INSERT INTO position VALUES(6,'4k3/3p4/4p3/8/3P4/8/4P3/4K3 w - -',NULL);
INSERT INTO position VALUES(7,'4k3/4p3/8/3p4/3P4/8/4P3/4K3 w - -',NULL);
INSERT INTO position VALUES(8,'3k4/3pp3/8/8/3P4/8/4P3/4K3 w - -',NULL);
INSERT INTO position VALUES(9,'4k3/4p3/3p4/8/3P4/8/4P3/4K3 w - -',NULL);
INSERT INTO position VALUES(10,'4k3/3p4/8/4p3/3PP3/8/8/4K3 b - -',NULL);
INSERT INTO position VALUES(11,'4k3/3p4/8/4P3/8/8/4P3/4K3 b - -',NULL);
INSERT INTO position VALUES(12,'4k3/3p4/8/4p3/3P4/4P3/8/4K3 b - -',NULL);
INSERT INTO position VALUES(13,'4k3/3p4/4p3/8/8/3P4/4P3/4K3 w - -',NULL);
INSERT INTO position VALUES(14,'5k2/3pp3/8/8/8/3P4/4P3/4K3 w - -',NULL);
INSERT INTO position VALUES(15,'4k3/4p3/8/3p4/8/3P4/4P3/4K3 w - -',NULL);
INSERT INTO position VALUES(16,'3k4/3p4/8/4p3/3PP3/8/8/4K3 w - -',NULL);
INSERT INTO position VALUES(17,'4k3/8/8/3pp3/3PP3/8/8/4K3 w - -',NULL);
INSERT INTO position VALUES(18,'5k2/3p4/8/4P3/8/8/4P3/4K3 w - -',NULL);
INSERT INTO position VALUES(19,'3k4/3p4/8/4P3/8/8/4P3/4K3 w - -',NULL);
INSERT INTO position VALUES(20,'4k3/8/8/3pP3/8/8/4P3/4K3 w - d6',NULL);
INSERT INTO position VALUES(21,'4k3/3p4/4p3/8/3P4/4P3/8/4K3 b - -',NULL);
INSERT INTO position VALUES(22,'4k3/3p4/4p3/8/3P4/8/4P3/3K4 b - -',NULL);
INSERT INTO position VALUES(23,'4k3/3p4/4p3/8/3P4/8/3KP3/8 b - -',NULL);
INSERT INTO position VALUES(24,'4k3/3p4/4p3/8/3PP3/8/8/4K3 b - -',NULL);
INSERT INTO position VALUES(25,'4k3/4p3/8/3p4/3P4/4P3/8/4K3 b - -',NULL);
INSERT INTO position VALUES(26,'4k3/4p3/8/3p4/3P4/8/3KP3/8 b - -',NULL);
INSERT INTO position VALUES(27,'4k3/4p3/8/3p4/3P4/8/4PK2/8 b - -',NULL);
INSERT INTO position VALUES(28,'4k3/4p3/8/3p4/3P4/8/4P3/3K4 b - -',NULL);
INSERT INTO position VALUES(29,'4k3/4p3/8/3p4/3PP3/8/8/4K3 b - -',NULL);
INSERT INTO position VALUES(30,'3k4/3pp3/8/8/3P4/4P3/8/4K3 b - -',NULL);
INSERT INTO position VALUES(31,'3k4/3pp3/8/8/3P4/8/4P3/3K4 b - -',NULL);
INSERT INTO position VALUES(32,'3k4/3pp3/8/8/3P4/8/4PK2/8 b - -',NULL);
INSERT INTO position VALUES(33,'3k4/3pp3/8/8/3PP3/8/8/4K3 b - -',NULL);
CREATE TABLE profile (
    id INTEGER PRIMARY KEY,
    engine TEXT NOT NULL,
    -- The options that the user set, as a JSON object with sorted keys.
    options TEXT NOT NULL,
    limit_kind TEXT NOT NULL CHECK (limit_kind IN ('depth', 'nodes')),
    limit_value INTEGER NOT NULL CHECK (limit_value > 0),
    UNIQUE (engine, options, limit_kind, limit_value)
) STRICT;
INSERT INTO profile VALUES(1,'Scripted 1','{}','depth',5);
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
INSERT INTO search VALUES(1,1,0,'d2d4',4,NULL,5,7,1631,24,'d2d4 d7d6',1795393173568,1035051973);
INSERT INTO search VALUES(1,1,1,'d2d3',-3,NULL,5,7,1631,0,'d2d3 d7d6',1795393173938,626472485);
INSERT INTO search VALUES(1,1,2,'e1f1',-16,NULL,5,7,1631,9,'e1f1 d7d6',1795393174086,1075622142);
INSERT INTO search VALUES(1,2,0,'e7e6',10,NULL,5,7,1733,0,'e7e6 e2e3',1795393174123,3882792909);
INSERT INTO search VALUES(1,2,1,'d7d5',8,NULL,5,7,1733,0,'d7d5 e2e3',1795393174123,3242529768);
INSERT INTO search VALUES(1,2,2,'e8d8',5,NULL,5,7,1733,0,'e8d8 e2e3',1795393174124,760693643);
INSERT INTO search VALUES(1,2,3,'d7d6',-9,NULL,5,7,1733,0,'d7d6 e2e3',1795393174124,3898154298);
INSERT INTO search VALUES(1,3,0,'e2e4',-21,NULL,5,7,1419,0,'e2e4 e5d4',1795393174254,2664712004);
INSERT INTO search VALUES(1,3,1,'d4e5',-29,NULL,5,7,1419,49,'d4e5 d7d6',1795393174374,4083983771);
INSERT INTO search VALUES(1,3,2,'e2e3',-31,NULL,5,7,1419,15,'e2e3 e5d4',1795393174445,588103694);
INSERT INTO search VALUES(1,4,0,'e7e6',-14,NULL,5,7,1120,0,'e7e6 e2e3',1795393174626,2931474784);
INSERT INTO search VALUES(1,4,1,'e8f8',-22,NULL,5,7,1120,5,'e8f8 e2e3',1795393174698,2683887208);
INSERT INTO search VALUES(1,4,2,'d7d5',-24,NULL,5,7,1120,0,'d7d5 e2e3',1795393174887,1492069529);
INSERT INTO search VALUES(1,6,0,'e2e3',4,NULL,5,7,1248,0,'e2e3 e6e5',1795393175110,541157742);
INSERT INTO search VALUES(1,6,1,'e1d1',3,NULL,5,7,1248,0,'e1d1 e6e5',1795393175191,1022814376);
INSERT INTO search VALUES(1,6,2,'e1d2',-2,NULL,5,7,1248,0,'e1d2 e6e5',1795393175191,3367075457);
INSERT INTO search VALUES(1,6,3,'e2e4',-14,NULL,5,7,1248,10,'e2e4 e6e5',1795393175344,2192242481);
INSERT INTO search VALUES(1,7,0,'e2e3',-7,NULL,5,7,1013,18,'e2e3 e7e6',1795393175725,301369747);
INSERT INTO search VALUES(1,7,1,'e1d2',-8,NULL,5,7,1013,0,'e1d2 e7e6',1795393175725,1585450562);
INSERT INTO search VALUES(1,7,2,'e1f2',-13,NULL,5,7,1013,0,'e1f2 e7e6',1795393175725,910594502);
INSERT INTO search VALUES(1,7,3,'e1d1',-14,NULL,5,7,1013,0,'e1d1 e7e6',1795393175764,1609589392);
INSERT INTO search VALUES(1,7,4,'e2e4',-18,NULL,5,7,1013,0,'e2e4 d5e4',1795393175764,3245241819);
INSERT INTO search VALUES(1,8,0,'e2e3',-6,NULL,5,7,1857,0,'e2e3 d7d6',1795393175764,2331017244);
INSERT INTO search VALUES(1,8,1,'e1d1',-7,NULL,5,7,1857,131,'e1d1 d7d6',1795393176042,3635314529);
INSERT INTO search VALUES(1,8,2,'e1f2',-12,NULL,5,7,1857,111,'e1f2 d7d6',1795393176353,250313587);
INSERT INTO search VALUES(1,8,3,'e2e4',-21,NULL,5,7,1857,0,'e2e4 d7d6',1795393176353,1230751446);
INSERT INTO search VALUES(1,10,0,'e8d8',-13,NULL,5,7,1142,85,'e8d8 d4e5',1795393174999,1470198284);
INSERT INTO search VALUES(1,10,1,'d7d5',-32,NULL,5,7,1142,0,'d7d5 e4d5',1795393174999,313932931);
INSERT INTO search VALUES(1,11,0,'e8f8',1,NULL,5,7,1197,0,'e8f8 e2e3',1795393175000,643692943);
INSERT INTO search VALUES(1,11,1,'e8d8',-1,NULL,5,7,1197,0,'e8d8 e2e3',1795393175004,3542365368);
INSERT INTO search VALUES(1,11,2,'d7d5',-9,NULL,5,7,1197,0,'d7d5 e5d6',1795393175004,3875291160);
CREATE TABLE settled (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    depth INTEGER NOT NULL,
    passes INTEGER NOT NULL,
    searches INTEGER NOT NULL,
    positions INTEGER NOT NULL,
    -- The root's alpha for its side to move; none where the root is no analysed position.
    value INTEGER,
    settled_at INTEGER NOT NULL, moves INTEGER,
    PRIMARY KEY (analysis, depth)
) STRICT, WITHOUT ROWID;
INSERT INTO settled VALUES(1,0,4,10,3,-3,1795393174457,3);
INSERT INTO settled VALUES(1,1,7,31,9,14,1795393176470,3);
INSERT INTO settled VALUES(2,0,3,7,2,21,1795393178958,5);
INSERT INTO settled VALUES(2,1,6,25,7,7,1795393178958,5);
CREATE TABLE "verdict" (
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
INSERT INTO verdict VALUES(1,0,'d2d3',1,-3,-3,-3,'d2d3');
INSERT INTO verdict VALUES(1,0,'d2d4',0,4,-21,-21,'d2d4 e7e5 e2e4');
INSERT INTO verdict VALUES(1,0,'e1f1',2,-16,-16,-16,'e1f1');
INSERT INTO verdict VALUES(1,1,'d2d3',1,-3,14,14,'d2d3 e7e6');
INSERT INTO verdict VALUES(1,1,'d2d4',0,4,-7,-7,'d2d4 d7d5 e2e3');
INSERT INTO verdict VALUES(1,1,'e1f1',2,-16,-16,-16,'e1f1');
INSERT INTO verdict VALUES(2,0,'d7d5',1,8,8,8,'d7d5');
INSERT INTO verdict VALUES(2,0,'d7d6',3,-9,-9,-9,'d7d6');
INSERT INTO verdict VALUES(2,0,'e7e5',NULL,NULL,21,21,'e7e5 e2e4');
INSERT INTO verdict VALUES(2,0,'e7e6',0,10,10,10,'e7e6');
INSERT INTO verdict VALUES(2,0,'e8d8',2,5,5,5,'e8d8');
INSERT INTO verdict VALUES(2,1,'d7d5',1,8,7,7,'d7d5 e2e3');
INSERT INTO verdict VALUES(2,1,'d7d6',3,-9,-9,-9,'d7d6');
INSERT INTO verdict VALUES(2,1,'e7e5',NULL,NULL,-13,-13,'e7e5 e2e4 e8d8');
INSERT INTO verdict VALUES(2,1,'e7e6',0,10,-4,-4,'e7e6 e2e3');
INSERT INTO verdict VALUES(2,1,'e8d8',2,5,6,6,'e8d8 e2e3');
CREATE INDEX node_grown ON node (analysis, grown);
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
COMMIT;
