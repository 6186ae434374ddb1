
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
    analysis INTEGER PRIMARY KEY REFERENCES analysis (id) ON DELETE CASCADE,
    game INTEGER NOT NULL REFERENCES annotated_game (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX game_analysis_game ON game_analysis (game);
