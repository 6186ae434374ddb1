DROP VIEW IF EXISTS tree_move;
DROP VIEW IF EXISTS played_move;
DROP TABLE human_net;
