-- What a draw is worth to White belongs to what identifies an analysis; a position can be given as a draw, which is not 0
-- then; and engines say how likely a win, a draw and a loss are.

ALTER TABLE search ADD COLUMN win INTEGER /* Of a thousand games, for the side that plays the move; NULL where the engine has not said it. */;
ALTER TABLE search ADD COLUMN draw INTEGER;
ALTER TABLE search ADD COLUMN loss INTEGER;
ALTER TABLE closing_share ADD COLUMN win INTEGER /* As in search. */;
ALTER TABLE closing_share ADD COLUMN draw INTEGER;
ALTER TABLE closing_share ADD COLUMN loss INTEGER;

CREATE TABLE directive_6 (
    game INTEGER NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    -- draw: the position is worth what a draw is.
    kind TEXT NOT NULL CHECK (kind IN ('exclude', 'include', 'value', 'draw', 'stop', 'note')),
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
INSERT INTO directive_6 SELECT * FROM directive;
DROP TABLE directive;
ALTER TABLE directive_6 RENAME TO directive;

CREATE TABLE grown_directive_6 (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    kind TEXT NOT NULL CHECK (kind IN ('exclude', 'include', 'value', 'draw', 'stop')),
    move TEXT NOT NULL DEFAULT '',
    value INTEGER,
    PRIMARY KEY (analysis, position, kind, move),
    CHECK ((kind IN ('exclude', 'include')) = (move <> '')),
    CHECK ((kind = 'value') = (value IS NOT NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO grown_directive_6 SELECT * FROM grown_directive;
DROP TABLE grown_directive;
ALTER TABLE grown_directive_6 RENAME TO grown_directive;

CREATE TABLE analysis_6 (
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
    -- Engine nodes of its admitted answers.
    nodes INTEGER NOT NULL DEFAULT 0,
    -- Moves of the root that closing searches have found, by their UCI text.
    found TEXT NOT NULL DEFAULT '',
    -- The set of games whose counts its tree knows; 0 where it knows none.
    game_set INTEGER NOT NULL DEFAULT 0 CHECK (game_set >= 0),
    -- From which share and number of games on a move is followed where the side is to move, like 5%/10; empty where
    -- none is.
    played_white TEXT NOT NULL DEFAULT '',
    played_black TEXT NOT NULL DEFAULT '',
    -- What a draw is worth, in centipawns for White.
    draw_value INTEGER NOT NULL DEFAULT 0 CHECK (draw_value BETWEEN -1000 AND 1000),
    CHECK (game_set > 0 OR played_white = '' AND played_black = ''),
    UNIQUE (
        start_epd, history, profile, width_white, width_black, root_moves, table_men, fifty, game_set, played_white,
        played_black, draw_value
    )
) STRICT;
INSERT INTO analysis_6 (id, root, start, start_epd, history, profile, distance, width_white, width_black, root_moves, target_depth,
    settled_depth, pass, positions, searches, created_at, changed_at, course_from, regrown, table_men, fifty, fact_round,
    grown_round, line, nodes, found, game_set, played_white, played_black)
SELECT id, root, start, start_epd, history, profile, distance, width_white, width_black, root_moves, target_depth,
    settled_depth, pass, positions, searches, created_at, changed_at, course_from, regrown, table_men, fifty, fact_round,
    grown_round, line, nodes, found, game_set, played_white, played_black
FROM analysis;
-- No number is used twice.
DELETE FROM sqlite_sequence WHERE name = 'analysis_6';
INSERT INTO sqlite_sequence (name, seq) SELECT 'analysis_6', seq FROM sqlite_sequence WHERE name = 'analysis';
DROP TABLE analysis;
ALTER TABLE analysis_6 RENAME TO analysis;

ALTER TABLE closing ADD COLUMN draw_value INTEGER NOT NULL DEFAULT 0 /* As in analysis. */;
DROP INDEX closing_key;
CREATE UNIQUE INDEX closing_key ON closing (
    start_epd, history, profile, width_white, width_black, root_moves, table_men, fifty, game_set, played_white,
    played_black, draw_value, directives, pass, engines, coalesce(limit_kind, ''), coalesce(limit_value, 0)
);

DROP VIEW closing_at_root;
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
    AND closing.game_set = analysis.game_set
    AND closing.played_white = analysis.played_white
    AND closing.played_black = analysis.played_black
    AND closing.draw_value = analysis.draw_value
CROSS JOIN profile AS theirs ON theirs.id = closing.profile
    AND theirs.engine = ours.engine
    AND theirs.options = ours.options;

DROP VIEW tree_move;
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
        search.win, search.draw, search.loss
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
    SELECT node.analysis, node.position, node.ply, NULL, said.move, NULL, NULL, NULL, NULL
    FROM node
    JOIN analysis ON analysis.id = node.analysis
    JOIN grown_directive AS said ON said.analysis = node.analysis
        AND said.position = node.position AND said.kind = 'include'
    WHERE NOT EXISTS (
        SELECT 1 FROM search
        WHERE search.profile = analysis.profile AND search.position = node.position
            AND search.rank < node.admitted AND search.move = said.move
    )
    UNION ALL
    SELECT said.analysis, said.position, said.ply, NULL, said.move, NULL, NULL, NULL, NULL
    FROM played_move AS said
    JOIN analysis ON analysis.id = said.analysis
    JOIN node ON node.analysis = said.analysis AND node.position = said.position
    WHERE said.is_followed
        AND NOT EXISTS (
            SELECT 1 FROM search
            WHERE search.profile = analysis.profile AND search.position = said.position
                AND search.rank < node.admitted AND search.move = said.move
        )
    UNION ALL
    SELECT node.analysis, node.position, node.ply, NULL, link.move, NULL, NULL, NULL, NULL
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
        iif(position.epd LIKE '% w %', said.value, -said.value) AS value,
        said.kind = 'draw' AS is_given_as_draw,
        iif(position.epd LIKE '% w %', analysis.draw_value, -analysis.draw_value) AS drawn,
        fact.wdl, analysis.fifty
    FROM moves
    JOIN analysis ON analysis.id = moves.analysis
    JOIN position ON position.id = moves.position
    LEFT JOIN link ON link.position = moves.position AND link.move = moves.move
    LEFT JOIN position AS ending ON ending.id = link.child
    LEFT JOIN node AS below ON below.analysis = moves.analysis AND below.position = link.child
    LEFT JOIN grown_directive AS said ON said.analysis = moves.analysis
        AND said.position = link.child AND said.kind IN ('value', 'draw')
    LEFT JOIN fact ON fact.position = link.child AND fact.men <= analysis.table_men
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

DROP VIEW root_verdict;
-- The one move that is told as the best of each analysis' root, with its value for its mover; who has chosen it, and
-- whether the other one has chosen the same; what the tree says, and the closing search of the most nodes, if there is
-- one. It counts while its engines have searched a quarter of the tree's nodes, and the root has no other directives
-- than its tree was grown with; unless a draw is worth something: a score of 0 that is worth no more than the tree's, and a move of
-- the tree that is worth just that and no less than the closing search's, leave the word to the tree.
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
        nullif(iif(analysis.root LIKE '% w %', draw_value, -draw_value), 0) AS drawn,
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
    SELECT *, coalesce(4 * said_nodes >= nodes, 0) 
        AND NOT coalesce(iif(said_value = 0, drawn <= value, value = drawn AND said_value <= drawn), 0) AS counts
    FROM both
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
