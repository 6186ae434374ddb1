-- A position that occurred once before the root is no draw any more (docs/algorithm.md, section 3). The trees that come to
-- one are emptied by the program after this step, and grown again from the memo: `store/src/repetitions.rs`. Their roots on
-- the agenda are not done.
UPDATE agenda SET ended = NULL
WHERE analysis IN (SELECT id FROM analysis WHERE history <> '');
