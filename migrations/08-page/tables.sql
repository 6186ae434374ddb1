
-- Analyses that are put away: lists name them last. Each stage of an analysis has a row.
CREATE TABLE archived (
    analysis INTEGER PRIMARY KEY REFERENCES analysis (id) ON DELETE CASCADE
) STRICT;

-- Games that are analysed as a whole.
CREATE TABLE annotated_game (
    -- AUTOINCREMENT: no number is used twice.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The game alone, with its tags, comments and variations.
    pgn TEXT NOT NULL CHECK (pgn <> ''),
    created_at INTEGER NOT NULL
) STRICT;

-- The analyses of their positions, by the first stage of each.
CREATE TABLE game_analysis (
    game INTEGER NOT NULL REFERENCES annotated_game (id) ON DELETE CASCADE,
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    -- Whether it was made for a game; otherwise it was there before, and is no part of any.
    made INTEGER NOT NULL CHECK (made IN (0, 1)),
    PRIMARY KEY (game, analysis)
) STRICT, WITHOUT ROWID;
CREATE INDEX game_analysis_analysis ON game_analysis (analysis);
