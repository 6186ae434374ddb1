-- A database as version 2 of the schema wrote it: a scripted engine; two closing searches of one tree, one of another,
-- a tree on a kept hash, and a duel with trees on kept hashes and closing searches.
PRAGMA foreign_keys = OFF;
PRAGMA application_id = 1685089889;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
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
    changed_at INTEGER NOT NULL, course_from INTEGER NOT NULL DEFAULT 0,
    UNIQUE (start_epd, history, profile, distance)
) STRICT;
INSERT INTO "analysis" VALUES(1,'4k3/3p4/8/4p3/4P3/8/3P4/4K3 w - - 0 2','4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1','4k3/3pp3/8/8/8/8/3PP3/4K3 w - -','e2e4 e7e5',1,10,2,2,6,4,7,1795317544525,1795317544608,0);
INSERT INTO "analysis" VALUES(2,'4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1','4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1','4k3/3pp3/8/8/8/8/3PP3/4K3 w - -','',1,10,0,0,2,1,3,1795317544662,1795317544708,0);
INSERT INTO "analysis" VALUES(3,'6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1','6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1','6k1/5ppp/8/8/8/8/5PPP/R5K1 b - -','',7,10,0,0,2,1,4,1795317544776,1795317544810,0);
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
INSERT INTO "course" VALUES(1,1,2,1,'e1d1',-17,1795317544542);
INSERT INTO "course" VALUES(1,3,5,2,'e1d1',-7,1795317544546);
INSERT INTO "course" VALUES(1,5,7,4,'e1d1',6,1795317544604);
INSERT INTO "course" VALUES(2,1,3,1,'d2d4',4,1795317544707);
INSERT INTO "course" VALUES(3,1,4,1,'f7f5',0,1795317544807);
CREATE TABLE link (
    position INTEGER NOT NULL REFERENCES position (id),
    move TEXT NOT NULL,
    child INTEGER NOT NULL REFERENCES position (id),
    PRIMARY KEY (position, move)
) STRICT, WITHOUT ROWID;
INSERT INTO "link" VALUES(1,'e1d1',2);
INSERT INTO "link" VALUES(1,'e1f1',3);
INSERT INTO "link" VALUES(2,'d7d5',5);
INSERT INTO "link" VALUES(2,'d7d6',4);
INSERT INTO "link" VALUES(2,'e8e7',6);
INSERT INTO "link" VALUES(4,'d2d4',7);
INSERT INTO "link" VALUES(5,'e4d5',8);
INSERT INTO "link" VALUES(9,'d2d3',11);
INSERT INTO "link" VALUES(9,'d2d4',10);
INSERT INTO "link" VALUES(9,'e1f1',12);
INSERT INTO "link" VALUES(10,'d7d5',19);
INSERT INTO "link" VALUES(10,'d7d6',21);
INSERT INTO "link" VALUES(10,'e7e6',18);
INSERT INTO "link" VALUES(10,'e8d8',20);
INSERT INTO "link" VALUES(11,'d7d5',24);
INSERT INTO "link" VALUES(11,'e7e6',22);
INSERT INTO "link" VALUES(11,'e8f7',25);
INSERT INTO "link" VALUES(11,'e8f8',23);
INSERT INTO "link" VALUES(13,'f7f5',14);
INSERT INTO "link" VALUES(13,'f7f6',16);
INSERT INTO "link" VALUES(13,'g8f8',17);
INSERT INTO "link" VALUES(13,'h7h6',15);
INSERT INTO "link" VALUES(22,'d3d4',26);
INSERT INTO "link" VALUES(23,'e1f1',27);
INSERT INTO "link" VALUES(24,'e1f1',28);
CREATE TABLE node (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    ply INTEGER NOT NULL,
    admitted INTEGER NOT NULL CHECK (admitted > 0),
    idea INTEGER NOT NULL,
    PRIMARY KEY (analysis, position)
) STRICT, WITHOUT ROWID;
INSERT INTO "node" VALUES(1,1,0,2,6);
INSERT INTO "node" VALUES(1,2,1,3,-6);
INSERT INTO "node" VALUES(1,4,2,1,8);
INSERT INTO "node" VALUES(1,5,2,1,6);
INSERT INTO "node" VALUES(2,9,0,3,4);
INSERT INTO "node" VALUES(3,13,0,4,0);
CREATE TABLE position (
    id INTEGER PRIMARY KEY,
    -- Board, side to move, castling rights, legal en passant square: no clocks.
    epd TEXT NOT NULL UNIQUE,
    -- How the game is over there; no row of search has such a position.
    ending TEXT CHECK (ending IN ('checkmate', 'stalemate', 'insufficient material'))
) STRICT;
INSERT INTO "position" VALUES(1,'4k3/3p4/8/4p3/4P3/8/3P4/4K3 w - -',NULL);
INSERT INTO "position" VALUES(2,'4k3/3p4/8/4p3/4P3/8/3P4/3K4 b - -',NULL);
INSERT INTO "position" VALUES(3,'4k3/3p4/8/4p3/4P3/8/3P4/5K2 b - -',NULL);
INSERT INTO "position" VALUES(4,'4k3/8/3p4/4p3/4P3/8/3P4/3K4 w - -',NULL);
INSERT INTO "position" VALUES(5,'4k3/8/8/3pp3/4P3/8/3P4/3K4 w - -',NULL);
INSERT INTO "position" VALUES(6,'8/3pk3/8/4p3/4P3/8/3P4/3K4 w - -',NULL);
INSERT INTO "position" VALUES(7,'4k3/8/3p4/4p3/3PP3/8/8/3K4 b - -',NULL);
INSERT INTO "position" VALUES(8,'4k3/8/8/3Pp3/8/8/3P4/3K4 b - -',NULL);
INSERT INTO "position" VALUES(9,'4k3/3pp3/8/8/8/8/3PP3/4K3 w - -',NULL);
INSERT INTO "position" VALUES(10,'4k3/3pp3/8/8/3P4/8/4P3/4K3 b - -',NULL);
INSERT INTO "position" VALUES(11,'4k3/3pp3/8/8/8/3P4/4P3/4K3 b - -',NULL);
INSERT INTO "position" VALUES(12,'4k3/3pp3/8/8/8/8/3PP3/5K2 b - -',NULL);
INSERT INTO "position" VALUES(13,'6k1/5ppp/8/8/8/8/5PPP/R5K1 b - -',NULL);
INSERT INTO "position" VALUES(14,'6k1/6pp/8/5p2/8/8/5PPP/R5K1 w - -',NULL);
INSERT INTO "position" VALUES(15,'6k1/5pp1/7p/8/8/8/5PPP/R5K1 w - -',NULL);
INSERT INTO "position" VALUES(16,'6k1/6pp/5p2/8/8/8/5PPP/R5K1 w - -',NULL);
INSERT INTO "position" VALUES(17,'5k2/5ppp/8/8/8/8/5PPP/R5K1 w - -',NULL);
INSERT INTO "position" VALUES(18,'4k3/3p4/4p3/8/3P4/8/4P3/4K3 w - -',NULL);
INSERT INTO "position" VALUES(19,'4k3/4p3/8/3p4/3P4/8/4P3/4K3 w - -',NULL);
INSERT INTO "position" VALUES(20,'3k4/3pp3/8/8/3P4/8/4P3/4K3 w - -',NULL);
INSERT INTO "position" VALUES(21,'4k3/4p3/3p4/8/3P4/8/4P3/4K3 w - -',NULL);
INSERT INTO "position" VALUES(22,'4k3/3p4/4p3/8/8/3P4/4P3/4K3 w - -',NULL);
INSERT INTO "position" VALUES(23,'5k2/3pp3/8/8/8/3P4/4P3/4K3 w - -',NULL);
INSERT INTO "position" VALUES(24,'4k3/4p3/8/3p4/8/3P4/4P3/4K3 w - -',NULL);
INSERT INTO "position" VALUES(25,'8/3ppk2/8/8/8/3P4/4P3/4K3 w - -',NULL);
INSERT INTO "position" VALUES(26,'4k3/3p4/4p3/8/3P4/8/4P3/4K3 b - -',NULL);
INSERT INTO "position" VALUES(27,'5k2/3pp3/8/8/8/3P4/4P3/5K2 b - -',NULL);
INSERT INTO "position" VALUES(28,'4k3/4p3/8/3p4/8/3P4/4P3/5K2 b - -',NULL);
CREATE TABLE profile (
    id INTEGER PRIMARY KEY,
    engine TEXT NOT NULL,
    -- The options that the user set, as a JSON object with sorted keys.
    options TEXT NOT NULL,
    limit_kind TEXT NOT NULL CHECK (limit_kind IN ('depth', 'nodes')),
    limit_value INTEGER NOT NULL CHECK (limit_value > 0),
    UNIQUE (engine, options, limit_kind, limit_value)
) STRICT;
INSERT INTO "profile" VALUES(1,'Scripted 1','{}','depth',5);
INSERT INTO "profile" VALUES(2,'Scripted 1','{"keep-hash":"of the best lines of the tree of 4k3/3pp3/8/8/8/8/3PP3/4K3 w - - e2e4 e7e5, distance 10, depth 5, after 4 passes"}','depth',5);
INSERT INTO "profile" VALUES(3,'Scripted 1','{"keep-hash":"of the best lines of the tree of 4k3/3pp3/8/8/8/8/3PP3/4K3 w - - e2e4 e7e5, distance 10, depth 5, after 4 passes"}','depth',9);
INSERT INTO "profile" VALUES(4,'Scripted 1','{"keep-hash":"of the best lines of the tree of 4k3/3pp3/8/8/8/8/3PP3/4K3 w - - e2e4 e7e5, distance 10, depth 5, after 6 passes"}','depth',5);
INSERT INTO "profile" VALUES(5,'Scripted 1','{"keep-hash":"of the best lines of the tree of 4k3/3pp3/8/8/8/8/3PP3/4K3 w - - e2e4 e7e5, distance 10, depth 5, after 6 passes"}','nodes',70000);
INSERT INTO "profile" VALUES(6,'Scripted 1','{"keep-hash":"of the best lines of the tree of 4k3/3pp3/8/8/8/8/3PP3/4K3 w - -, distance 10, depth 5, after 2 passes"}','depth',6);
INSERT INTO "profile" VALUES(7,'Scripted 1','{"keep-hash":"true"}','depth',5);
INSERT INTO "profile" VALUES(8,'Player','{}','nodes',20000);
INSERT INTO "profile" VALUES(9,'Player','{"keep-hash":"of the tree of 4k3/3pp3/8/8/8/8/3PP3/4K3 w - -, distance 15"}','depth',5);
INSERT INTO "profile" VALUES(10,'Player','{"keep-hash":"of the tree of 4k3/3pp3/8/8/8/8/3PP3/4K3 w - -, distance 10"}','depth',4);
INSERT INTO "profile" VALUES(11,'Player','{"keep-hash":"of the tree of 4k3/3pp3/8/8/8/8/3PP3/4K3 w - -, distance 10, depth 4, after 14065 nodes"}','nodes',5935);
INSERT INTO "profile" VALUES(12,'Player','{}','depth',4);
INSERT INTO "profile" VALUES(13,'Player','{"keep-hash":"of the best lines of the tree of 4k3/3pp3/8/8/8/8/3PP3/4K3 w - -, distance 10, depth 4, after 10092 nodes"}','depth',4);
INSERT INTO "profile" VALUES(14,'Player','{"keep-hash":"of the best lines of the tree of 4k3/3pp3/8/8/8/8/3PP3/4K3 w - -, distance 10, depth 4, after 10092 nodes"}','nodes',8175);
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
INSERT INTO "search" VALUES(1,1,0,'e1d1',-17,NULL,5,7,1223,1,'e1d1 d7d6',1795317544542,3019500096);
INSERT INTO "search" VALUES(1,1,1,'e1f1',-28,NULL,5,7,1223,0,'e1f1 d7d6',1795317544542,2969644027);
INSERT INTO "search" VALUES(1,2,0,'d7d6',7,NULL,5,7,1353,1,'d7d6 d2d3',1795317544546,319461710);
INSERT INTO "search" VALUES(1,2,1,'d7d5',6,NULL,5,7,1353,0,'d7d5 e4d5',1795317544546,184001047);
INSERT INTO "search" VALUES(1,2,2,'e8e7',-28,NULL,5,7,1353,0,'e8e7 d2d3',1795317544546,3058956835);
INSERT INTO "search" VALUES(1,4,0,'d2d4',8,NULL,5,7,1330,0,'d2d4 e5d4',1795317544604,232924735);
INSERT INTO "search" VALUES(1,5,0,'e4d5',6,NULL,5,7,1227,0,'e4d5 e5e4',1795317544605,233881850);
INSERT INTO "search" VALUES(1,9,0,'d2d4',4,NULL,5,7,1631,0,'d2d4 d7d6',1795317544707,4259443444);
INSERT INTO "search" VALUES(1,9,1,'d2d3',-3,NULL,5,7,1631,0,'d2d3 d7d6',1795317544707,255671566);
INSERT INTO "search" VALUES(1,9,2,'e1f1',-16,NULL,5,7,1631,0,'e1f1 d7d6',1795317544707,3194517661);
INSERT INTO "search" VALUES(2,2,0,'d7d6',7,NULL,5,7,1353,0,'d7d6 d2d3',1795317544565,1533808412);
INSERT INTO "search" VALUES(3,1,0,'e1d1',-17,NULL,9,11,1223,0,'e1d1 d7d6',1795317544569,2607284240);
INSERT INTO "search" VALUES(4,2,0,'d7d6',7,NULL,5,7,1353,0,'d7d6 d2d3',1795317544627,1592557477);
INSERT INTO "search" VALUES(4,5,0,'e4d5',6,NULL,5,7,1227,0,'e4d5 e5e4',1795317544625,4105240020);
INSERT INTO "search" VALUES(5,1,0,'e1d1',-17,NULL,9,11,70000,0,'e1d1 d7d6',1795317544633,1262216779);
INSERT INTO "search" VALUES(6,9,0,'d2d4',4,NULL,6,8,1631,0,'d2d4 d7d6',1795317544730,3468322587);
INSERT INTO "search" VALUES(7,13,0,'f7f5',0,NULL,5,7,1590,0,'f7f5 f2f3',1795317544808,2206826202);
INSERT INTO "search" VALUES(7,13,1,'h7h6',-1,NULL,5,7,1590,0,'h7h6 f2f3',1795317544808,3709869595);
INSERT INTO "search" VALUES(7,13,2,'f7f6',-6,NULL,5,7,1590,0,'f7f6 f2f3',1795317544808,3303689460);
INSERT INTO "search" VALUES(7,13,3,'g8f8',-15,NULL,5,7,1590,0,'g8f8 f2f3',1795317544808,758782229);
INSERT INTO "search" VALUES(8,9,0,'d2d4',-5,NULL,9,11,20000,0,'d2d4 d7d6',1795317544898,4239556795);
INSERT INTO "search" VALUES(9,9,0,'d2d4',-5,NULL,5,7,1631,0,'d2d4 d7d6',1795317544905,1181163390);
INSERT INTO "search" VALUES(9,9,1,'d2d3',-12,NULL,5,7,1631,0,'d2d3 d7d6',1795317544909,3131597568);
INSERT INTO "search" VALUES(9,9,2,'e1f1',-25,NULL,5,7,1631,0,'e1f1 d7d6',1795317544913,1202144710);
INSERT INTO "search" VALUES(9,10,0,'e7e6',-4,NULL,5,7,1733,0,'e7e6 e2e3',1795317544917,2058754056);
INSERT INTO "search" VALUES(9,10,1,'d7d5',-6,NULL,5,7,1733,0,'d7d5 e2e3',1795317544918,3182884856);
INSERT INTO "search" VALUES(9,10,2,'e8d8',-9,NULL,5,7,1733,0,'e8d8 e2e3',1795317544919,1982236992);
INSERT INTO "search" VALUES(9,10,3,'d7d6',-23,NULL,5,7,1733,0,'d7d6 e2e3',1795317544925,2321858701);
INSERT INTO "search" VALUES(9,11,0,'e7e6',-14,NULL,5,7,1120,0,'e7e6 e2e3',1795317544929,3944444150);
INSERT INTO "search" VALUES(9,11,1,'e8f8',-22,NULL,5,7,1120,0,'e8f8 e2e3',1795317544933,2045614488);
INSERT INTO "search" VALUES(9,11,2,'d7d5',-24,NULL,5,7,1120,0,'d7d5 e2e3',1795317544934,4254213605);
INSERT INTO "search" VALUES(9,11,3,'e8f7',-40,NULL,5,7,1120,0,'e8f7 e2e3',1795317544937,1681938335);
INSERT INTO "search" VALUES(9,22,0,'d3d4',-37,NULL,5,7,1727,0,'d3d4 e6e5',1795317544941,3793842289);
INSERT INTO "search" VALUES(9,23,0,'e1f1',15,NULL,5,7,1966,0,'e1f1 d7d6',1795317544942,1674110564);
INSERT INTO "search" VALUES(9,24,0,'e1f1',-38,NULL,5,7,1169,0,'e1f1 d5d4',1795317544944,210162867);
INSERT INTO "search" VALUES(10,9,0,'d2d4',-5,NULL,4,6,1631,0,'d2d4 d7d6',1795317544949,1795961661);
INSERT INTO "search" VALUES(10,9,1,'d2d3',-12,NULL,4,6,1631,0,'d2d3 d7d6',1795317544950,3597885584);
INSERT INTO "search" VALUES(10,9,2,'e1f1',-25,NULL,4,6,1631,0,'e1f1 d7d6',1795317544951,2780147359);
INSERT INTO "search" VALUES(10,10,0,'e7e6',-4,NULL,4,6,1733,0,'e7e6 e2e3',1795317544952,113272562);
INSERT INTO "search" VALUES(10,10,1,'d7d5',-6,NULL,4,6,1733,0,'d7d5 e2e3',1795317544953,645440517);
INSERT INTO "search" VALUES(10,10,2,'e8d8',-9,NULL,4,6,1733,0,'e8d8 e2e3',1795317544954,76251016);
INSERT INTO "search" VALUES(10,10,3,'d7d6',-23,NULL,4,6,1733,0,'d7d6 e2e3',1795317544956,1467147698);
INSERT INTO "search" VALUES(10,11,0,'e7e6',-14,NULL,4,6,1120,0,'e7e6 e2e3',1795317544957,1220290932);
INSERT INTO "search" VALUES(10,11,1,'e8f8',-22,NULL,4,6,1120,0,'e8f8 e2e3',1795317544958,3006989780);
INSERT INTO "search" VALUES(11,9,0,'d2d4',-5,NULL,9,11,5935,0,'d2d4 d7d6',1795317544961,3952957417);
INSERT INTO "search" VALUES(12,9,0,'d2d4',-5,NULL,4,6,1631,0,'d2d4 d7d6',1795317544965,2504869363);
INSERT INTO "search" VALUES(12,9,1,'d2d3',-12,NULL,4,6,1631,0,'d2d3 d7d6',1795317544966,3341722565);
INSERT INTO "search" VALUES(12,9,2,'e1f1',-25,NULL,4,6,1631,0,'e1f1 d7d6',1795317544967,3035131338);
INSERT INTO "search" VALUES(12,10,0,'e7e6',-4,NULL,4,6,1733,0,'e7e6 e2e3',1795317544968,506194316);
INSERT INTO "search" VALUES(12,10,1,'d7d5',-6,NULL,4,6,1733,0,'d7d5 e2e3',1795317544969,1049832315);
INSERT INTO "search" VALUES(12,10,2,'e8d8',-9,NULL,4,6,1733,0,'e8d8 e2e3',1795317544970,3804490928);
INSERT INTO "search" VALUES(13,10,0,'e7e6',-4,NULL,4,6,1733,0,'e7e6 e2e3',1795317544981,2101699927);
INSERT INTO "search" VALUES(14,9,0,'d2d4',-5,NULL,9,11,8175,0,'d2d4 d7d6',1795317544989,3745367644);
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
INSERT INTO "settled" VALUES(1,0,2,2,1,-17,1795317544544,2);
INSERT INTO "settled" VALUES(1,1,4,5,2,-7,1795317544547,2);
INSERT INTO "settled" VALUES(1,2,6,7,4,6,1795317544608,2);
INSERT INTO "settled" VALUES(2,0,2,3,1,4,1795317544708,3);
INSERT INTO "settled" VALUES(3,0,2,4,1,0,1795317544810,4);
CREATE TABLE verdict (
    analysis INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    rank INTEGER NOT NULL CHECK (rank >= 0),
    -- UCI notation, as in search.
    move TEXT NOT NULL,
    eval INTEGER NOT NULL,
    idea INTEGER NOT NULL,
    alpha INTEGER NOT NULL,
    -- UCI moves, the root's first: best alpha follows, until the tree's end, a repetition or an
    -- ending.
    line TEXT NOT NULL,
    PRIMARY KEY (analysis, depth, rank),
    FOREIGN KEY (analysis, depth) REFERENCES settled (analysis, depth)
        ON DELETE CASCADE ON UPDATE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO "verdict" VALUES(1,0,0,'e1d1',-17,-17,-17,'e1d1');
INSERT INTO "verdict" VALUES(1,0,1,'e1f1',-28,-28,-28,'e1f1');
INSERT INTO "verdict" VALUES(1,1,0,'e1d1',-17,-7,-7,'e1d1 d7d6');
INSERT INTO "verdict" VALUES(1,1,1,'e1f1',-28,-28,-28,'e1f1');
INSERT INTO "verdict" VALUES(1,2,0,'e1d1',-17,6,6,'e1d1 d7d5 e4d5');
INSERT INTO "verdict" VALUES(1,2,1,'e1f1',-28,-28,-28,'e1f1');
INSERT INTO "verdict" VALUES(2,0,0,'d2d4',4,4,4,'d2d4');
INSERT INTO "verdict" VALUES(2,0,1,'d2d3',-3,-3,-3,'d2d3');
INSERT INTO "verdict" VALUES(2,0,2,'e1f1',-16,-16,-16,'e1f1');
INSERT INTO "verdict" VALUES(3,0,0,'f7f5',0,0,0,'f7f5');
INSERT INTO "verdict" VALUES(3,0,1,'h7h6',-1,-1,-1,'h7h6');
INSERT INTO "verdict" VALUES(3,0,2,'f7f6',-6,-6,-6,'f7f6');
INSERT INTO "verdict" VALUES(3,0,3,'g8f8',-15,-15,-15,'g8f8');
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
COMMIT;
