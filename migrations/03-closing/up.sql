-- Closing searches as rows of their own. They were answers in the memo, told by what their profiles say of the hash: one
-- that was killed had left nothing, and SQL saw none.

-- A closing search: the root of a tree once more, after so many passes (docs/algorithm.md, section 7).
CREATE TABLE closing (
    id INTEGER PRIMARY KEY,
    -- The tree, as in analysis. That may be deleted and grown again; what was searched stays.
    start_epd TEXT NOT NULL,
    history TEXT NOT NULL,
    profile INTEGER NOT NULL REFERENCES profile (id),
    width_white TEXT NOT NULL,
    width_black TEXT NOT NULL,
    root_moves INTEGER NOT NULL,
    table_men INTEGER NOT NULL,
    fifty TEXT NOT NULL,
    -- Those that it was grown with, as in analysis_directives.
    directives TEXT NOT NULL,
    -- How many passes it had.
    pass INTEGER NOT NULL,
    -- What ends each engine's search of the root; NULL where the clock does.
    limit_kind TEXT CHECK (limit_kind IN ('depth', 'nodes')),
    limit_value INTEGER CHECK (limit_value > 0),
    -- How many engines share the moves.
    engines INTEGER NOT NULL CHECK (engines > 0),
    created_at INTEGER NOT NULL,
    CHECK ((limit_kind IS NULL) = (limit_value IS NULL))
) STRICT;
CREATE UNIQUE INDEX closing_key ON closing (
    start_epd, history, profile, width_white, width_black, root_moves, table_men, fifty, directives, pass, engines,
    coalesce(limit_kind, ''), coalesce(limit_value, 0)
);

-- What one engine of a closing search has come to: its last complete iteration. The others may have no row yet.
CREATE TABLE closing_share (
    closing INTEGER NOT NULL REFERENCES closing (id) ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number > 0),
    -- Whether it has all moves, as the first one has. (Before that was so, all shared them out.)
    is_all INTEGER NOT NULL CHECK (is_all IN (0, 1)),
    -- As in search.
    move TEXT NOT NULL,
    cp INTEGER,
    mate INTEGER,
    depth INTEGER NOT NULL,
    seldepth INTEGER NOT NULL,
    nodes INTEGER NOT NULL CHECK (nodes >= 0),
    time_ms INTEGER NOT NULL,
    pv TEXT NOT NULL,
    -- Whether its search has come to its end.
    is_done INTEGER NOT NULL CHECK (is_done IN (0, 1)),
    changed_at INTEGER NOT NULL,
    -- CRC-32 of the columns before it.
    checksum INTEGER NOT NULL,
    -- The score as one ordered integer.
    value INTEGER AS (CASE
        WHEN cp IS NOT NULL THEN max(-31000, min(31000, cp))
        WHEN mate > 0 THEN max(31001, 32001 - 2 * mate)
        ELSE min(-31001, -32000 - 2 * mate)
    END),
    PRIMARY KEY (closing, number),
    CHECK ((cp IS NULL) <> (mate IS NULL)),
    CHECK (number = 1 OR NOT is_all)
) STRICT, WITHOUT ROWID;

-- The directives that the tree of each analysis was grown with, as one text; empty where there were none.
CREATE VIEW analysis_directives (analysis, directives) AS
SELECT
    analysis.id,
    coalesce((
        SELECT group_concat(said, char(10))
        FROM (
            SELECT epd || ' ' || kind || iif(move = '', '', ' ' || move) || coalesce(' ' || value, '') AS said
            FROM grown_directive
            JOIN position ON position.id = grown_directive.position
            WHERE grown_directive.analysis = analysis.id
            ORDER BY epd, kind, move
        )
    ), '')
FROM analysis;

-- The directives of the root of each analysis as they are by now, in the same way.
CREATE VIEW root_directives (analysis, directives) AS
SELECT
    analysis.id,
    coalesce((
        SELECT group_concat(said, char(10))
        FROM (
            SELECT epd || ' ' || kind || iif(move = '', '', ' ' || move) || coalesce(' ' || value, '') AS said
            FROM game
            JOIN directive ON directive.game = game.id AND kind <> 'note'
            JOIN position ON position.id = directive.position
            WHERE game.start_epd = analysis.start_epd AND game.history = analysis.history
            ORDER BY epd, kind, move
        )
    ), '')
FROM analysis;

