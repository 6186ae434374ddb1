
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
