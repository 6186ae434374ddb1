
-- Each time that something was taken over from another database.
CREATE TABLE merge (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES source (id),
    began_at INTEGER NOT NULL,
    -- When all was taken over; NULL where something came between.
    ended_at INTEGER,
    -- How many answers have come.
    answers INTEGER NOT NULL DEFAULT 0,
    -- How many of the file's answers were drawn with the seed and searched again before; NULL where it was trusted.
    checked INTEGER,
    seed INTEGER
) STRICT;

-- Another database's answer of a rank that has another one here, which stays.
CREATE TABLE conflict (
    profile INTEGER NOT NULL REFERENCES profile (id),
    position INTEGER NOT NULL REFERENCES position (id),
    rank INTEGER NOT NULL CHECK (rank >= 0),
    source INTEGER NOT NULL REFERENCES source (id),
    -- As in answer.
    move TEXT NOT NULL,
    cp INTEGER,
    mate INTEGER,
    noted_at INTEGER NOT NULL,
    PRIMARY KEY (profile, position, rank, source),
    CHECK ((cp IS NULL) <> (mate IS NULL))
) STRICT, WITHOUT ROWID;

-- Analyses that have come with another database, or are to come as deep as there, so that it can be taken back.
CREATE TABLE merged_analysis (
    source INTEGER NOT NULL REFERENCES source (id),
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    -- The target depth that it had; NULL where there was no such analysis.
    former_target INTEGER,
    target INTEGER NOT NULL,
    -- analysis.changed_at when its tree had been grown from what has come: later ones are the user's own.
    changed_at INTEGER,
    PRIMARY KEY (source, analysis)
) STRICT, WITHOUT ROWID;

-- Closing searches that have come with another database.
CREATE TABLE merged_closing (
    closing INTEGER PRIMARY KEY REFERENCES closing (id) ON DELETE CASCADE,
    source INTEGER NOT NULL REFERENCES source (id)
) STRICT;
