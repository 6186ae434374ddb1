-- Workers of a fleet, and answers that are taken back.
--
-- An answer was kept for good, whoever gave it. A worker on another computer may be found wrong after it has
-- given many; each answer says now which worker gave it. When one is found wrong, its answers are deleted with
-- all ranks behind them, which were searched without moves that may not come again, and the trees that stand on
-- any of these are emptied, to be grown again.

CREATE TABLE worker (
    id INTEGER PRIMARY KEY,
    -- What it is called at the broker: a worker that is started again is another.
    name TEXT NOT NULL UNIQUE,
    -- Why it is not believed; NULL as long as it is.
    why TEXT,
    -- Which time it was that answers were taken back; NULL where it had given none. Whoever has read a tree or a
    -- list before the last time reads it anew.
    taken_back INTEGER UNIQUE CHECK (taken_back > 0),
    CHECK (taken_back IS NULL OR why IS NOT NULL)
) STRICT;

-- NULL where an engine of the computer that grew the tree gave the answer.
ALTER TABLE search ADD COLUMN worker INTEGER REFERENCES worker (id);
CREATE INDEX search_worker ON search (worker) WHERE worker IS NOT NULL;
