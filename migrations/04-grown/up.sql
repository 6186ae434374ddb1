-- When the list of an analysed position last grew.
--
-- A reader of a tree that another process grows had to read the whole of it again after every
-- change. A tree is its lists, so a reader that has it after so many passes needs the lists that have
-- grown since, and no others.
--
-- Rows that were written before this version have 0: whoever has read the tree has read them.

-- After how many passes of the tree the admitted count of the row was last written with another
-- number. Several passes may be written together; they count as the last of them.
ALTER TABLE node ADD COLUMN grown INTEGER NOT NULL DEFAULT 0;

CREATE INDEX node_grown ON node (analysis, grown);
