-- A database as version 1 of the schema wrote it: a scripted engine, depth 2 settled, depth 3 begun.
PRAGMA foreign_keys = OFF;
PRAGMA application_id = 1685089889;
PRAGMA user_version = 1;
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
    changed_at INTEGER NOT NULL,
    UNIQUE (start_epd, history, profile, distance)
) STRICT;
INSERT INTO "analysis" VALUES(1,'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1','rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1','rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -','',1,10,3,2,9,26,50,1795249215965,1795249216008);
CREATE TABLE link (
    position INTEGER NOT NULL REFERENCES position (id),
    move TEXT NOT NULL,
    child INTEGER NOT NULL REFERENCES position (id),
    PRIMARY KEY (position, move)
) STRICT, WITHOUT ROWID;
INSERT INTO "link" VALUES(1,'b1c3',5);
INSERT INTO "link" VALUES(1,'c2c4',2);
INSERT INTO "link" VALUES(1,'g1f3',3);
INSERT INTO "link" VALUES(1,'h2h3',4);
INSERT INTO "link" VALUES(2,'b7b5',10);
INSERT INTO "link" VALUES(2,'b7b6',8);
INSERT INTO "link" VALUES(2,'b8a6',39);
INSERT INTO "link" VALUES(2,'e7e6',6);
INSERT INTO "link" VALUES(2,'f7f5',11);
INSERT INTO "link" VALUES(2,'f7f6',9);
INSERT INTO "link" VALUES(2,'h7h6',7);
INSERT INTO "link" VALUES(3,'a7a5',15);
INSERT INTO "link" VALUES(3,'b8a6',18);
INSERT INTO "link" VALUES(3,'c7c5',14);
INSERT INTO "link" VALUES(3,'d7d5',17);
INSERT INTO "link" VALUES(3,'d7d6',12);
INSERT INTO "link" VALUES(3,'f7f6',16);
INSERT INTO "link" VALUES(3,'g8f6',13);
INSERT INTO "link" VALUES(4,'b7b6',23);
INSERT INTO "link" VALUES(4,'c7c5',22);
INSERT INTO "link" VALUES(4,'c7c6',20);
INSERT INTO "link" VALUES(4,'d7d6',19);
INSERT INTO "link" VALUES(4,'h7h6',21);
INSERT INTO "link" VALUES(6,'a2a4',34);
INSERT INTO "link" VALUES(6,'b1a3',42);
INSERT INTO "link" VALUES(6,'c4c5',43);
INSERT INTO "link" VALUES(6,'d1c2',41);
INSERT INTO "link" VALUES(7,'f2f4',35);
INSERT INTO "link" VALUES(8,'g1f3',36);
INSERT INTO "link" VALUES(9,'e2e4',37);
INSERT INTO "link" VALUES(10,'d2d3',38);
INSERT INTO "link" VALUES(11,'a2a4',40);
INSERT INTO "link" VALUES(12,'b1c3',24);
INSERT INTO "link" VALUES(13,'b1a3',25);
INSERT INTO "link" VALUES(14,'f3g1',26);
INSERT INTO "link" VALUES(15,'g2g4',27);
INSERT INTO "link" VALUES(16,'b1c3',28);
INSERT INTO "link" VALUES(17,'g2g3',29);
INSERT INTO "link" VALUES(19,'b2b3',30);
INSERT INTO "link" VALUES(19,'c2c3',52);
INSERT INTO "link" VALUES(20,'e2e4',31);
INSERT INTO "link" VALUES(21,'c2c3',49);
INSERT INTO "link" VALUES(21,'f2f3',32);
INSERT INTO "link" VALUES(21,'g1f3',48);
INSERT INTO "link" VALUES(22,'c2c4',33);
INSERT INTO "link" VALUES(31,'h7h6',51);
INSERT INTO "link" VALUES(32,'b7b5',50);
INSERT INTO "link" VALUES(34,'f8d6',44);
INSERT INTO "link" VALUES(36,'c7c6',45);
INSERT INTO "link" VALUES(37,'e8f7',47);
INSERT INTO "link" VALUES(38,'h7h6',46);
CREATE TABLE node (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    ply INTEGER NOT NULL,
    admitted INTEGER NOT NULL CHECK (admitted > 0),
    idea INTEGER NOT NULL,
    PRIMARY KEY (analysis, position)
) STRICT, WITHOUT ROWID;
INSERT INTO "node" VALUES(1,1,0,4,0);
INSERT INTO "node" VALUES(1,2,1,7,7);
INSERT INTO "node" VALUES(1,3,1,7,15);
INSERT INTO "node" VALUES(1,4,1,5,0);
INSERT INTO "node" VALUES(1,6,2,4,-4);
INSERT INTO "node" VALUES(1,7,2,1,7);
INSERT INTO "node" VALUES(1,8,2,1,-1);
INSERT INTO "node" VALUES(1,9,2,1,8);
INSERT INTO "node" VALUES(1,10,2,1,-7);
INSERT INTO "node" VALUES(1,11,2,1,12);
INSERT INTO "node" VALUES(1,12,2,1,0);
INSERT INTO "node" VALUES(1,13,2,1,12);
INSERT INTO "node" VALUES(1,14,2,1,-14);
INSERT INTO "node" VALUES(1,15,2,1,-15);
INSERT INTO "node" VALUES(1,16,2,1,7);
INSERT INTO "node" VALUES(1,17,2,1,-11);
INSERT INTO "node" VALUES(1,19,2,1,0);
INSERT INTO "node" VALUES(1,20,2,1,5);
INSERT INTO "node" VALUES(1,21,2,3,15);
INSERT INTO "node" VALUES(1,22,2,1,7);
INSERT INTO "node" VALUES(1,31,3,1,-5);
INSERT INTO "node" VALUES(1,32,3,1,-15);
INSERT INTO "node" VALUES(1,34,3,1,4);
INSERT INTO "node" VALUES(1,36,3,1,1);
INSERT INTO "node" VALUES(1,37,3,1,-8);
INSERT INTO "node" VALUES(1,38,3,1,7);
CREATE TABLE position (
    id INTEGER PRIMARY KEY,
    -- Board, side to move, castling rights, legal en passant square: no clocks.
    epd TEXT NOT NULL UNIQUE,
    -- How the game is over there; no row of search has such a position.
    ending TEXT CHECK (ending IN ('checkmate', 'stalemate', 'insufficient material'))
) STRICT;
INSERT INTO "position" VALUES(1,'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -',NULL);
INSERT INTO "position" VALUES(2,'rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq -',NULL);
INSERT INTO "position" VALUES(3,'rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq -',NULL);
INSERT INTO "position" VALUES(4,'rnbqkbnr/pppppppp/8/8/8/7P/PPPPPPP1/RNBQKBNR b KQkq -',NULL);
INSERT INTO "position" VALUES(5,'rnbqkbnr/pppppppp/8/8/8/2N5/PPPPPPPP/R1BQKBNR b KQkq -',NULL);
INSERT INTO "position" VALUES(6,'rnbqkbnr/pppp1ppp/4p3/8/2P5/8/PP1PPPPP/RNBQKBNR w KQkq -',NULL);
INSERT INTO "position" VALUES(7,'rnbqkbnr/ppppppp1/7p/8/2P5/8/PP1PPPPP/RNBQKBNR w KQkq -',NULL);
INSERT INTO "position" VALUES(8,'rnbqkbnr/p1pppppp/1p6/8/2P5/8/PP1PPPPP/RNBQKBNR w KQkq -',NULL);
INSERT INTO "position" VALUES(9,'rnbqkbnr/ppppp1pp/5p2/8/2P5/8/PP1PPPPP/RNBQKBNR w KQkq -',NULL);
INSERT INTO "position" VALUES(10,'rnbqkbnr/p1pppppp/8/1p6/2P5/8/PP1PPPPP/RNBQKBNR w KQkq -',NULL);
INSERT INTO "position" VALUES(11,'rnbqkbnr/ppppp1pp/8/5p2/2P5/8/PP1PPPPP/RNBQKBNR w KQkq -',NULL);
INSERT INTO "position" VALUES(12,'rnbqkbnr/ppp1pppp/3p4/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq -',NULL);
INSERT INTO "position" VALUES(13,'rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq -',NULL);
INSERT INTO "position" VALUES(14,'rnbqkbnr/pp1ppppp/8/2p5/8/5N2/PPPPPPPP/RNBQKB1R w KQkq -',NULL);
INSERT INTO "position" VALUES(15,'rnbqkbnr/1ppppppp/8/p7/8/5N2/PPPPPPPP/RNBQKB1R w KQkq -',NULL);
INSERT INTO "position" VALUES(16,'rnbqkbnr/ppppp1pp/5p2/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq -',NULL);
INSERT INTO "position" VALUES(17,'rnbqkbnr/ppp1pppp/8/3p4/8/5N2/PPPPPPPP/RNBQKB1R w KQkq -',NULL);
INSERT INTO "position" VALUES(18,'r1bqkbnr/pppppppp/n7/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq -',NULL);
INSERT INTO "position" VALUES(19,'rnbqkbnr/ppp1pppp/3p4/8/8/7P/PPPPPPP1/RNBQKBNR w KQkq -',NULL);
INSERT INTO "position" VALUES(20,'rnbqkbnr/pp1ppppp/2p5/8/8/7P/PPPPPPP1/RNBQKBNR w KQkq -',NULL);
INSERT INTO "position" VALUES(21,'rnbqkbnr/ppppppp1/7p/8/8/7P/PPPPPPP1/RNBQKBNR w KQkq -',NULL);
INSERT INTO "position" VALUES(22,'rnbqkbnr/pp1ppppp/8/2p5/8/7P/PPPPPPP1/RNBQKBNR w KQkq -',NULL);
INSERT INTO "position" VALUES(23,'rnbqkbnr/p1pppppp/1p6/8/8/7P/PPPPPPP1/RNBQKBNR w KQkq -',NULL);
INSERT INTO "position" VALUES(24,'rnbqkbnr/ppp1pppp/3p4/8/8/2N2N2/PPPPPPPP/R1BQKB1R b KQkq -',NULL);
INSERT INTO "position" VALUES(25,'rnbqkb1r/pppppppp/5n2/8/8/N4N2/PPPPPPPP/R1BQKB1R b KQkq -',NULL);
INSERT INTO "position" VALUES(26,'rnbqkbnr/pp1ppppp/8/2p5/8/8/PPPPPPPP/RNBQKBNR b KQkq -',NULL);
INSERT INTO "position" VALUES(27,'rnbqkbnr/1ppppppp/8/p7/6P1/5N2/PPPPPP1P/RNBQKB1R b KQkq -',NULL);
INSERT INTO "position" VALUES(28,'rnbqkbnr/ppppp1pp/5p2/8/8/2N2N2/PPPPPPPP/R1BQKB1R b KQkq -',NULL);
INSERT INTO "position" VALUES(29,'rnbqkbnr/ppp1pppp/8/3p4/8/5NP1/PPPPPP1P/RNBQKB1R b KQkq -',NULL);
INSERT INTO "position" VALUES(30,'rnbqkbnr/ppp1pppp/3p4/8/8/1P5P/P1PPPPP1/RNBQKBNR b KQkq -',NULL);
INSERT INTO "position" VALUES(31,'rnbqkbnr/pp1ppppp/2p5/8/4P3/7P/PPPP1PP1/RNBQKBNR b KQkq -',NULL);
INSERT INTO "position" VALUES(32,'rnbqkbnr/ppppppp1/7p/8/8/5P1P/PPPPP1P1/RNBQKBNR b KQkq -',NULL);
INSERT INTO "position" VALUES(33,'rnbqkbnr/pp1ppppp/8/2p5/2P5/7P/PP1PPPP1/RNBQKBNR b KQkq -',NULL);
INSERT INTO "position" VALUES(34,'rnbqkbnr/pppp1ppp/4p3/8/P1P5/8/1P1PPPPP/RNBQKBNR b KQkq -',NULL);
INSERT INTO "position" VALUES(35,'rnbqkbnr/ppppppp1/7p/8/2P2P2/8/PP1PP1PP/RNBQKBNR b KQkq -',NULL);
INSERT INTO "position" VALUES(36,'rnbqkbnr/p1pppppp/1p6/8/2P5/5N2/PP1PPPPP/RNBQKB1R b KQkq -',NULL);
INSERT INTO "position" VALUES(37,'rnbqkbnr/ppppp1pp/5p2/8/2P1P3/8/PP1P1PPP/RNBQKBNR b KQkq -',NULL);
INSERT INTO "position" VALUES(38,'rnbqkbnr/p1pppppp/8/1p6/2P5/3P4/PP2PPPP/RNBQKBNR b KQkq -',NULL);
INSERT INTO "position" VALUES(39,'r1bqkbnr/pppppppp/n7/8/2P5/8/PP1PPPPP/RNBQKBNR w KQkq -',NULL);
INSERT INTO "position" VALUES(40,'rnbqkbnr/ppppp1pp/8/5p2/P1P5/8/1P1PPPPP/RNBQKBNR b KQkq -',NULL);
INSERT INTO "position" VALUES(41,'rnbqkbnr/pppp1ppp/4p3/8/2P5/8/PPQPPPPP/RNB1KBNR b KQkq -',NULL);
INSERT INTO "position" VALUES(42,'rnbqkbnr/pppp1ppp/4p3/8/2P5/N7/PP1PPPPP/R1BQKBNR b KQkq -',NULL);
INSERT INTO "position" VALUES(43,'rnbqkbnr/pppp1ppp/4p3/2P5/8/8/PP1PPPPP/RNBQKBNR b KQkq -',NULL);
INSERT INTO "position" VALUES(44,'rnbqk1nr/pppp1ppp/3bp3/8/P1P5/8/1P1PPPPP/RNBQKBNR w KQkq -',NULL);
INSERT INTO "position" VALUES(45,'rnbqkbnr/p2ppppp/1pp5/8/2P5/5N2/PP1PPPPP/RNBQKB1R w KQkq -',NULL);
INSERT INTO "position" VALUES(46,'rnbqkbnr/p1ppppp1/7p/1p6/2P5/3P4/PP2PPPP/RNBQKBNR w KQkq -',NULL);
INSERT INTO "position" VALUES(47,'rnbq1bnr/pppppkpp/5p2/8/2P1P3/8/PP1P1PPP/RNBQKBNR w KQ -',NULL);
INSERT INTO "position" VALUES(48,'rnbqkbnr/ppppppp1/7p/8/8/5N1P/PPPPPPP1/RNBQKB1R b KQkq -',NULL);
INSERT INTO "position" VALUES(49,'rnbqkbnr/ppppppp1/7p/8/8/2P4P/PP1PPPP1/RNBQKBNR b KQkq -',NULL);
INSERT INTO "position" VALUES(50,'rnbqkbnr/p1ppppp1/7p/1p6/8/5P1P/PPPPP1P1/RNBQKBNR w KQkq -',NULL);
INSERT INTO "position" VALUES(51,'rnbqkbnr/pp1pppp1/2p4p/8/4P3/7P/PPPP1PP1/RNBQKBNR w KQkq -',NULL);
INSERT INTO "position" VALUES(52,'rnbqkbnr/ppp1pppp/3p4/8/8/2P4P/PP1PPPP1/RNBQKBNR b KQkq -',NULL);
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
INSERT INTO "search" VALUES(1,1,0,'c2c4',-13,NULL,5,7,1928,0,'c2c4 a7a6',1795249215969,3736957357);
INSERT INTO "search" VALUES(1,1,1,'g1f3',-14,NULL,5,7,1928,0,'g1f3 a7a6',1795249215969,472395824);
INSERT INTO "search" VALUES(1,1,2,'h2h3',-22,NULL,5,7,1928,0,'h2h3 a7a6',1795249215969,366988665);
INSERT INTO "search" VALUES(1,1,3,'b1c3',-24,NULL,5,7,1928,0,'b1c3 a7a6',1795249215969,1922797420);
INSERT INTO "search" VALUES(1,2,0,'e7e6',7,NULL,5,7,1296,0,'e7e6 a2a3',1795249215974,3951037874);
INSERT INTO "search" VALUES(1,2,1,'h7h6',7,NULL,5,7,1296,0,'h7h6 a2a3',1795249215974,3062778535);
INSERT INTO "search" VALUES(1,2,2,'b7b6',4,NULL,5,7,1296,0,'b7b6 a2a3',1795249215974,3516677567);
INSERT INTO "search" VALUES(1,2,3,'f7f6',3,NULL,5,7,1296,0,'f7f6 a2a3',1795249215974,3839333262);
INSERT INTO "search" VALUES(1,2,4,'b7b5',-1,NULL,5,7,1296,0,'b7b5 c4b5',1795249215974,2345620449);
INSERT INTO "search" VALUES(1,2,5,'f7f5',-4,NULL,5,7,1296,0,'f7f5 a2a3',1795249215974,2886709253);
INSERT INTO "search" VALUES(1,2,6,'b8a6',-6,NULL,5,7,1296,0,'b8a6 a2a3',1795249215991,2107015057);
INSERT INTO "search" VALUES(1,3,0,'d7d6',-4,NULL,5,7,1126,0,'d7d6 a2a3',1795249215974,644634975);
INSERT INTO "search" VALUES(1,3,1,'g8f6',-4,NULL,5,7,1126,0,'g8f6 a2a3',1795249215975,2801400628);
INSERT INTO "search" VALUES(1,3,2,'c7c5',-6,NULL,5,7,1126,0,'c7c5 a2a3',1795249215975,1981008863);
INSERT INTO "search" VALUES(1,3,3,'a7a5',-7,NULL,5,7,1126,0,'a7a5 a2a3',1795249215979,3504906438);
INSERT INTO "search" VALUES(1,3,4,'f7f6',-11,NULL,5,7,1126,0,'f7f6 a2a3',1795249215979,2211561674);
INSERT INTO "search" VALUES(1,3,5,'d7d5',-12,NULL,5,7,1126,0,'d7d5 a2a3',1795249215979,781792156);
INSERT INTO "search" VALUES(1,3,6,'b8a6',-17,NULL,5,7,1126,0,'b8a6 a2a3',1795249215979,1598668444);
INSERT INTO "search" VALUES(1,4,0,'d7d6',1,NULL,5,7,1628,0,'d7d6 a2a3',1795249215979,3592890708);
INSERT INTO "search" VALUES(1,4,1,'c7c6',-2,NULL,5,7,1628,0,'c7c6 a2a3',1795249215979,3800819222);
INSERT INTO "search" VALUES(1,4,2,'h7h6',-3,NULL,5,7,1628,0,'h7h6 a2a3',1795249215979,654963626);
INSERT INTO "search" VALUES(1,4,3,'c7c5',-8,NULL,5,7,1628,0,'c7c5 a2a3',1795249215979,4260677772);
INSERT INTO "search" VALUES(1,4,4,'b7b6',-14,NULL,5,7,1628,0,'b7b6 a2a3',1795249215980,4243487806);
INSERT INTO "search" VALUES(1,6,0,'a2a4',-4,NULL,5,7,1887,0,'a2a4 e6e5',1795249215989,3475530673);
INSERT INTO "search" VALUES(1,6,1,'d1c2',-6,NULL,5,7,1887,0,'d1c2 e6e5',1795249216005,1319480665);
INSERT INTO "search" VALUES(1,6,2,'b1a3',-8,NULL,5,7,1887,0,'b1a3 e6e5',1795249216006,23698582);
INSERT INTO "search" VALUES(1,6,3,'c4c5',-13,NULL,5,7,1887,0,'c4c5 e6e5',1795249216006,3074282759);
INSERT INTO "search" VALUES(1,7,0,'f2f4',7,NULL,5,7,1466,0,'f2f4 h6h5',1795249215989,1492678894);
INSERT INTO "search" VALUES(1,8,0,'g1f3',-4,NULL,5,7,1507,0,'g1f3 b6b5',1795249215989,928195456);
INSERT INTO "search" VALUES(1,9,0,'e2e4',3,NULL,5,7,1254,0,'e2e4 f6f5',1795249215989,3451200603);
INSERT INTO "search" VALUES(1,10,0,'d2d3',1,NULL,5,7,1887,0,'d2d3 b5c4',1795249215989,296323752);
INSERT INTO "search" VALUES(1,11,0,'a2a4',12,NULL,5,7,1055,0,'a2a4 f5f4',1795249215991,4211973529);
INSERT INTO "search" VALUES(1,12,0,'b1c3',0,NULL,5,7,1986,0,'b1c3 d6d5',1795249215985,2806377266);
INSERT INTO "search" VALUES(1,13,0,'b1a3',12,NULL,5,7,1623,0,'b1a3 a7a6',1795249215985,3678306950);
INSERT INTO "search" VALUES(1,14,0,'f3g1',-14,NULL,5,7,1284,0,'f3g1 c5c4',1795249215985,2148363227);
INSERT INTO "search" VALUES(1,15,0,'g2g4',-15,NULL,5,7,1592,0,'g2g4 a5a4',1795249215985,3304274346);
INSERT INTO "search" VALUES(1,16,0,'b1c3',7,NULL,5,7,1421,0,'b1c3 f6f5',1795249215985,1945144835);
INSERT INTO "search" VALUES(1,17,0,'g2g3',-11,NULL,5,7,1066,0,'g2g3 d5d4',1795249215985,123706976);
INSERT INTO "search" VALUES(1,19,0,'b2b3',0,NULL,5,7,1278,0,'b2b3 d6d5',1795249215985,4189561502);
INSERT INTO "search" VALUES(1,19,1,'c2c3',-2,NULL,5,7,1278,0,'c2c3 d6d5',1795249216008,3200576662);
INSERT INTO "search" VALUES(1,20,0,'e2e4',-8,NULL,5,7,1713,0,'e2e4 c6c5',1795249215985,1787399521);
INSERT INTO "search" VALUES(1,21,0,'f2f3',-11,NULL,5,7,1965,0,'f2f3 h6h5',1795249215985,1613712881);
INSERT INTO "search" VALUES(1,21,1,'g1f3',-13,NULL,5,7,1965,0,'g1f3 h6h5',1795249216006,3369391413);
INSERT INTO "search" VALUES(1,21,2,'c2c3',-17,NULL,5,7,1965,0,'c2c3 h6h5',1795249216006,3137520601);
INSERT INTO "search" VALUES(1,22,0,'c2c4',7,NULL,5,7,1153,0,'c2c4 a7a6',1795249215986,564158785);
INSERT INTO "search" VALUES(1,31,0,'h7h6',-5,NULL,5,7,1970,0,'h7h6 a2a3',1795249216007,346169066);
INSERT INTO "search" VALUES(1,32,0,'b7b5',-15,NULL,5,7,1691,0,'b7b5 a2a3',1795249216007,3179762190);
INSERT INTO "search" VALUES(1,34,0,'f8d6',4,NULL,5,7,1396,0,'f8d6 b2b3',1795249216006,2085382093);
INSERT INTO "search" VALUES(1,36,0,'c7c6',1,NULL,5,7,1519,0,'c7c6 a2a3',1795249216006,1711607443);
INSERT INTO "search" VALUES(1,37,0,'e8f7',-8,NULL,5,7,1949,0,'e8f7 a2a3',1795249216006,815351098);
INSERT INTO "search" VALUES(1,38,0,'h7h6',7,NULL,5,7,1104,0,'h7h6 c4b5',1795249216006,976487830);
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
INSERT INTO "settled" VALUES(1,0,2,4,1,-13,1795249215970);
INSERT INTO "settled" VALUES(1,1,4,22,4,4,1795249215980);
INSERT INTO "settled" VALUES(1,2,8,39,20,-4,1795249215991);
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
