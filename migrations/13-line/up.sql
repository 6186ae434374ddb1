-- The best line of each tree as its last pass left it.
--
-- Lists of analyses had the score of now with the line of the last settled depth, because no row had the line
-- that the score comes from: it is told by the whole tree alone, since what a position is worth behind a line
-- depends on the line where it can repeat.

-- UCI moves, the root's first, along the best alphas; empty where the root is an end. NULL before the first
-- pass, and for what older versions wrote.
ALTER TABLE analysis ADD COLUMN line TEXT;