-- Which closing searches are of the root of which analysis, and under which directives: those of any tree that differs in
-- nothing else but the limit of its searches and how far it had come. CROSS JOIN: from the analysis to them, whatever
-- SQLite guesses.
CREATE VIEW closing_at_root (analysis, closing, directives) AS
SELECT analysis.id, closing.id, closing.directives
FROM analysis
CROSS JOIN profile AS ours ON ours.id = analysis.profile
CROSS JOIN closing ON closing.start_epd = analysis.start_epd
    AND closing.history = analysis.history
    AND closing.width_white = analysis.width_white
    AND closing.width_black = analysis.width_black
    AND closing.root_moves = analysis.root_moves
    AND closing.table_men = analysis.table_men
    AND closing.fifty = analysis.fifty
CROSS JOIN profile AS theirs ON theirs.id = closing.profile
    AND theirs.engine = ours.engine
    AND theirs.options = ours.options;

-- Which of them speak of the root of an analysis: those under the directives that its tree was grown with.
CREATE VIEW closing_of (analysis, closing) AS
SELECT closing_at_root.analysis, closing
FROM closing_at_root
CROSS JOIN analysis_directives AS grown ON grown.analysis = closing_at_root.analysis
    AND grown.directives = closing_at_root.directives;

-- What each closing search has chosen, as soon as its first engine has: the move of the engine that has all moves, unless
-- that of another one is better by 10 or more. With the number of its engine and the depth of that iteration, and the
-- nodes of all.
CREATE VIEW closing_verdict (closing, number, move, value, line, depth, nodes, is_done) AS
SELECT
    closing.id, chosen.number, chosen.move, chosen.value, chosen.pv, chosen.depth,
    (SELECT CAST(total(share.nodes) AS INTEGER) FROM closing_share AS share WHERE share.closing = closing.id),
    (SELECT total(share.is_done) = closing.engines FROM closing_share AS share WHERE share.closing = closing.id)
FROM closing
CROSS JOIN closing_share AS chosen ON chosen.closing = closing.id
    AND chosen.number = (
        SELECT share.number FROM closing_share AS share
        WHERE share.closing = closing.id
        ORDER BY share.value + 10 * share.is_all DESC, share.is_all, share.number LIMIT 1
    )
WHERE EXISTS (SELECT 1 FROM closing_share AS share WHERE share.closing = closing.id AND share.number = 1);

-- The one move that is told as the best of each analysis' root, with its value for its mover; who has chosen it, and
-- whether the other one has chosen the same; what the tree says, and the closing search of the most nodes, if there is
-- one. It counts while its engines have searched a quarter of the tree's nodes, and the root has no other directives
-- than its tree was grown with.
CREATE VIEW root_verdict (
    analysis, move, value, line, chosen_by, agree,
    tree_move, tree_value, tree_nodes, closing, closing_move, closing_value, closing_nodes
) AS
WITH tree AS (
    SELECT
        analysis.id AS analysis,
        analysis.line,
        substr(analysis.line, 1, instr(analysis.line || ' ', ' ') - 1) AS move,
        (SELECT alpha FROM course WHERE course.analysis = analysis.id ORDER BY pass DESC LIMIT 1) AS value,
        analysis.nodes,
        (
            SELECT closing.id
            FROM closing_of
            CROSS JOIN closing_verdict AS said ON said.closing = closing_of.closing
            CROSS JOIN closing ON closing.id = closing_of.closing
            CROSS JOIN profile ON profile.id = closing.profile
            WHERE closing_of.analysis = analysis.id
            ORDER BY said.nodes DESC, profile.limit_kind DESC, profile.limit_value DESC, closing.pass DESC,
                closing.id DESC
            LIMIT 1
        ) AS closing
    FROM analysis
    WHERE analysis.line <> ''
),
both AS (
    SELECT
        tree.*,
        said.move AS said_move, said.value AS said_value, said.pv AS said_line,
        (SELECT nodes FROM closing_verdict AS chosen WHERE chosen.closing = tree.closing) AS said_nodes
    FROM tree
    -- SQLite would work out all of a view that is joined so.
    LEFT JOIN closing_share AS said ON said.closing = tree.closing
        AND said.number = (SELECT number FROM closing_verdict AS chosen WHERE chosen.closing = tree.closing)
),
counted AS (
    SELECT *, coalesce(4 * said_nodes >= nodes, 0) AS counts FROM both
)
SELECT
    analysis,
    iif(counts, said_move, move),
    iif(counts, said_value, value),
    iif(counts, said_line, line),
    iif(counts, 'closing', 'tree'),
    coalesce(said_move = move, 1),
    move, value, nodes, closing, said_move, said_value, said_nodes
