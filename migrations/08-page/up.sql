-- What the page of `deepanalyze serve` keeps: until when a root is to grow, analyses that are put away, whole games.

-- In milliseconds since 1970: the root is paused then. NULL where it goes on.
ALTER TABLE agenda ADD COLUMN pause_at INTEGER CHECK (pause_at > 0);
-- The chance in per cent that the best move stays at which the root is done. NULL where it goes on however stable that is.
ALTER TABLE agenda ADD COLUMN until_stable INTEGER CHECK (until_stable BETWEEN 1 AND 100);
-- Of roots with the same number few grow at once, the first of them first: the positions of a whole game. NULL where it waits
-- for no other.
ALTER TABLE agenda ADD COLUMN turn INTEGER;
