-- A database as version 5 of the schema wrote it: a scripted engine; two stages of one root, and a root one move later
-- in which a move is excluded.
PRAGMA foreign_keys = OFF;
PRAGMA application_id = 1685089889;
PRAGMA user_version = 5;
BEGIN TRANSACTION;
CREATE TABLE position (
    id INTEGER PRIMARY KEY,
    -- Board, side to move, castling rights, legal en passant square: no clocks.
    epd TEXT NOT NULL UNIQUE,
    -- How the game is over there; no row of search has such a position.
    ending TEXT CHECK (ending IN ('checkmate', 'stalemate', 'insufficient material'))
) STRICT;
INSERT INTO position VALUES(1,'4k3/3pp3/8/8/8/8/3PP3/4K3 w - -',NULL);
INSERT INTO position VALUES(2,'4k3/3pp3/8/8/3P4/8/4P3/4K3 b - -',NULL);
INSERT INTO position VALUES(3,'4k3/3pp3/8/8/8/3P4/4P3/4K3 b - -',NULL);
INSERT INTO position VALUES(4,'4k3/3pp3/8/8/8/8/3PP3/5K2 b - -',NULL);
INSERT INTO position VALUES(5,'4k3/3p4/4p3/8/3P4/8/4P3/4K3 w - -',NULL);
INSERT INTO position VALUES(6,'4k3/4p3/8/3p4/3P4/8/4P3/4K3 w - -',NULL);
INSERT INTO position VALUES(7,'3k4/3pp3/8/8/3P4/8/4P3/4K3 w - -',NULL);
INSERT INTO position VALUES(8,'4k3/4p3/3p4/8/3P4/8/4P3/4K3 w - -',NULL);
INSERT INTO position VALUES(9,'4k3/3p4/4p3/8/8/3P4/4P3/4K3 w - -',NULL);
INSERT INTO position VALUES(10,'5k2/3pp3/8/8/8/3P4/4P3/4K3 w - -',NULL);
INSERT INTO position VALUES(11,'4k3/4p3/8/3p4/8/3P4/4P3/4K3 w - -',NULL);
INSERT INTO position VALUES(12,'4k3/3p4/4p3/8/3P4/8/4P3/4K3 b - -',NULL);
INSERT INTO position VALUES(13,'5k2/3pp3/8/8/8/3P4/4P3/5K2 b - -',NULL);
INSERT INTO position VALUES(14,'4k3/3pp3/8/8/8/4P3/3P4/4K3 b - -',NULL);
INSERT INTO position VALUES(15,'4k3/3pp3/8/8/8/8/3PPK2/8 b - -',NULL);
INSERT INTO position VALUES(16,'4k3/3p4/4p3/8/3P4/4P3/8/4K3 b - -',NULL);
INSERT INTO position VALUES(17,'4k3/4p3/8/3p4/3P4/4P3/8/4K3 b - -',NULL);
INSERT INTO position VALUES(18,'3k4/3pp3/8/8/3P4/4P3/8/4K3 b - -',NULL);
INSERT INTO position VALUES(19,'4k3/3p4/4p3/8/8/8/3PP3/5K2 w - -',NULL);
INSERT INTO position VALUES(20,'4k3/4p3/3p4/8/8/8/3PP3/5K2 w - -',NULL);
INSERT INTO position VALUES(21,'4k3/3p4/4p3/8/8/3P4/4P3/5K2 b - -',NULL);
INSERT INTO position VALUES(22,'8/3ppk2/8/8/8/4P3/3P4/4K3 w - -',NULL);
INSERT INTO position VALUES(23,'4k3/4p3/3p4/8/8/4P3/3P4/4K3 w - -',NULL);
INSERT INTO position VALUES(24,'8/3ppk2/8/8/8/4P3/3P1K2/8 b - -',NULL);
INSERT INTO position VALUES(25,'5k2/3pp3/8/8/8/4P3/3P4/4K3 w - -',NULL);
INSERT INTO position VALUES(26,'4k3/4p3/8/3p4/8/4P3/3P4/4K3 w - -',NULL);
INSERT INTO position VALUES(27,'4k3/4p3/3p4/8/8/4P3/3PK3/8 b - -',NULL);
INSERT INTO position VALUES(28,'4k3/3pp3/8/8/4P3/8/3P4/4K3 b - -',NULL);
INSERT INTO position VALUES(29,'4k3/3p4/4p3/8/4P3/8/3P4/4K3 w - -',NULL);
INSERT INTO position VALUES(30,'4k3/4p3/8/3p4/4P3/8/3P4/4K3 w - -',NULL);
INSERT INTO position VALUES(31,'4k3/3p4/4p3/8/3PP3/8/8/4K3 b - -',NULL);
INSERT INTO position VALUES(32,'4k3/3p4/4p3/8/4P3/8/3P4/3K4 b - -',NULL);
INSERT INTO position VALUES(33,'4k3/3p4/4p3/8/4P3/8/3P4/5K2 b - -',NULL);
CREATE TABLE profile (
    id INTEGER PRIMARY KEY,
    engine TEXT NOT NULL,
    -- The options that the user set, as a JSON object with sorted keys.
    options TEXT NOT NULL,
    limit_kind TEXT NOT NULL CHECK (limit_kind IN ('depth', 'nodes')),
    limit_value INTEGER NOT NULL CHECK (limit_value > 0),
    UNIQUE (engine, options, limit_kind, limit_value)
) STRICT;
INSERT INTO profile VALUES(1,'Scripted 1','{}','depth',4);
INSERT INTO profile VALUES(2,'Scripted 1','{}','depth',5);
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
INSERT INTO search VALUES(1,1,0,'d2d4',4,NULL,4,6,1631,2,'d2d4 d7d6',1795345449932,1205980764);
INSERT INTO search VALUES(1,1,1,'d2d3',-3,NULL,4,6,1631,0,'d2d3 d7d6',1795345449932,2430574667);
INSERT INTO search VALUES(1,1,2,'e1f1',-16,NULL,4,6,1631,0,'e1f1 d7d6',1795345449932,3932082899);
INSERT INTO search VALUES(1,1,3,'e2e3',-16,NULL,4,6,1631,0,'e2e3 d7d6',1795345449948,1224399051);
INSERT INTO search VALUES(1,1,4,'e1f2',-36,NULL,4,6,1631,0,'e1f2 d7d6',1795345449948,311358924);
INSERT INTO search VALUES(1,2,0,'e7e6',10,NULL,4,6,1733,0,'e7e6 e2e3',1795345449938,2940094837);
INSERT INTO search VALUES(1,2,1,'d7d5',8,NULL,4,6,1733,0,'d7d5 e2e3',1795345449939,4262649286);
INSERT INTO search VALUES(1,2,2,'e8d8',5,NULL,4,6,1733,0,'e8d8 e2e3',1795345449939,2355369990);
INSERT INTO search VALUES(1,2,3,'d7d6',-9,NULL,4,6,1733,0,'d7d6 e2e3',1795345449939,1231701687);
INSERT INTO search VALUES(1,3,0,'e7e6',-14,NULL,4,6,1120,0,'e7e6 e2e3',1795345449939,1423797072);
INSERT INTO search VALUES(1,3,1,'e8f8',-22,NULL,4,6,1120,0,'e8f8 e2e3',1795345449939,1071995489);
INSERT INTO search VALUES(1,3,2,'d7d5',-24,NULL,4,6,1120,1,'d7d5 e2e3',1795345449940,3068710354);
INSERT INTO search VALUES(1,4,0,'e7e6',-4,NULL,4,6,1050,0,'e7e6 d2d3',1795345449948,2119978466);
INSERT INTO search VALUES(1,4,1,'d7d6',-18,NULL,4,6,1050,1,'d7d6 d2d3',1795345449950,175495931);
INSERT INTO search VALUES(1,5,0,'e2e3',4,NULL,4,6,1248,0,'e2e3 e6e5',1795345449948,2912078008);
INSERT INTO search VALUES(1,6,0,'e2e3',-7,NULL,4,6,1013,0,'e2e3 e7e6',1795345449948,2450891610);
INSERT INTO search VALUES(1,7,0,'e2e3',-6,NULL,4,6,1857,0,'e2e3 d7d6',1795345449948,4092379843);
INSERT INTO search VALUES(1,9,0,'d3d4',-15,NULL,4,6,1727,0,'d3d4 e6e5',1795345449943,4057273673);
INSERT INTO search VALUES(1,10,0,'e1f1',-4,NULL,4,6,1966,0,'e1f1 d7d6',1795345449943,4189751089);
INSERT INTO search VALUES(1,14,0,'e8f7',7,NULL,4,6,1436,0,'e8f7 d2d3',1795345449953,269044911);
INSERT INTO search VALUES(1,14,1,'d7d6',-10,NULL,4,6,1436,0,'d7d6 d2d3',1795345449953,221755202);
INSERT INTO search VALUES(1,14,2,'e8f8',-17,NULL,4,6,1436,0,'e8f8 d2d3',1795345449957,3696343026);
INSERT INTO search VALUES(1,14,3,'d7d5',-21,NULL,4,6,1436,0,'d7d5 d2d3',1795345449957,1949411693);
INSERT INTO search VALUES(1,19,0,'d2d3',-9,NULL,4,6,1950,0,'d2d3 e6e5',1795345449951,3155227590);
INSERT INTO search VALUES(1,22,0,'e1f2',12,NULL,4,6,1697,0,'e1f2 d7d6',1795345449954,3116481450);
INSERT INTO search VALUES(1,23,0,'e1e2',-15,NULL,4,6,1756,0,'e1e2 d6d5',1795345449957,2096878677);
INSERT INTO search VALUES(2,1,0,'d2d4',4,NULL,5,7,1631,0,'d2d4 d7d6',1795345450018,3646382032);
INSERT INTO search VALUES(2,1,1,'d2d3',-3,NULL,5,7,1631,0,'d2d3 d7d6',1795345450019,3846399260);
INSERT INTO search VALUES(2,1,2,'e1f1',-16,NULL,5,7,1631,7,'e1f1 d7d6',1795345450035,2007604899);
INSERT INTO search VALUES(2,1,3,'e2e3',-16,NULL,5,7,1631,7,'e2e3 d7d6',1795345450133,2453152864);
INSERT INTO search VALUES(2,1,4,'e1f2',-36,NULL,5,7,1631,6,'e1f2 d7d6',1795345450144,3168967181);
INSERT INTO search VALUES(2,2,0,'e7e6',10,NULL,5,7,1733,3,'e7e6 e2e3',1795345450057,2353937260);
INSERT INTO search VALUES(2,2,1,'d7d5',8,NULL,5,7,1733,7,'d7d5 e2e3',1795345450069,2433149286);
INSERT INTO search VALUES(2,2,2,'e8d8',5,NULL,5,7,1733,0,'e8d8 e2e3',1795345450069,757125134);
INSERT INTO search VALUES(2,2,3,'d7d6',-9,NULL,5,7,1733,3,'d7d6 e2e3',1795345450078,3214179115);
INSERT INTO search VALUES(2,3,0,'e7e6',-14,NULL,5,7,1120,4,'e7e6 e2e3',1795345450087,1727000604);
INSERT INTO search VALUES(2,3,1,'e8f8',-22,NULL,5,7,1120,0,'e8f8 e2e3',1795345450088,1725273671);
INSERT INTO search VALUES(2,3,2,'d7d5',-24,NULL,5,7,1120,0,'d7d5 e2e3',1795345450088,2093924249);
INSERT INTO search VALUES(2,4,0,'e7e6',-4,NULL,5,7,1050,3,'e7e6 d2d3',1795345450155,4255228455);
INSERT INTO search VALUES(2,4,1,'d7d6',-18,NULL,5,7,1050,4,'d7d6 d2d3',1795345450166,1510783412);
INSERT INTO search VALUES(2,5,0,'e2e3',4,NULL,5,7,1248,0,'e2e3 e6e5',1795345450144,2044056297);
INSERT INTO search VALUES(2,6,0,'e2e3',-7,NULL,5,7,1013,2,'e2e3 e7e6',1795345450150,3288934430);
INSERT INTO search VALUES(2,7,0,'e2e3',-6,NULL,5,7,1857,1,'e2e3 d7d6',1795345450155,3765898075);
INSERT INTO search VALUES(2,9,0,'d3d4',-15,NULL,5,7,1727,7,'d3d4 e6e5',1795345450107,2424678320);
INSERT INTO search VALUES(2,10,0,'e1f1',-4,NULL,5,7,1966,4,'e1f1 d7d6',1795345450114,756409184);
INSERT INTO search VALUES(2,14,0,'e8f7',7,NULL,5,7,1436,0,'e8f7 d2d3',1795345450177,4108910174);
INSERT INTO search VALUES(2,14,1,'d7d6',-10,NULL,5,7,1436,0,'d7d6 d2d3',1795345450177,645750835);
INSERT INTO search VALUES(2,14,2,'e8f8',-17,NULL,5,7,1436,0,'e8f8 d2d3',1795345450180,3918147062);
INSERT INTO search VALUES(2,14,3,'d7d5',-21,NULL,5,7,1436,0,'d7d5 d2d3',1795345450180,1105867625);
INSERT INTO search VALUES(2,19,0,'d2d3',-9,NULL,5,7,1950,4,'d2d3 e6e5',1795345450174,3387973756);
INSERT INTO search VALUES(2,22,0,'e1f2',12,NULL,5,7,1697,0,'e1f2 d7d6',1795345450178,1312873039);
INSERT INTO search VALUES(2,23,0,'e1e2',-15,NULL,5,7,1756,0,'e1e2 d6d5',1795345450180,1226853969);
INSERT INTO search VALUES(2,28,0,'e7e6',-10,NULL,5,7,1512,0,'e7e6 d2d3',1795345450299,654081096);
INSERT INTO search VALUES(2,28,1,'d7d5',-23,NULL,5,7,1512,0,'d7d5 e4d5',1795345450299,3883410025);
INSERT INTO search VALUES(2,29,0,'d2d4',-15,NULL,5,7,1290,1,'d2d4 e6e5',1795345450306,2807027344);
INSERT INTO search VALUES(2,29,1,'e1d1',-17,NULL,5,7,1290,0,'e1d1 e6e5',1795345450306,866819889);
INSERT INTO search VALUES(2,29,2,'e1f1',-29,NULL,5,7,1290,3,'e1f1 e6e5',1795345450313,3072761120);
CREATE TABLE link (
    position INTEGER NOT NULL REFERENCES position (id),
    move TEXT NOT NULL,
    child INTEGER NOT NULL REFERENCES position (id),
    PRIMARY KEY (position, move)
) STRICT, WITHOUT ROWID;
INSERT INTO link VALUES(1,'d2d3',3);
INSERT INTO link VALUES(1,'d2d4',2);
INSERT INTO link VALUES(1,'e1f1',4);
INSERT INTO link VALUES(1,'e1f2',15);
INSERT INTO link VALUES(1,'e2e3',14);
INSERT INTO link VALUES(2,'d7d5',6);
INSERT INTO link VALUES(2,'d7d6',8);
INSERT INTO link VALUES(2,'e7e6',5);
INSERT INTO link VALUES(2,'e8d8',7);
INSERT INTO link VALUES(3,'d7d5',11);
INSERT INTO link VALUES(3,'e7e6',9);
INSERT INTO link VALUES(3,'e8f8',10);
INSERT INTO link VALUES(4,'d7d6',20);
INSERT INTO link VALUES(4,'e7e6',19);
INSERT INTO link VALUES(5,'e2e3',16);
INSERT INTO link VALUES(6,'e2e3',17);
INSERT INTO link VALUES(7,'e2e3',18);
INSERT INTO link VALUES(9,'d3d4',12);
INSERT INTO link VALUES(10,'e1f1',13);
INSERT INTO link VALUES(14,'d7d5',26);
INSERT INTO link VALUES(14,'d7d6',23);
INSERT INTO link VALUES(14,'e8f7',22);
INSERT INTO link VALUES(14,'e8f8',25);
INSERT INTO link VALUES(19,'d2d3',21);
INSERT INTO link VALUES(22,'e1f2',24);
INSERT INTO link VALUES(23,'e1e2',27);
INSERT INTO link VALUES(28,'d7d5',30);
INSERT INTO link VALUES(28,'e7e6',29);
INSERT INTO link VALUES(29,'d2d4',31);
INSERT INTO link VALUES(29,'e1d1',32);
INSERT INTO link VALUES(29,'e1f1',33);
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
INSERT INTO settled VALUES(1,0,2,3,1,4,1795345449934,3);
INSERT INTO settled VALUES(1,1,4,10,3,14,1795345449941,3);
INSERT INTO settled VALUES(1,2,11,26,13,-7,1795345449958,5);
INSERT INTO settled VALUES(2,0,2,3,1,4,1795345450036,3);
INSERT INTO settled VALUES(2,1,4,10,3,14,1795345450090,3);
INSERT INTO settled VALUES(2,2,11,26,13,-7,1795345450181,5);
INSERT INTO settled VALUES(3,0,2,2,1,-10,1795345450301,2);
INSERT INTO settled VALUES(3,1,4,5,2,15,1795345450329,2);
CREATE TABLE node (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    ply INTEGER NOT NULL,
    admitted INTEGER NOT NULL CHECK (admitted > 0),
    idea INTEGER NOT NULL, grown INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (analysis, position)
) STRICT, WITHOUT ROWID;
INSERT INTO node VALUES(1,1,0,5,-7,11);
INSERT INTO node VALUES(1,2,1,4,7,4);
INSERT INTO node VALUES(1,3,1,3,15,4);
INSERT INTO node VALUES(1,4,1,2,9,11);
INSERT INTO node VALUES(1,5,2,1,4,11);
INSERT INTO node VALUES(1,6,2,1,-7,11);
INSERT INTO node VALUES(1,7,2,1,-6,11);
INSERT INTO node VALUES(1,9,2,1,-15,5);
INSERT INTO node VALUES(1,10,2,1,-4,5);
INSERT INTO node VALUES(1,14,1,4,15,11);
INSERT INTO node VALUES(1,19,2,1,-9,11);
INSERT INTO node VALUES(1,22,2,1,12,11);
INSERT INTO node VALUES(1,23,2,1,-15,11);
INSERT INTO node VALUES(2,1,0,5,-7,11);
INSERT INTO node VALUES(2,2,1,4,7,4);
INSERT INTO node VALUES(2,3,1,3,15,4);
INSERT INTO node VALUES(2,4,1,2,9,11);
INSERT INTO node VALUES(2,5,2,1,4,11);
INSERT INTO node VALUES(2,6,2,1,-7,11);
INSERT INTO node VALUES(2,7,2,1,-6,11);
INSERT INTO node VALUES(2,9,2,1,-15,5);
INSERT INTO node VALUES(2,10,2,1,-4,5);
INSERT INTO node VALUES(2,14,1,4,15,11);
INSERT INTO node VALUES(2,19,2,1,-9,11);
INSERT INTO node VALUES(2,22,2,1,12,11);
INSERT INTO node VALUES(2,23,2,1,-15,11);
INSERT INTO node VALUES(3,28,0,2,15,2);
INSERT INTO node VALUES(3,29,1,3,-15,4);
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
INSERT INTO course VALUES(1,1,3,1,'d2d4',4,1795345449932);
INSERT INTO course VALUES(1,3,10,3,'d2d3',14,1795345449940);
INSERT INTO course VALUES(1,5,12,5,'d2d4',-10,1795345449942);
INSERT INTO course VALUES(1,6,19,9,'e1f1',4,1795345449949);
INSERT INTO course VALUES(1,7,20,10,'d2d4',-7,1795345449950);
INSERT INTO course VALUES(1,9,23,12,'e2e3',10,1795345449954);
INSERT INTO course VALUES(1,10,26,13,'d2d4',-7,1795345449957);
INSERT INTO course VALUES(2,1,3,1,'d2d4',4,1795345450035);
INSERT INTO course VALUES(2,3,10,3,'d2d3',14,1795345450087);
INSERT INTO course VALUES(2,5,12,5,'d2d4',-10,1795345450114);
INSERT INTO course VALUES(2,6,19,9,'e1f1',4,1795345450166);
INSERT INTO course VALUES(2,7,20,10,'d2d4',-7,1795345450174);
INSERT INTO course VALUES(2,9,23,12,'e2e3',10,1795345450178);
INSERT INTO course VALUES(2,10,26,13,'d2d4',-7,1795345450180);
INSERT INTO course VALUES(3,1,2,1,'e7e6',-10,1795345450299);
INSERT INTO course VALUES(3,3,5,2,'e7e6',15,1795345450313);
CREATE TABLE IF NOT EXISTS "analysis" (
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
INSERT INTO analysis VALUES(1,'4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1','4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1','4k3/3pp3/8/8/8/8/3PP3/4K3 w - -','',1,10,'10','10',1,2,2,11,13,26,1795345449891,1795345449958,0,0);
INSERT INTO analysis VALUES(2,'4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1','4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1','4k3/3pp3/8/8/8/8/3PP3/4K3 w - -','',2,10,'10','10',1,2,2,11,13,26,1795345449994,1795345450181,0,0);
INSERT INTO analysis VALUES(3,'4k3/3pp3/8/8/4P3/8/3P4/4K3 b - - 0 1','4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1','4k3/3pp3/8/8/8/8/3PP3/4K3 w - -','e2e4',2,10,'10','10',1,1,1,4,2,5,1795345450268,1795345450329,0,1);
CREATE TABLE IF NOT EXISTS "verdict" (
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
INSERT INTO verdict VALUES(1,0,'d2d4',0,4,4,4,'d2d4');
INSERT INTO verdict VALUES(1,0,'e1f1',2,-16,-16,-16,'e1f1');
INSERT INTO verdict VALUES(1,1,'d2d3',1,-3,14,14,'d2d3 e7e6');
INSERT INTO verdict VALUES(1,1,'d2d4',0,4,-10,-10,'d2d4 e7e6');
INSERT INTO verdict VALUES(1,1,'e1f1',2,-16,-16,-16,'e1f1');
INSERT INTO verdict VALUES(1,2,'d2d3',1,-3,-15,-15,'d2d3 e7e6 d3d4');
INSERT INTO verdict VALUES(1,2,'d2d4',0,4,-7,-7,'d2d4 d7d5 e2e3');
INSERT INTO verdict VALUES(1,2,'e1f1',2,-16,-9,-9,'e1f1 e7e6 d2d3');
INSERT INTO verdict VALUES(1,2,'e1f2',4,-36,-36,-36,'e1f2');
INSERT INTO verdict VALUES(1,2,'e2e3',3,-16,-15,-15,'e2e3 d7d6 e1e2');
INSERT INTO verdict VALUES(2,0,'d2d3',1,-3,-3,-3,'d2d3');
INSERT INTO verdict VALUES(2,0,'d2d4',0,4,4,4,'d2d4');
INSERT INTO verdict VALUES(2,0,'e1f1',2,-16,-16,-16,'e1f1');
INSERT INTO verdict VALUES(2,1,'d2d3',1,-3,14,14,'d2d3 e7e6');
INSERT INTO verdict VALUES(2,1,'d2d4',0,4,-10,-10,'d2d4 e7e6');
INSERT INTO verdict VALUES(2,1,'e1f1',2,-16,-16,-16,'e1f1');
INSERT INTO verdict VALUES(2,2,'d2d3',1,-3,-15,-15,'d2d3 e7e6 d3d4');
INSERT INTO verdict VALUES(2,2,'d2d4',0,4,-7,-7,'d2d4 d7d5 e2e3');
INSERT INTO verdict VALUES(2,2,'e1f1',2,-16,-9,-9,'e1f1 e7e6 d2d3');
INSERT INTO verdict VALUES(2,2,'e1f2',4,-36,-36,-36,'e1f2');
INSERT INTO verdict VALUES(2,2,'e2e3',3,-16,-15,-15,'e2e3 d7d6 e1e2');
INSERT INTO verdict VALUES(3,0,'d7d5',1,-23,-23,-23,'d7d5');
INSERT INTO verdict VALUES(3,0,'e7e6',0,-10,-10,-10,'e7e6');
INSERT INTO verdict VALUES(3,1,'d7d5',1,-23,-23,-23,'d7d5');
INSERT INTO verdict VALUES(3,1,'e7e6',0,-10,15,15,'e7e6 d2d4');
CREATE TABLE game (
    id INTEGER PRIMARY KEY,
    start_epd TEXT NOT NULL,
    -- UCI moves to the root.
    history TEXT NOT NULL,
    -- How often its directives have changed.
    revision INTEGER NOT NULL DEFAULT 0,
    UNIQUE (start_epd, history)
) STRICT;
INSERT INTO game VALUES(1,'4k3/3pp3/8/8/8/8/3PP3/4K3 w - -','',0);
INSERT INTO game VALUES(2,'4k3/3pp3/8/8/8/8/3PP3/4K3 w - -','e2e4',1);
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
INSERT INTO directive VALUES(2,28,'exclude','e7e5',NULL,NULL,1795345450207);
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
INSERT INTO grown_directive VALUES(3,28,'exclude','e7e5',NULL);
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
