-- Answers that take half of the room, and know where they are from; positions that are found by a hash. A database had
-- 261 bytes for each answer, half of them for the text of positions, which stood there twice.

-- Who has given answers, beside the engines of the computer that grew the tree: workers of a fleet, and other databases.
CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    -- A worker: what it is called at the broker (one that is started again is another). A database: what the user calls it.
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('worker', 'database')),
    -- Why its answers were taken back; NULL as long as they stand.
    why TEXT,
    -- Which time it was that answers were taken back; NULL where it had given none. Whoever has read a tree or a
    -- list before the last time reads it anew.
    taken_back INTEGER UNIQUE CHECK (taken_back > 0),
    CHECK (taken_back IS NULL OR why IS NOT NULL)
) STRICT;
INSERT INTO source SELECT id, name, 'worker', why, taken_back FROM worker;

CREATE TABLE position_7 (
    id INTEGER PRIMARY KEY,
    -- CRC-32 of the EPD, as a signed number. Several positions may have the same.
    hash INTEGER NOT NULL,
    -- The board as EPD writes it, a hexadecimal digit for each sign: 0 is /, 1, 2 and 3 are one, two and four empty
    -- squares, 4 to 8 P N R Q K, 9 p, A n, B B, C b, D r, E q, F k; a last / makes the number of digits even. As text: a
    -- whole EPD that this cannot be done with.
    board ANY NOT NULL,
    -- What stands behind it in the EPD, without each - at the end.
    state TEXT NOT NULL,
    -- How the game is over there; no row of answer has such a position. NULL where it goes on.
    ending TEXT CHECK (ending IN ('checkmate', 'stalemate', 'insufficient material')),
    epd TEXT NOT NULL GENERATED ALWAYS AS (iif(
        typeof(board) = 'text', board,
        rtrim(
            replace(replace(replace(replace(replace(replace(replace(replace(
            replace(replace(replace(replace(
            replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
                hex(board),
            '4', 'P'), '5', 'N'), '6', 'R'), '7', 'Q'), '8', 'K'), '9', 'p'),
            'A', 'n'), 'C', 'b'), 'D', 'r'), 'E', 'q'), 'F', 'k'),
            '0', '/'), '1', '.'), '2', '..'), '3', '....'),
            '........', '8'), '.......', '7'), '......', '6'), '.....', '5'), '....', '4'), '...', '3'), '..', '2'), '.', '1'),
            '/')
        || ' ' || state || substr(' - -', 1 + 2 * (length(state) - length(replace(state, ' ', ''))))
    )) VIRTUAL
) STRICT;
INSERT INTO position_7 (id, hash, board, state, ending)
SELECT id, epd_hash(epd), epd_board(epd), epd_state(epd), ending FROM position;
DROP TABLE position;
ALTER TABLE position_7 RENAME TO position;
CREATE INDEX position_hash ON position (hash);

