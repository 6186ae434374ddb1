-- Names of roots.
--
-- A root was known by its number and its FEN alone: who analyses twelve running games could not tell them
-- apart in a list. A name belongs to the game up to the root, whatever engine has analysed it and however
-- deep, so it stands where directives do, and not in `analysis`.

-- What people call the root: what the user said by `rename`, else the players of the PGN file or the `id` of
-- the EPD record that it was first grown from. NULL where nothing is known.
ALTER TABLE game ADD COLUMN name TEXT CHECK (name <> '');
