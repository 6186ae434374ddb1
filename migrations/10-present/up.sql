-- Directives count at once (docs/algorithm.md, section 7).
DROP VIEW root_verdict;
-- The best move of each analysis' root, with its value for its mover; who has chosen it, and whether the other one has
-- chosen the same; what the tree says, and the closing search of the most nodes, if there is one. A root has no row
-- while it has other directives than its tree was grown with: SQL grows no tree, `show` does. The closing search counts
-- while its engines have searched a quarter of the tree's nodes; unless a draw is worth something: a score of 0 that is worth no more than the tree's, and a move of
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
