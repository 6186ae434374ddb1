-- What a closing search chose at the root is followed there from then on, whatever the tree thinks of it.

ALTER TABLE analysis ADD COLUMN found TEXT NOT NULL DEFAULT '' /* Such moves of the root, by their UCI text. */;
