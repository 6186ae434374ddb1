
-- Positions that games of a set have come back to, to play another move there: how many games have left them by a move, each
-- once. Of all others that is the sum of their counts.
CREATE TABLE position_games (
    game_set INTEGER NOT NULL REFERENCES game_set (id),
    position INTEGER NOT NULL REFERENCES position (id),
    games INTEGER NOT NULL CHECK (games > 0),
    -- CRC-32 of the columns before it.
    checksum INTEGER NOT NULL,
    PRIMARY KEY (position, game_set)
) STRICT, WITHOUT ROWID;

-- Directives and notes that have come with another database, so that they can be taken back. One that is undone or said anew
-- is the user's own.
CREATE TABLE merged_directive (
    game INTEGER NOT NULL,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    move TEXT NOT NULL,
    source INTEGER NOT NULL REFERENCES source (id),
    PRIMARY KEY (game, position, kind, move),
    FOREIGN KEY (game, position, kind, move) REFERENCES directive (game, position, kind, move) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
