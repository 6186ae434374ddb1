-- The history of the verdict.
--
-- Version 1 kept the root's value per settled depth, and not which moves it came from: what changed
-- a verdict, and by which line, could only be told by growing the tree again. These rows are derived
-- as the others are, and written in the same transactions; `deepanalyze verify` checks them.
--
-- Depths that were settled before this version have no verdict, and passes before it no course.

-- How many root moves the verdict of the depth has; none where it was settled before version 2.
ALTER TABLE settled ADD COLUMN moves INTEGER;

-- After how many passes the course begins.
ALTER TABLE analysis ADD COLUMN course_from INTEGER NOT NULL DEFAULT 0;
UPDATE analysis SET course_from = pass;

-- What a settled depth made of each listed move of the root. Values as in node, for the mover.
CREATE TABLE verdict (
    analysis INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    rank INTEGER NOT NULL CHECK (rank >= 0),
    -- UCI notation, as in search.
    move TEXT NOT NULL,
    eval INTEGER NOT NULL,
    idea INTEGER NOT NULL,
    alpha INTEGER NOT NULL,
    -- UCI moves, the root's first: best alpha follows, until the tree's end, a repetition or an
    -- ending.
    line TEXT NOT NULL,
    PRIMARY KEY (analysis, depth, rank),
    FOREIGN KEY (analysis, depth) REFERENCES settled (analysis, depth)
        ON DELETE CASCADE ON UPDATE CASCADE
) STRICT, WITHOUT ROWID;

-- The passes that changed the root's best move or its alpha, the first known one among them.
CREATE TABLE course (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    -- How many passes there were then.
    pass INTEGER NOT NULL,
    searches INTEGER NOT NULL,
    positions INTEGER NOT NULL,
    -- The best move in UCI notation, and its alpha for the mover.
    move TEXT NOT NULL,
    alpha INTEGER NOT NULL,
    -- When, in milliseconds since 1970, UTC.
    noted_at INTEGER NOT NULL,
    PRIMARY KEY (analysis, pass)
) STRICT, WITHOUT ROWID;
