-- The agenda: roots that `deepanalyze serve` grows side by side.
--
-- What was growing, in which order and with which share of the engines lived in the memory of one process. It
-- is the user's wish and outlives every process, so it stands here.

CREATE TABLE agenda (
    -- The first stage of the root. It stays though nothing is in it yet, as long as it is here.
    analysis INTEGER PRIMARY KEY REFERENCES analysis (id) ON DELETE CASCADE,
    -- Whether the engines search deeper from stage to stage; otherwise this one analysis is grown.
    stages INTEGER NOT NULL CHECK (stages IN (0, 1)),
    -- Its share of the engines' time beside the others'.
    weight INTEGER NOT NULL CHECK (weight BETWEEN 1 AND 100),
    -- Where it stands: the least comes first.
    place INTEGER NOT NULL,
    -- Whether the user wants it to grow: the next start goes on with it, unless it was done.
    growing INTEGER NOT NULL CHECK (growing IN (0, 1)),
    -- Why it is done; NULL where it is not.
    ended TEXT
) STRICT;
