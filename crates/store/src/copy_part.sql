-- What belongs to some analyses (wanted) of a database (whole), for a new one. Row for row, with their numbers and checksums; but
-- who gave an answer, is for that database alone.

CREATE TEMP TABLE part_closing AS
SELECT DISTINCT closing AS id FROM whole.closing_of WHERE analysis IN (SELECT id FROM wanted);

CREATE TEMP TABLE part_node AS
SELECT DISTINCT profile, position
FROM whole.analysis CROSS JOIN whole.node ON node.analysis = analysis.id
WHERE analysis.id IN (SELECT id FROM wanted);

CREATE TEMP TABLE part_game AS
SELECT game.id
FROM whole.game JOIN whole.analysis USING (start_epd, history)
WHERE analysis.id IN (SELECT id FROM wanted);

INSERT INTO main.profile
SELECT * FROM whole.profile
WHERE id IN (
    SELECT profile FROM whole.analysis WHERE id IN (SELECT id FROM wanted)
    UNION SELECT profile FROM whole.closing WHERE id IN (SELECT id FROM part_closing)
    UNION SELECT profile FROM whole.recheck WHERE analysis IN (SELECT id FROM wanted)
);

INSERT INTO main.answer (
    profile, position, rank, move, child, cp, mate, wdl, depth, seldepth, nodes, time_ms, line, created_at, checksum
)
SELECT
    answer.profile, answer.position, rank, move, child, cp, mate, wdl, depth, seldepth, nodes, time_ms, line, created_at,
    checksum
FROM part_node CROSS JOIN whole.answer ON answer.profile = part_node.profile AND answer.position = part_node.position;

INSERT INTO main.recheck SELECT * FROM whole.recheck WHERE analysis IN (SELECT id FROM wanted);
INSERT INTO main.move_answer (
    profile, position, move, child, cp, mate, wdl, depth, seldepth, nodes, time_ms, line, created_at, checksum
)
SELECT profile, position, move, child, cp, mate, wdl, depth, seldepth, nodes, time_ms, line, created_at, checksum
FROM whole.move_answer
WHERE profile IN (SELECT profile FROM main.recheck) AND position IN (SELECT position FROM part_node);

INSERT INTO main.link
SELECT * FROM whole.link WHERE position IN (SELECT position FROM part_node);

INSERT INTO main.game SELECT * FROM whole.game WHERE id IN (SELECT id FROM part_game);
INSERT INTO main.directive SELECT * FROM whole.directive WHERE game IN (SELECT id FROM part_game);
INSERT INTO main.chapter SELECT * FROM whole.chapter WHERE game IN (SELECT id FROM part_game);
INSERT INTO main.written_move SELECT * FROM whole.written_move WHERE game IN (SELECT id FROM part_game);
INSERT INTO main.game_set
SELECT * FROM whole.game_set
WHERE id IN (SELECT game_set FROM whole.analysis WHERE id IN (SELECT id FROM wanted));
INSERT INTO main.human_net
SELECT * FROM whole.human_net WHERE game_set IN (SELECT id FROM main.game_set);
INSERT INTO main.analysis SELECT * FROM whole.analysis WHERE id IN (SELECT id FROM wanted);
INSERT INTO main.own_name SELECT * FROM whole.own_name WHERE analysis IN (SELECT id FROM wanted);
INSERT INTO main.annotated_game
SELECT * FROM whole.annotated_game
WHERE id IN (SELECT game FROM whole.game_analysis WHERE analysis IN (SELECT id FROM wanted));
INSERT INTO main.game_analysis SELECT * FROM whole.game_analysis WHERE analysis IN (SELECT id FROM wanted);
INSERT INTO main.archived SELECT * FROM whole.archived WHERE analysis IN (SELECT id FROM wanted);
INSERT INTO main.grown_directive SELECT * FROM whole.grown_directive WHERE analysis IN (SELECT id FROM wanted);
INSERT INTO main.node SELECT * FROM whole.node WHERE analysis IN (SELECT id FROM wanted);
INSERT INTO main.settled SELECT * FROM whole.settled WHERE analysis IN (SELECT id FROM wanted);
INSERT INTO main.verdict SELECT * FROM whole.verdict WHERE analysis IN (SELECT id FROM wanted);
INSERT INTO main.course SELECT * FROM whole.course WHERE analysis IN (SELECT id FROM wanted);
INSERT INTO main.closing SELECT * FROM whole.closing WHERE id IN (SELECT id FROM part_closing);
INSERT INTO main.closing_share (
    closing, number, is_all, move, cp, mate, depth, seldepth, nodes, time_ms, pv, is_done, changed_at, win, draw, loss, checksum
)
SELECT
    closing, number, is_all, move, cp, mate, depth, seldepth, nodes, time_ms, pv, is_done, changed_at, win, draw, loss, checksum
FROM whole.closing_share
WHERE closing IN (SELECT id FROM part_closing);
INSERT INTO main.second_look SELECT * FROM whole.second_look WHERE closing IN (SELECT id FROM part_closing);
INSERT INTO main.move_count
SELECT move_count.* FROM whole.move_count
WHERE position IN (SELECT position FROM part_node) AND game_set IN (SELECT id FROM main.game_set);
INSERT INTO main.position_games
SELECT position_games.* FROM whole.position_games
WHERE position IN (SELECT position FROM part_node) AND game_set IN (SELECT id FROM main.game_set);

-- All that these name; of games, the earlier positions are there already.
INSERT OR IGNORE INTO place
SELECT position FROM part_node
UNION SELECT child FROM main.answer
UNION SELECT child FROM main.move_answer
UNION SELECT child FROM main.link
UNION SELECT position FROM main.directive
UNION SELECT position FROM main.written_move
UNION SELECT position FROM main.grown_directive;

INSERT INTO main.fact SELECT * FROM whole.fact WHERE position IN (SELECT id FROM place);
INSERT INTO main.table_move SELECT * FROM whole.table_move WHERE position IN (SELECT id FROM place);
INSERT INTO main.position (id, hash, board, state, ending)
SELECT id, hash, board, state, ending FROM whole.position WHERE id IN (SELECT id FROM place);
