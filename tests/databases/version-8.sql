-- A database as version 8 of the schema wrote it: a scripted engine; a root that endgame tables of three men know, and a
-- tree that goes by them, with a closing search.
PRAGMA foreign_keys = OFF;
PRAGMA application_id = 1685089889;
PRAGMA user_version = 8;
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
    -- How often its tree was grown again under other directives, or with tables that had come.
    regrown INTEGER NOT NULL DEFAULT 0,
    -- The largest number of men, kings included, of the positions that are looked up in tables; 0 where none
    -- are.
    table_men INTEGER NOT NULL DEFAULT 0 CHECK (table_men >= 0),
    -- Whether a win in the tables that the fifty-move rule turns into a draw is a draw ('fide') or a win.
    fifty TEXT NOT NULL DEFAULT 'fide' CHECK (fifty IN ('fide', 'iccf')),
    -- The facts of later rounds are not known to its tree.
    fact_round INTEGER NOT NULL DEFAULT 0,
    UNIQUE (start_epd, history, profile, width_white, width_black, root_moves, table_men, fifty)
) STRICT;
INSERT INTO analysis VALUES(1,'8/8/4k3/8/4K3/8/4P3/8 w - - 0 1','8/8/4k3/8/4K3/8/4P3/8 w - - 0 1','8/8/4k3/8/4K3/8/4P3/8 w - -','',1,10,'10','10',1,1,1,2,0,0,1795393218701,1795393221282,0,0,3,'fide',0);
INSERT INTO analysis VALUES(2,'8/8/8/3pk3/4P3/4K3/8/8 w - - 0 1','8/8/8/3pk3/4P3/4K3/8/8 w - - 0 1','8/8/8/3pk3/4P3/4K3/8/8 w - -','',1,40,'40','40',1,1,1,4,6,41,1795393227142,1795393234630,0,0,3,'fide',0);
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
INSERT INTO course VALUES(2,1,6,1,'e4d5',0,1795393230066);
INSERT INTO course VALUES(2,3,41,6,'e3f2',0,1795393234522);
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
CREATE TABLE fact (
    position INTEGER PRIMARY KEY REFERENCES position (id),
    -- From -2 (lost) to 2 (won) for the side to move; 1 and -1 are draws by the fifty-move rule, whose count
    -- begins at 0. NULL where the tables do not have the position.
    wdl INTEGER CHECK (wdl BETWEEN -2 AND 2),
    -- How many men the position has.
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
INSERT INTO fact VALUES(1,2,3,3,0,599178700);
INSERT INTO fact VALUES(8,0,3,3,0,411703998);
INSERT INTO fact VALUES(10,0,3,3,0,568339832);
INSERT INTO fact VALUES(14,0,3,3,0,2081193076);
INSERT INTO fact VALUES(19,0,3,3,0,2370018083);
INSERT INTO fact VALUES(22,-2,3,3,0,74035038);
INSERT INTO fact VALUES(27,0,3,3,0,2931227570);
INSERT INTO fact VALUES(31,0,3,3,0,846129414);
INSERT INTO fact VALUES(37,0,3,3,0,1098158220);
INSERT INTO fact VALUES(42,0,3,3,0,3913273018);
CREATE TABLE game (
    id INTEGER PRIMARY KEY,
    start_epd TEXT NOT NULL,
    -- UCI moves to the root.
    history TEXT NOT NULL,
    -- How often its directives have changed.
    revision INTEGER NOT NULL DEFAULT 0, name TEXT CHECK (name <> ''),
    UNIQUE (start_epd, history)
) STRICT;
INSERT INTO game VALUES(1,'8/8/4k3/8/4K3/8/4P3/8 w - -','',0,NULL);
INSERT INTO game VALUES(2,'8/8/8/3pk3/4P3/4K3/8/8 w - -','',0,NULL);
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
CREATE TABLE link (
    position INTEGER NOT NULL REFERENCES position (id),
    move TEXT NOT NULL,
    child INTEGER NOT NULL REFERENCES position (id),
    PRIMARY KEY (position, move)
) STRICT, WITHOUT ROWID;
INSERT INTO link VALUES(2,'e3d2',5);
INSERT INTO link VALUES(2,'e3d3',7);
INSERT INTO link VALUES(2,'e3e2',4);
INSERT INTO link VALUES(2,'e3f2',3);
INSERT INTO link VALUES(2,'e3f3',6);
INSERT INTO link VALUES(2,'e4d5',8);
INSERT INTO link VALUES(3,'d5d4',9);
INSERT INTO link VALUES(3,'d5e4',14);
INSERT INTO link VALUES(3,'e5d4',13);
INSERT INTO link VALUES(3,'e5d6',11);
INSERT INTO link VALUES(3,'e5e4',10);
INSERT INTO link VALUES(3,'e5e6',16);
INSERT INTO link VALUES(3,'e5f4',12);
INSERT INTO link VALUES(3,'e5f6',15);
INSERT INTO link VALUES(4,'d5d4',18);
INSERT INTO link VALUES(4,'d5e4',19);
INSERT INTO link VALUES(4,'e5d4',21);
INSERT INTO link VALUES(4,'e5d6',17);
INSERT INTO link VALUES(4,'e5e4',22);
INSERT INTO link VALUES(4,'e5e6',24);
INSERT INTO link VALUES(4,'e5f4',23);
INSERT INTO link VALUES(4,'e5f6',20);
INSERT INTO link VALUES(5,'d5d4',29);
INSERT INTO link VALUES(5,'d5e4',31);
INSERT INTO link VALUES(5,'e5d4',26);
INSERT INTO link VALUES(5,'e5d6',28);
INSERT INTO link VALUES(5,'e5e4',27);
INSERT INTO link VALUES(5,'e5e6',32);
INSERT INTO link VALUES(5,'e5f4',25);
INSERT INTO link VALUES(5,'e5f6',30);
INSERT INTO link VALUES(6,'d5d4',33);
INSERT INTO link VALUES(6,'d5e4',37);
INSERT INTO link VALUES(6,'e5d6',36);
INSERT INTO link VALUES(6,'e5e6',35);
INSERT INTO link VALUES(6,'e5f6',34);
INSERT INTO link VALUES(7,'d5d4',38);
INSERT INTO link VALUES(7,'d5e4',42);
INSERT INTO link VALUES(7,'e5d6',40);
INSERT INTO link VALUES(7,'e5e6',43);
INSERT INTO link VALUES(7,'e5f4',39);
INSERT INTO link VALUES(7,'e5f6',41);
CREATE TABLE node (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    ply INTEGER NOT NULL,
    admitted INTEGER NOT NULL CHECK (admitted > 0),
    idea INTEGER NOT NULL, grown INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (analysis, position)
) STRICT, WITHOUT ROWID;
INSERT INTO node VALUES(2,2,0,6,0,2);
INSERT INTO node VALUES(2,3,1,8,0,4);
INSERT INTO node VALUES(2,4,1,8,30000,4);
INSERT INTO node VALUES(2,5,1,8,8,4);
INSERT INTO node VALUES(2,6,1,5,0,4);
INSERT INTO node VALUES(2,7,1,6,0,4);
CREATE TABLE position (
    id INTEGER PRIMARY KEY,
    -- Board, side to move, castling rights, legal en passant square: no clocks.
    epd TEXT NOT NULL UNIQUE,
    -- How the game is over there; no row of search has such a position.
    ending TEXT CHECK (ending IN ('checkmate', 'stalemate', 'insufficient material'))
) STRICT;
INSERT INTO position VALUES(1,'8/8/4k3/8/4K3/8/4P3/8 w - -',NULL);
INSERT INTO position VALUES(2,'8/8/8/3pk3/4P3/4K3/8/8 w - -',NULL);
INSERT INTO position VALUES(3,'8/8/8/3pk3/4P3/8/5K2/8 b - -',NULL);
INSERT INTO position VALUES(4,'8/8/8/3pk3/4P3/8/4K3/8 b - -',NULL);
INSERT INTO position VALUES(5,'8/8/8/3pk3/4P3/8/3K4/8 b - -',NULL);
INSERT INTO position VALUES(6,'8/8/8/3pk3/4P3/5K2/8/8 b - -',NULL);
INSERT INTO position VALUES(7,'8/8/8/3pk3/4P3/3K4/8/8 b - -',NULL);
INSERT INTO position VALUES(8,'8/8/8/3Pk3/8/4K3/8/8 b - -',NULL);
INSERT INTO position VALUES(9,'8/8/8/4k3/3pP3/8/5K2/8 w - -',NULL);
INSERT INTO position VALUES(10,'8/8/8/3p4/4k3/8/5K2/8 w - -',NULL);
INSERT INTO position VALUES(11,'8/8/3k4/3p4/4P3/8/5K2/8 w - -',NULL);
INSERT INTO position VALUES(12,'8/8/8/3p4/4Pk2/8/5K2/8 w - -',NULL);
INSERT INTO position VALUES(13,'8/8/8/3p4/3kP3/8/5K2/8 w - -',NULL);
INSERT INTO position VALUES(14,'8/8/8/4k3/4p3/8/5K2/8 w - -',NULL);
INSERT INTO position VALUES(15,'8/8/5k2/3p4/4P3/8/5K2/8 w - -',NULL);
INSERT INTO position VALUES(16,'8/8/4k3/3p4/4P3/8/5K2/8 w - -',NULL);
INSERT INTO position VALUES(17,'8/8/3k4/3p4/4P3/8/4K3/8 w - -',NULL);
INSERT INTO position VALUES(18,'8/8/8/4k3/3pP3/8/4K3/8 w - -',NULL);
INSERT INTO position VALUES(19,'8/8/8/4k3/4p3/8/4K3/8 w - -',NULL);
INSERT INTO position VALUES(20,'8/8/5k2/3p4/4P3/8/4K3/8 w - -',NULL);
INSERT INTO position VALUES(21,'8/8/8/3p4/3kP3/8/4K3/8 w - -',NULL);
INSERT INTO position VALUES(22,'8/8/8/3p4/4k3/8/4K3/8 w - -',NULL);
INSERT INTO position VALUES(23,'8/8/8/3p4/4Pk2/8/4K3/8 w - -',NULL);
INSERT INTO position VALUES(24,'8/8/4k3/3p4/4P3/8/4K3/8 w - -',NULL);
INSERT INTO position VALUES(25,'8/8/8/3p4/4Pk2/8/3K4/8 w - -',NULL);
INSERT INTO position VALUES(26,'8/8/8/3p4/3kP3/8/3K4/8 w - -',NULL);
INSERT INTO position VALUES(27,'8/8/8/3p4/4k3/8/3K4/8 w - -',NULL);
INSERT INTO position VALUES(28,'8/8/3k4/3p4/4P3/8/3K4/8 w - -',NULL);
INSERT INTO position VALUES(29,'8/8/8/4k3/3pP3/8/3K4/8 w - -',NULL);
INSERT INTO position VALUES(30,'8/8/5k2/3p4/4P3/8/3K4/8 w - -',NULL);
INSERT INTO position VALUES(31,'8/8/8/4k3/4p3/8/3K4/8 w - -',NULL);
INSERT INTO position VALUES(32,'8/8/4k3/3p4/4P3/8/3K4/8 w - -',NULL);
INSERT INTO position VALUES(33,'8/8/8/4k3/3pP3/5K2/8/8 w - -',NULL);
INSERT INTO position VALUES(34,'8/8/5k2/3p4/4P3/5K2/8/8 w - -',NULL);
INSERT INTO position VALUES(35,'8/8/4k3/3p4/4P3/5K2/8/8 w - -',NULL);
INSERT INTO position VALUES(36,'8/8/3k4/3p4/4P3/5K2/8/8 w - -',NULL);
INSERT INTO position VALUES(37,'8/8/8/4k3/4p3/5K2/8/8 w - -',NULL);
INSERT INTO position VALUES(38,'8/8/8/4k3/3pP3/3K4/8/8 w - -',NULL);
INSERT INTO position VALUES(39,'8/8/8/3p4/4Pk2/3K4/8/8 w - -',NULL);
INSERT INTO position VALUES(40,'8/8/3k4/3p4/4P3/3K4/8/8 w - -',NULL);
INSERT INTO position VALUES(41,'8/8/5k2/3p4/4P3/3K4/8/8 w - -',NULL);
INSERT INTO position VALUES(42,'8/8/8/4k3/4p3/3K4/8/8 w - -',NULL);
INSERT INTO position VALUES(43,'8/8/4k3/3p4/4P3/3K4/8/8 w - -',NULL);
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
INSERT INTO profile VALUES(2,'Scripted 1','{"keep-hash":{"distance":40,"limit":{"depth":5},"of":"best lines","passes":4,"start":"8/8/8/3pk3/4P3/4K3/8/8 w - -","tables":"3 fide 0"}}','depth',5);
INSERT INTO profile VALUES(3,'Scripted 1','{"keep-hash":{"distance":40,"limit":{"depth":5},"of":"best lines","passes":4,"start":"8/8/8/3pk3/4P3/4K3/8/8 w - -","tables":"3 fide 0"}}','depth',6);
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
INSERT INTO search VALUES(1,2,0,'e3f2',-23,NULL,5,7,1771,72,'e3f2 d5e4',1795393228397,2309760413);
INSERT INTO search VALUES(1,2,1,'e3e2',-26,NULL,5,7,1771,40,'e3e2 d5e4',1795393228755,2739206886);
INSERT INTO search VALUES(1,2,2,'e3d2',-30,NULL,5,7,1771,73,'e3d2 d5e4',1795393228943,671316894);
INSERT INTO search VALUES(1,2,3,'e3f3',-32,NULL,5,7,1771,99,'e3f3 d5e4',1795393229191,338866694);
INSERT INTO search VALUES(1,2,4,'e3d3',-33,NULL,5,7,1771,42,'e3d3 d5e4',1795393229427,3143439121);
INSERT INTO search VALUES(1,2,5,'e4d5',-47,NULL,5,7,1771,136,'e4d5 e5d5',1795393229663,1870973157);
INSERT INTO search VALUES(1,3,0,'d5d4',-11,NULL,5,7,1058,50,'d5d4 f2e1',1795393230465,1166747089);
INSERT INTO search VALUES(1,3,1,'e5e4',-16,NULL,5,7,1058,34,'e5e4 f2e1',1795393230614,623345936);
INSERT INTO search VALUES(1,3,2,'e5d6',-19,NULL,5,7,1058,30,'e5d6 e4d5',1795393230764,1745403874);
INSERT INTO search VALUES(1,3,3,'e5f4',-23,NULL,5,7,1058,33,'e5f4 e4d5',1795393230921,3081867303);
INSERT INTO search VALUES(1,3,4,'e5d4',-24,NULL,5,7,1058,39,'e5d4 e4d5',1795393231099,3896184579);
INSERT INTO search VALUES(1,3,5,'d5e4',-28,NULL,5,7,1058,68,'d5e4 f2e1',1795393231344,1161967152);
INSERT INTO search VALUES(1,3,6,'e5f6',-28,NULL,5,7,1058,16,'e5f6 e4d5',1795393231593,4265116683);
INSERT INTO search VALUES(1,3,7,'e5e6',-46,NULL,5,7,1058,59,'e5e6 e4d5',1795393231811,2472366809);
INSERT INTO search VALUES(1,4,0,'e5d6',-10,NULL,5,7,1021,50,'e5d6 e4d5',1795393231967,1894823307);
INSERT INTO search VALUES(1,4,1,'d5d4',-15,NULL,5,7,1021,0,'d5d4 e2d1',1795393232236,4241759641);
INSERT INTO search VALUES(1,4,2,'d5e4',-17,NULL,5,7,1021,0,'d5e4 e2d1',1795393232236,2566692387);
INSERT INTO search VALUES(1,4,3,'e5f6',-20,NULL,5,7,1021,0,'e5f6 e4d5',1795393232236,2152281290);
INSERT INTO search VALUES(1,4,4,'e5d4',-22,NULL,5,7,1021,0,'e5d4 e4d5',1795393232236,1115916130);
INSERT INTO search VALUES(1,4,5,'e5e4',-39,NULL,5,7,1021,0,'e5e4 e2d1',1795393232236,632202774);
INSERT INTO search VALUES(1,4,6,'e5f4',-46,NULL,5,7,1021,0,'e5f4 e4d5',1795393232236,894822613);
INSERT INTO search VALUES(1,4,7,'e5e6',-48,NULL,5,7,1021,0,'e5e6 e4d5',1795393232236,2689464551);
INSERT INTO search VALUES(1,5,0,'e5f4',8,NULL,5,7,1515,0,'e5f4 e4d5',1795393232645,2758018188);
INSERT INTO search VALUES(1,5,1,'e5d4',4,NULL,5,7,1515,0,'e5d4 e4d5',1795393233029,3193443559);
INSERT INTO search VALUES(1,5,2,'e5e4',-4,NULL,5,7,1515,116,'e5e4 d2c1',1795393233186,1403755263);
INSERT INTO search VALUES(1,5,3,'e5d6',-15,NULL,5,7,1515,0,'e5d6 e4d5',1795393233387,420390057);
INSERT INTO search VALUES(1,5,4,'d5d4',-24,NULL,5,7,1515,0,'d5d4 d2c1',1795393233525,794795451);
INSERT INTO search VALUES(1,5,5,'e5f6',-30,NULL,5,7,1515,0,'e5f6 e4d5',1795393233525,2174991443);
INSERT INTO search VALUES(1,5,6,'d5e4',-31,NULL,5,7,1515,200,'d5e4 d2c1',1795393233812,1935702867);
INSERT INTO search VALUES(1,5,7,'e5e6',-31,NULL,5,7,1515,12,'e5e6 e4d5',1795393233960,306589356);
INSERT INTO search VALUES(1,6,0,'d5d4',-10,NULL,5,7,1276,4,'d5d4 f3e2',1795393234082,4003189479);
INSERT INTO search VALUES(1,6,1,'e5f6',-24,NULL,5,7,1276,47,'e5f6 e4d5',1795393234246,567702268);
INSERT INTO search VALUES(1,6,2,'e5e6',-25,NULL,5,7,1276,2,'e5e6 e4d5',1795393234380,2223352894);
INSERT INTO search VALUES(1,6,3,'e5d6',-36,NULL,5,7,1276,0,'e5d6 e4d5',1795393234380,2183189506);
INSERT INTO search VALUES(1,6,4,'d5e4',-66,NULL,5,7,1276,0,'d5e4 f3e2',1795393234380,1094757368);
INSERT INTO search VALUES(1,7,0,'d5d4',-1,NULL,5,7,1409,0,'d5d4 d3c2',1795393234380,1400640321);
INSERT INTO search VALUES(1,7,1,'e5f4',-3,NULL,5,7,1409,0,'e5f4 e4d5',1795393234380,2964919526);
INSERT INTO search VALUES(1,7,2,'e5d6',-5,NULL,5,7,1409,0,'e5d6 e4d5',1795393234380,2602329742);
INSERT INTO search VALUES(1,7,3,'e5f6',-5,NULL,5,7,1409,0,'e5f6 e4d5',1795393234380,3608176828);
INSERT INTO search VALUES(1,7,4,'d5e4',-12,NULL,5,7,1409,0,'d5e4 d3c2',1795393234380,3615513878);
INSERT INTO search VALUES(1,7,5,'e5e6',-28,NULL,5,7,1409,0,'e5e6 e4d5',1795393234380,979762463);
INSERT INTO search VALUES(2,3,0,'d5d4',-11,NULL,5,7,1058,2,'d5d4 f2e1',1795393237303,464327564);
INSERT INTO search VALUES(2,4,0,'e5d6',-10,NULL,5,7,1021,0,'e5d6 e4d5',1795393236371,330766189);
INSERT INTO search VALUES(2,5,0,'e5f4',8,NULL,5,7,1515,0,'e5f4 e4d5',1795393236547,2174515658);
INSERT INTO search VALUES(2,6,0,'d5d4',-10,NULL,5,7,1276,68,'d5d4 f3e2',1795393237188,401520049);
INSERT INTO search VALUES(2,7,0,'d5d4',-1,NULL,5,7,1409,0,'d5d4 d3c2',1795393236720,1309338856);
INSERT INTO search VALUES(3,2,0,'e3f2',-23,NULL,6,8,1771,23,'e3f2 d5e4',1795393237605,2504853708);
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
INSERT INTO settled VALUES(1,0,1,0,0,30000,1795393220795,0);
INSERT INTO settled VALUES(1,1,2,0,0,30000,1795393221282,0);
INSERT INTO settled VALUES(2,0,2,6,1,0,1795393230216,6);
INSERT INTO settled VALUES(2,1,4,41,6,0,1795393234630,6);
CREATE TABLE table_move (
    position INTEGER NOT NULL REFERENCES position (id),
    -- UCI notation, as in search.
    move TEXT NOT NULL,
    -- The best comes first.
    place INTEGER NOT NULL CHECK (place >= 0),
    -- The result for the mover, as in fact.
    wdl INTEGER NOT NULL CHECK (wdl BETWEEN -2 AND 2),
    -- Plies to the next capture, pawn move or mate, the move included; negative where the mover loses. NULL
    -- where the tables do not say.
    dtz INTEGER,
    PRIMARY KEY (position, move)
) STRICT, WITHOUT ROWID;
INSERT INTO table_move VALUES(1,'e2e3',0,2,1);
INSERT INTO table_move VALUES(1,'e4d3',3,0,0);
INSERT INTO table_move VALUES(1,'e4d4',1,2,5);
INSERT INTO table_move VALUES(1,'e4e3',4,0,0);
INSERT INTO table_move VALUES(1,'e4f3',5,0,0);
INSERT INTO table_move VALUES(1,'e4f4',2,2,5);
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
INSERT INTO verdict VALUES(2,0,'e3d2',2,-30,-30,-30,'e3d2');
INSERT INTO verdict VALUES(2,0,'e3d3',4,-33,-33,-33,'e3d3');
INSERT INTO verdict VALUES(2,0,'e3e2',1,-26,-26,-26,'e3e2');
INSERT INTO verdict VALUES(2,0,'e3f2',0,-23,-23,-23,'e3f2');
INSERT INTO verdict VALUES(2,0,'e3f3',3,-32,-32,-32,'e3f3');
INSERT INTO verdict VALUES(2,0,'e4d5',5,-47,0,0,'e4d5');
INSERT INTO verdict VALUES(2,1,'e3d2',2,-30,-8,-8,'e3d2 e5f4');
INSERT INTO verdict VALUES(2,1,'e3d3',4,-33,0,0,'e3d3 d5e4');
INSERT INTO verdict VALUES(2,1,'e3e2',1,-26,-30000,-30000,'e3e2 e5e4');
INSERT INTO verdict VALUES(2,1,'e3f2',0,-23,0,0,'e3f2 e5e4');
INSERT INTO verdict VALUES(2,1,'e3f3',3,-32,0,0,'e3f3 d5e4');
INSERT INTO verdict VALUES(2,1,'e4d5',5,-47,0,0,'e4d5');
CREATE INDEX node_grown ON node (analysis, grown);
CREATE INDEX fact_round ON fact (round) WHERE round > 0;
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
COMMIT;
