-- To add up the answers of a large tree takes seconds; whoever lists roots reads the sum with each of them.

ALTER TABLE analysis ADD COLUMN nodes INTEGER NOT NULL DEFAULT 0 /* Engine nodes of its admitted answers. */;

-- CROSS JOIN: the nodes of a tree come first, whatever SQLite guesses.
UPDATE analysis SET nodes = (
    SELECT CAST(total(search.nodes) AS INTEGER)
    FROM node
    CROSS JOIN search ON search.profile = analysis.profile
        AND search.position = node.position
        AND search.rank < node.admitted
    WHERE node.analysis = analysis.id
);