-- One answer of an engine: its best move among those of lower rank excluded. `search` shows the same in words.
CREATE TABLE answer (
    profile INTEGER NOT NULL REFERENCES profile (id),
    position INTEGER NOT NULL REFERENCES position (id),
    rank INTEGER NOT NULL CHECK (rank >= 0),
    move TEXT NOT NULL,
    -- Where the move leads.
    child INTEGER REFERENCES position (id),
    -- The score for the side that plays the move, in centipawns or in moves to mate (negative where it is mated).
    cp INTEGER,
    mate INTEGER,
    -- How many of a thousand games that side wins, draws and loses: 3 * (1001 * win + draw) + win + draw + loss - 999.
    -- NULL where the engine has not said it.
    wdl INTEGER,
    -- As the engine told last: plies, the most plies of a line, nodes, milliseconds.
    depth INTEGER NOT NULL,
    seldepth INTEGER NOT NULL,
    nodes INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    -- The engine's line behind the move, two bytes for each of its moves, the lower one first: from + 64 * to, squares counted
    -- from a1, b1 on, + 4096 times the piece of a promotion (2 knight, 3 bishop, 4 rook, 5 queen). As text: the
    -- whole line, in UCI notation.
    line ANY NOT NULL,
    created_at INTEGER NOT NULL,
    -- CRC-32 of the row of `search` as the program wrote it; a row without one came from elsewhere, and verify says so.
    checksum INTEGER,
    -- Who gave it; NULL for an engine of the computer that grew the tree.
    source INTEGER REFERENCES source (id),
    PRIMARY KEY (profile, position, rank),
    CHECK ((cp IS NULL) <> (mate IS NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO answer
SELECT profile, position, rank, search.move, child, cp, mate, 3 * (1001 * win + draw) + win + draw + loss - 999, depth, seldepth,
    nodes, time_ms, line_behind(search.move, pv), created_at, checksum, worker
FROM search LEFT JOIN link USING (position, move);
DROP VIEW tree_move;
DROP TABLE search;
DROP TABLE worker;
CREATE INDEX answer_source ON answer (source) WHERE source IS NOT NULL;

-- Every answer, with its line in UCI notation, the move first, and games in a thousand that its side wins, draws and loses.
CREATE VIEW search (
    profile, position, rank, move, cp, mate, depth, seldepth, nodes, time_ms, pv, created_at, win, draw, loss, source, child
) AS
SELECT
    profile, position, rank, move, cp, mate, depth, seldepth, nodes, time_ms,
    iif(typeof(line) = 'text', line, (
        WITH RECURSIVE
        said (at, moves, digits) AS (
            SELECT 1, move, hex(line)
            UNION ALL
            SELECT
                at + 4,
                moves || ' ' || (
                    WITH
                    word (number) AS (
                        SELECT 16 * instr('123456789ABCDEF', substr(digits, at, 1))
                            + instr('123456789ABCDEF', substr(digits, at + 1, 1))
                            + 4096 * instr('123456789ABCDEF', substr(digits, at + 2, 1))
                            + 256 * instr('123456789ABCDEF', substr(digits, at + 3, 1))
                    )
                    SELECT substr('abcdefgh', 1 + (number & 7), 1) || (1 + (number >> 3 & 7))
                        || substr('abcdefgh', 1 + (number >> 6 & 7), 1) || (1 + (number >> 9 & 7))
                        || substr('pnbrqk', number >> 12 & 7, 1)
                    FROM word
                ),
                digits
            FROM said WHERE at < length(digits)
        )
        SELECT moves FROM said ORDER BY at DESC LIMIT 1
    )),
    created_at,
    wdl / 3 / 1001, wdl / 3 % 1001, wdl % 3 + 999 - wdl / 3 / 1001 - wdl / 3 % 1001,
    source, child
FROM answer;

-- Where moves lead that no answer has: those that the user or a tree follows.
CREATE TABLE link_7 (
    position INTEGER NOT NULL REFERENCES position (id),
    move TEXT NOT NULL,
    child INTEGER NOT NULL REFERENCES position (id),
    PRIMARY KEY (position, move)
) STRICT, WITHOUT ROWID;
-- An answer's own is kept only where somebody follows the move, too.
INSERT INTO link_7
SELECT position, move, child FROM link
WHERE NOT EXISTS (
        SELECT 1 FROM profile CROSS JOIN answer ON answer.profile = profile.id
            AND answer.position = link.position AND answer.move = link.move
    )
    OR position IN (
        SELECT position FROM directive UNION SELECT position FROM grown_directive UNION SELECT position FROM move_count
        UNION SELECT position FROM node WHERE ply = 0
    );
DROP TABLE link;
ALTER TABLE link_7 RENAME TO link;


-- Every move of every tree that counts, with the engine's score and the backed-up one, for the side that plays it, and how
-- many of a thousand games that side wins, draws and loses, where the engine has said it with its score. A move that only
-- the user has included, or that is followed because people play it, has neither rank nor eval. Where it leads to a
-- position that tables know, wdl is their result for the side to move there.
CREATE VIEW tree_move (analysis, epd, ply, rank, uci, eval, idea, wdl, win, draw, loss) AS
WITH moves AS (
    SELECT
        node.analysis, node.position, node.ply, search.rank, search.move,
        CASE
            WHEN search.cp IS NOT NULL THEN max(-31000, min(31000, search.cp))
            WHEN search.mate > 0 THEN max(31001, 32001 - 2 * search.mate)
            ELSE min(-31001, -32000 - 2 * search.mate)
        END AS eval,
        search.win, search.draw, search.loss, search.child
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
    SELECT node.analysis, node.position, node.ply, NULL, said.move, NULL, NULL, NULL, NULL, link.child
    FROM node
    JOIN analysis ON analysis.id = node.analysis
    JOIN grown_directive AS said ON said.analysis = node.analysis
        AND said.position = node.position AND said.kind = 'include'
    LEFT JOIN link ON link.position = said.position AND link.move = said.move
    WHERE NOT EXISTS (
        SELECT 1 FROM search
        WHERE search.profile = analysis.profile AND search.position = node.position
            AND search.rank < node.admitted AND search.move = said.move
    )
    UNION ALL
    SELECT said.analysis, said.position, said.ply, NULL, said.move, NULL, NULL, NULL, NULL, link.child
    FROM played_move AS said
    JOIN analysis ON analysis.id = said.analysis
    JOIN node ON node.analysis = said.analysis AND node.position = said.position
    LEFT JOIN link ON link.position = said.position AND link.move = said.move
    WHERE said.is_followed
        AND NOT EXISTS (
            SELECT 1 FROM search
            WHERE search.profile = analysis.profile AND search.position = said.position
                AND search.rank < node.admitted AND search.move = said.move
        )
    UNION ALL
    SELECT node.analysis, node.position, node.ply, NULL, link.move, NULL, NULL, NULL, NULL, link.child
    FROM analysis
    JOIN node ON node.analysis = analysis.id AND node.ply = 0
    JOIN link ON link.position = node.position AND instr(' ' || analysis.found || ' ', ' ' || link.move || ' ') > 0
    WHERE analysis.found <> ''
        AND NOT EXISTS (
            SELECT 1 FROM search
            WHERE search.profile = analysis.profile AND search.position = node.position
                AND search.rank < node.admitted AND search.move = link.move
        )
        AND NOT EXISTS (
            SELECT 1 FROM grown_directive AS wish
            WHERE wish.analysis = node.analysis AND wish.position = node.position AND wish.move = link.move
                AND wish.kind IN ('exclude', 'include')
        )
        AND NOT EXISTS (
            SELECT 1 FROM played_move AS said
            WHERE said.analysis = node.analysis AND said.position = node.position AND said.move = link.move
                AND said.is_followed
        )
),
behind AS (
    SELECT
        moves.analysis, position.epd, moves.ply, moves.rank, moves.move, moves.eval, moves.win, moves.draw, moves.loss,
        ending.ending, below.idea AS below,
        iif(position.state LIKE 'w%', said.value, -said.value) AS value,
        said.kind = 'draw' AS is_given_as_draw,
        iif(position.state LIKE 'w%', analysis.draw_value, -analysis.draw_value) AS drawn,
        fact.wdl, analysis.fifty
    FROM moves
    JOIN analysis ON analysis.id = moves.analysis
    JOIN position ON position.id = moves.position
    LEFT JOIN position AS ending ON ending.id = moves.child
    LEFT JOIN node AS below ON below.analysis = moves.analysis AND below.position = moves.child
    LEFT JOIN grown_directive AS said ON said.analysis = moves.analysis
        AND said.position = moves.child AND said.kind IN ('value', 'draw')
    LEFT JOIN fact ON fact.position = moves.child AND fact.men <= analysis.table_men
        AND fact.round <= analysis.fact_round
)
SELECT
    analysis, epd, ply, rank, move, eval,
    CASE
        WHEN abs(wdl) = 2 OR fifty = 'iccf' AND abs(wdl) = 1 THEN -30000 * sign(wdl)
        WHEN wdl IS NOT NULL OR is_given_as_draw THEN drawn
        WHEN value IS NOT NULL THEN value
        WHEN ending = 'checkmate' THEN 31999
        WHEN ending IS NOT NULL THEN drawn
        WHEN below IS NULL THEN eval
        WHEN below > 31000 THEN 1 - below
        WHEN below < -31000 THEN -1 - below
        ELSE -below
    END,
    wdl, win, draw, loss
FROM behind
WHERE rank IS NOT NULL OR wdl IS NOT NULL OR is_given_as_draw OR value IS NOT NULL OR ending IS NOT NULL OR below IS NOT NULL;

