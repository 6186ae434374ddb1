-- Looks of a second engine at the root of a tree after a closing search: at all its moves, or at one alone.
CREATE TABLE second_look (
    closing INTEGER NOT NULL REFERENCES closing (id) ON DELETE CASCADE,
    -- The engine's name.
    engine TEXT NOT NULL,
    -- The only move that it searched; empty where it had all.
    only TEXT NOT NULL,
    -- As in closing_share.
    move TEXT NOT NULL,
    cp INTEGER,
    mate INTEGER,
    depth INTEGER NOT NULL,
    seldepth INTEGER NOT NULL,
    nodes INTEGER NOT NULL CHECK (nodes >= 0),
    time_ms INTEGER NOT NULL,
    pv TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    win INTEGER,
    draw INTEGER,
    loss INTEGER,
    -- CRC-32 of the columns before it.
    checksum INTEGER NOT NULL,
    PRIMARY KEY (closing, engine, only),
    CHECK ((cp IS NULL) <> (mate IS NULL)),
    CHECK (only IN ('', move))
) STRICT, WITHOUT ROWID;