FROM counted;

-- The shares of the closing searches that the memo has, of trees that were grown without directives, where all are there
-- and some analysis has the root. Of two with one number the later one counts.
CREATE TEMP VIEW former_share AS
WITH kept AS (
    SELECT
        id AS profile, engine, limit_kind, limit_value,
        json_remove(options, '$."keep-hash"') AS options,
        json_extract(options, '$."keep-hash"') AS hash
    FROM profile
    WHERE CASE WHEN json_valid(options) THEN json_type(options, '$."keep-hash"') = 'object' END
),
share AS (
    SELECT
        max(kept.profile) AS profile,
        json_extract(hash, '$.start') AS start_epd,
        coalesce(json_extract(hash, '$.moves'), '') AS history,
        tree.id AS tree,
        coalesce(json_extract(hash, '$.widths[0]'), CAST(json_extract(hash, '$.distance') AS TEXT)) AS width_white,
        coalesce(json_extract(hash, '$.widths[1]'), CAST(json_extract(hash, '$.distance') AS TEXT)) AS width_black,
        coalesce(json_extract(hash, '$.root_moves'), 1) AS root_moves,
        coalesce(CAST(json_extract(hash, '$.tables') AS INTEGER), 0) AS table_men,
        iif(json_extract(hash, '$.tables') LIKE '% iccf %', 'iccf', 'fide') AS fifty,
        json_extract(hash, '$.passes') AS pass,
        kept.limit_kind, kept.limit_value,
        coalesce(json_extract(hash, '$.share.engines'), 1) AS engines,
        coalesce(json_extract(hash, '$.share.number'), 1) AS number,
        json_extract(hash, '$.share.moves') AS moves,
        search.move, cp, mate, depth, seldepth, nodes, time_ms, pv, created_at
    FROM kept
    JOIN profile AS tree ON tree.engine = kept.engine
        AND tree.options = kept.options
        AND tree.limit_value = json_extract(hash, '$.limit.' || tree.limit_kind)
    JOIN search ON search.profile = kept.profile
        AND search.rank = 0
        AND search.position = (
            SELECT position.id
            FROM analysis
            -- A FEN without its clocks.
            JOIN position ON position.epd = rtrim(rtrim(rtrim(rtrim(root, '0123456789'), ' '), '0123456789'), ' ')
            WHERE start_epd = json_extract(hash, '$.start')
                AND history = coalesce(json_extract(hash, '$.moves'), '')
            LIMIT 1
        )
    WHERE json_extract(hash, '$.of') = 'best lines'
        AND json_extract(hash, '$.passes') IS NOT NULL
        AND json_extract(hash, '$.nodes') IS NULL
        AND json_extract(hash, '$.side_by_side') IS NULL
        AND json_extract(hash, '$.directives') IS NULL
    GROUP BY
        start_epd, history, tree.id, width_white, width_black, root_moves, table_men, fifty, pass, kept.limit_kind,
        kept.limit_value, engines, number
),
counted AS (
    SELECT
        *,
        min(profile) OVER one AS closing,
        count(*) OVER one AS there,
        -- The first move of the second share.
        max(iif(number = 2, substr(moves, 1, instr(moves || ' ', ' ') - 1), NULL)) OVER one AS dealt
    FROM share
    WINDOW one AS (
        PARTITION BY
            start_epd, history, tree, width_white, width_black, root_moves, table_men, fifty, pass, limit_kind,
            limit_value, engines
    )
)
SELECT *, number = 1 AND (engines = 1 OR instr(' ' || moves || ' ', ' ' || dealt || ' ') > 0) AS is_all
FROM counted
WHERE there = engines;

INSERT INTO closing (
    id, start_epd, history, profile, width_white, width_black, root_moves, table_men, fifty, directives, pass,
    limit_kind, limit_value, engines, created_at
)
SELECT
    closing, start_epd, history, tree, width_white, width_black, root_moves, table_men, fifty, '', pass,
    limit_kind, limit_value, engines, min(created_at)
FROM former_share
GROUP BY closing;

-- The program puts their checksums in.
INSERT INTO closing_share (
    closing, number, is_all, move, cp, mate, depth, seldepth, nodes, time_ms, pv, is_done, changed_at, checksum
)
SELECT closing, number, is_all, move, cp, mate, depth, seldepth, nodes, time_ms, pv, 1, created_at, 0
FROM former_share;

DROP VIEW former_share;
