-- The tables as version 7 had them.
DROP TABLE archived;
DROP TABLE game_analysis;
DROP TABLE annotated_game;
ALTER TABLE agenda DROP COLUMN turn;
ALTER TABLE agenda DROP COLUMN until_stable;
ALTER TABLE agenda DROP COLUMN pause_at;
