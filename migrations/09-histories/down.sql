-- The tables as version 8 had them.
DROP TABLE written_move;
DROP TABLE chapter;
DROP TABLE merged_directive;
DROP TABLE position_games;
