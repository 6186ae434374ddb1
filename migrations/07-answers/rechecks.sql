-- Rechecks: whether another engine would change the best move of a tree, which stays as it is.

-- What an engine says of one move alone, all other moves of its position left out. No list has it; what the columns hold,
-- `answer` says, and the checksum is of the same columns with an empty rank.
CREATE TABLE move_answer (
    profile INTEGER NOT NULL REFERENCES profile (id),
    position INTEGER NOT NULL REFERENCES position (id),
    move TEXT NOT NULL,
    child INTEGER REFERENCES position (id),
    cp INTEGER,
    mate INTEGER,
    wdl INTEGER,
    depth INTEGER NOT NULL,
    seldepth INTEGER NOT NULL,
    nodes INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    line ANY NOT NULL,
    created_at INTEGER NOT NULL,
    checksum INTEGER,
    source INTEGER REFERENCES source (id),
    PRIMARY KEY (profile, position, move),
    CHECK ((cp IS NULL) <> (mate IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX move_answer_source ON move_answer (source) WHERE source IS NOT NULL;

-- How far a recheck of an analysis by another profile has come. A note: the same tree, margin and answers give it again.
CREATE TABLE recheck (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    profile INTEGER NOT NULL REFERENCES profile (id),
    -- The tree: `pass` and `regrown` of the analysis then.
    pass INTEGER NOT NULL,
    regrown INTEGER NOT NULL,
    -- By how many centipawns a score that was not asked again may be off, where the user has said it; NULL where that follows
    -- from the errors that the two profiles have shown.
    margin INTEGER,
    -- Those that other trees had shown when it began: a JSON array of centipawns and how often; [] where margin is said.
    errors TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'stays', 'changed')),
    -- The margin by now, in centipawns, and the least one by which scores that were not asked again change the best move.
    within INTEGER NOT NULL,
    at_least INTEGER NOT NULL,
    -- The tree's best move and the present one, with their values for the side to move, as tree_move has them; value_since
    -- is that of the former with the new scores.
    best_before TEXT NOT NULL,
    value_before INTEGER NOT NULL,
    value_since INTEGER NOT NULL,
    best TEXT NOT NULL,
    value INTEGER NOT NULL,
    -- Scores of the tree that can be asked again, those that were, and the engine nodes of the new ones.
    leaves INTEGER NOT NULL,
    asked INTEGER NOT NULL,
    nodes INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (analysis, profile)
) STRICT, WITHOUT ROWID;
