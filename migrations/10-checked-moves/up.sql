-- The moves of roots that tables know get a checksum, as answers and facts have one: a flipped bit listed a
-- losing move first, and `uci` played it.
--
-- And of each tree it is kept with the facts of which round it was last grown from its root. Facts of later
-- rounds which say nothing of its positions leave it as it is, and so what was made of it, as a closing search.

CREATE TABLE table_move_9 (
    position INTEGER NOT NULL REFERENCES position (id),
    -- UCI notation, as in search.
    move TEXT NOT NULL,
    -- The best comes first.
    place INTEGER NOT NULL CHECK (place >= 0),
    -- The result for the mover, as in fact.
    wdl INTEGER NOT NULL CHECK (wdl BETWEEN -2 AND 2),
    -- Plies to the next capture, pawn move or mate, the move included; negative where the mover loses. NULL
    -- where the tables do not say.
    dtz INTEGER,
    -- CRC-32 of the columns before it.
    checksum INTEGER NOT NULL,
    PRIMARY KEY (position, move)
) STRICT, WITHOUT ROWID;

-- The program works the checksums out in the same transaction.
INSERT INTO table_move_9 (position, move, place, wdl, dtz, checksum)
SELECT position, move, place, wdl, dtz, 0 FROM table_move;
DROP TABLE table_move;
ALTER TABLE table_move_9 RENAME TO table_move;

-- The facts with which the tree was grown from its root; those of rounds up to fact_round say the same.
ALTER TABLE analysis ADD COLUMN grown_round INTEGER NOT NULL DEFAULT 0;
UPDATE analysis SET grown_round = fact_round;

-- What tables did not have is looked up again at every start.
CREATE INDEX fact_missing ON fact (men) WHERE wdl IS NULL;
