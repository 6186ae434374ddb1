
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

-- How the user's own files have included moves: their order, games and glyphs. It changes no tree.

-- The games of which moves were included in a root's trees.
CREATE TABLE chapter (
    game INTEGER NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    -- From 0, in the order in which they came.
    number INTEGER NOT NULL CHECK (number >= 0),
    -- The values of their tags; empty where they have none.
    event TEXT NOT NULL,
    white TEXT NOT NULL,
    black TEXT NOT NULL,
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;

-- The moves of these games. Those that are no longer included stay, for the case that they are again.
CREATE TABLE written_move (
    game INTEGER NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    move TEXT NOT NULL CHECK (move <> ''),
    -- Its place among all of them: earlier games first, the main line of a game before its variations.
    number INTEGER NOT NULL CHECK (number >= 0),
    -- The chapter in which it stands first.
    chapter INTEGER NOT NULL,
    -- Numeric glyphs with blanks between them: `1 14`.
    glyphs TEXT NOT NULL,
    -- Whether the files come by it to the position behind it.
    leads INTEGER NOT NULL CHECK (leads IN (0, 1)),
    PRIMARY KEY (game, position, move)
) STRICT, WITHOUT ROWID;
