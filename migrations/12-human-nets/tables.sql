-- The nets of human play that a set has beside its games: its counts have the probabilities of moves, too.
CREATE TABLE human_net (
    game_set INTEGER NOT NULL REFERENCES game_set (id),
    -- The side whose moves it predicts.
    side TEXT NOT NULL CHECK (side IN ('w', 'b')),
    -- The name of its file, and the SHA-256 of that.
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    -- How many games its probabilities stand for: the same for both sides.
    weight INTEGER NOT NULL CHECK (weight > 0),
    -- CRC-32 of the columns before it.
    checksum INTEGER NOT NULL,
    PRIMARY KEY (game_set, side)
) STRICT, WITHOUT ROWID;
