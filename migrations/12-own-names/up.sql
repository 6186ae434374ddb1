-- Names of single analyses.
--
-- A name belonged to the game up to the root: of four analyses of one position, with other distances or engines, each was
-- renamed with every other. What the user calls one of them stands here, for each of its stages; the name of the game
-- goes for those of which nothing is said.

CREATE TABLE own_name (
    analysis INTEGER PRIMARY KEY REFERENCES analysis (id) ON DELETE CASCADE,
    -- NULL where it is to have none, whatever the game is called.
    name TEXT CHECK (name <> '')
) STRICT;
