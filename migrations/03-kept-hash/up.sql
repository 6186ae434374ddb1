-- What a kept hash holds, as data.
--
-- Answers on a kept hash depend on the searches before them, so their profile says which these were. Versions
-- 1 and 2 said so in an English sentence, which was matched by its beginning: a word changed in the program
-- would have lost every such answer, and SQL could not ask for one. From now on the option "keep-hash" is
-- true where nobody knows what was searched before, and otherwise an object with sorted keys:
--
--   {"distance":10,"limit":{"depth":5},"moves":"e2e4 e7e5","of":"best lines","passes":4,"start":"EPD"}
--
-- "of" is "tree", all searches of a tree, or "best lines", those of its rehearsal; "start" and "moves" (where
-- there are any) lead to its root; "limit" is the limit of its searches where another profile has them, and
-- "passes" or "nodes" how far it had come.
--
-- profile.sql beside this file is executed before it.
UPDATE profile SET options = (SELECT options FROM profile_3 WHERE profile_3.id = profile.id)
WHERE options <> (SELECT options FROM profile_3 WHERE profile_3.id = profile.id);

DROP VIEW temp.profile_3;
