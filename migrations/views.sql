-- What SQL says of answers and trees. A database that is brought up to date gets all of them anew.

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

-- What people play at the analysed positions of each tree, and whether it is followed for that. CROSS JOIN: each table is
-- read by its key, whatever SQLite guesses.
CREATE VIEW played_move (analysis, position, epd, ply, move, games, share, is_followed, human) AS
WITH said AS (
    SELECT
        node.analysis, node.position, position.epd, node.ply, one.key AS move,
        iif(one.type = 'array', one.value ->> 0, one.value) AS games,
        iif(one.type = 'array', one.value ->> 1, NULL) AS permille,
        (SELECT coalesce(max(weight), 0) FROM human_net WHERE human_net.game_set = analysis.game_set) AS weight,
        (SELECT sum(iif(type = 'array', value ->> 0, value)) FROM json_each(move_count.counts)) AS all_games,
        (SELECT sum(iif(type = 'array', value ->> 1, 0)) FROM json_each(move_count.counts)) AS all_permille,
        iif(position.epd LIKE '% w %', analysis.played_white, analysis.played_black) AS rule
    FROM analysis
    CROSS JOIN node ON node.analysis = analysis.id
    CROSS JOIN position ON position.id = node.position
    CROSS JOIN move_count ON move_count.game_set = analysis.game_set AND move_count.position = node.position
    CROSS JOIN json_each(move_count.counts) AS one
    WHERE analysis.game_set > 0
)
SELECT
    analysis, position, epd, ply, move, games,
    (1000.0 * games + weight * coalesce(permille, 0)) / (1000 * all_games + weight * all_permille),
    -- A text like 5%/10 is 5 as a number.
    rule <> ''
    AND 1000 * games + weight * coalesce(permille, 0) >= 1000 * CAST(substr(rule, instr(rule, '/') + 1) AS INTEGER)
    AND 100 * (1000 * games + weight * coalesce(permille, 0))
        >= CAST(rule AS INTEGER) * (1000 * all_games + weight * all_permille)
    AND NOT EXISTS (
        SELECT 1 FROM grown_directive AS wish
        WHERE wish.analysis = said.analysis AND wish.position = said.position AND wish.move = said.move
            AND wish.kind IN ('exclude', 'include')
    ),
    permille / 1000.0
FROM said;

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
    AND closing.game_set = analysis.game_set
    AND closing.played_white = analysis.played_white
    AND closing.played_black = analysis.played_black
    AND closing.draw_value = analysis.draw_value
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
-- that of another one is better by 30 or more. With the number of its engine and the depth of that iteration, and the
-- nodes of all.
CREATE VIEW closing_verdict (closing, number, move, value, line, depth, nodes, is_done) AS
SELECT
    closing.id, chosen.number, chosen.move, chosen.value, chosen.pv, chosen.depth,
    (SELECT CAST(total(share.nodes) AS INTEGER) FROM closing_share AS share WHERE share.closing = closing.id),
    closing.limit_kind IS NULL AND first.is_done
        OR (SELECT total(share.is_done) = closing.engines FROM closing_share AS share WHERE share.closing = closing.id)
FROM closing
CROSS JOIN closing_share AS chosen ON chosen.closing = closing.id
    AND chosen.number = (
        SELECT share.number FROM closing_share AS share
        WHERE share.closing = closing.id
        ORDER BY share.value + 30 * share.is_all DESC, share.is_all, share.number LIMIT 1
    )
CROSS JOIN closing_share AS first ON first.closing = closing.id AND first.number = 1;

-- The best move of each analysis' root, with its value for its mover; who has chosen it, and whether the other one has
-- chosen the same; what the tree says, and the closing search of the most nodes, if there is one. A root has no row
-- while it has other directives than its tree was grown with: SQL grows no tree, `show` does. The closing search counts
-- while its engines have searched a quarter of the tree's nodes; unless a draw is worth something: a score of 0 that is
-- worth no more than the tree's, and a move of the tree that is worth just that and no less than the closing search's,
-- leave the word to the tree.
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
        AND (SELECT directives FROM root_directives WHERE root_directives.analysis = analysis.id)
            = (SELECT directives FROM analysis_directives WHERE analysis_directives.analysis = analysis.id)
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
