-- The memo of engine answers, the trees derived from it, and what the user says of both.
--
-- An answer, and what endgame tables say, is kept for good: it cost engine time. A fleet's worker that is found wrong
-- is the one exception. A tree (node, settled, verdict, course, and what `analysis` counts) follows from its answers,
-- and `deepanalyze verify` grows it again to prove it.
--
-- Values (idea, alpha, value, and eval but in `search`) are one ordered integer in centipawns for the side to move, or
-- for the side that plays the move where there is one: scores are clamped to ±31000; a mate delivered after k plies is
-- 32000 - k, being mated after k plies is -(32000 - k).
--
-- Positions are written as EPD without operations: board, side to move, castling rights, legal en passant square, no
-- clocks. Moves are in UCI notation, castling as e1g1; lines are moves with one blank between them. Times are
-- milliseconds since 1970, UTC. Plies count from the root, 0 first.

PRAGMA application_id = 1684106849; -- 'dana'

-- What makes two scores comparable.
CREATE TABLE profile (
    id INTEGER PRIMARY KEY,
    -- As it names itself ("id name").
    engine TEXT NOT NULL,
    -- The options that the user set, as a JSON object with sorted keys. For answers on a kept hash, which depend on the
    -- searches before them, "keep-hash" is among them: true where nobody knows what was searched before, else an
    -- object with sorted keys:
    --
    --   {"distance":10,"limit":{"depth":5},"moves":"e2e4 e7e5","of":"best lines","passes":4,"start":"EPD"}
    --
    -- "of" is "tree", all searches of a tree, "best lines", those of its best lines alone, or "nothing"; "start" and "moves" (where there
    -- are any) lead to its root; "limit" is the limit of its searches where another profile has them, and "passes" or
    -- "nodes" how far it had come.
    options TEXT NOT NULL,
    -- What ends each search, and at how many plies or nodes.
    limit_kind TEXT NOT NULL CHECK (limit_kind IN ('depth', 'nodes')),
    limit_value INTEGER NOT NULL CHECK (limit_value > 0),
    UNIQUE (engine, options, limit_kind, limit_value)
) STRICT;

-- Who has given answers, beside the engines of the computer that grew the tree: workers of a fleet, and other databases.
CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    -- A worker: what it is called at the broker (one that is started again is another). A database: what the user calls it.
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('worker', 'database')),
    -- Why its answers were taken back; NULL as long as they stand.
    why TEXT,
    -- Which time it was that answers were taken back; NULL where it had given none. Whoever has read a tree or a
    -- list before the last time reads it anew.
    taken_back INTEGER UNIQUE CHECK (taken_back > 0),
    CHECK (taken_back IS NULL OR why IS NOT NULL)
) STRICT;

CREATE TABLE position (
    id INTEGER PRIMARY KEY,
    -- CRC-32 of the EPD, as a signed number. Several positions may have the same.
    hash INTEGER NOT NULL,
    -- The board as EPD writes it, a hexadecimal digit for each sign: 0 is /, 1, 2 and 3 are one, two and four empty
    -- squares, 4 to 8 P N R Q K, 9 p, A n, B B, C b, D r, E q, F k; a last / makes the number of digits even. As text: a
    -- whole EPD that this cannot be done with.
    board ANY NOT NULL,
    -- What stands behind it in the EPD, without each - at the end.
    state TEXT NOT NULL,
    -- How the game is over there; no row of answer has such a position. NULL where it goes on.
    ending TEXT CHECK (ending IN ('checkmate', 'stalemate', 'insufficient material')),
    epd TEXT NOT NULL GENERATED ALWAYS AS (iif(
        typeof(board) = 'text', board,
        rtrim(
            replace(replace(replace(replace(replace(replace(replace(replace(
            replace(replace(replace(replace(
            replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
                hex(board),
            '4', 'P'), '5', 'N'), '6', 'R'), '7', 'Q'), '8', 'K'), '9', 'p'),
            'A', 'n'), 'C', 'b'), 'D', 'r'), 'E', 'q'), 'F', 'k'),
            '0', '/'), '1', '.'), '2', '..'), '3', '....'),
            '........', '8'), '.......', '7'), '......', '6'), '.....', '5'), '....', '4'), '...', '3'), '..', '2'), '.', '1'),
            '/')
        || ' ' || state || substr(' - -', 1 + 2 * (length(state) - length(replace(state, ' ', ''))))
    )) VIRTUAL
) STRICT;
CREATE INDEX position_hash ON position (hash);

-- One answer of an engine: its best move among those of lower rank excluded. `search` shows the same in words.
CREATE TABLE answer (
    profile INTEGER NOT NULL REFERENCES profile (id),
    position INTEGER NOT NULL REFERENCES position (id),
    rank INTEGER NOT NULL CHECK (rank >= 0),
    move TEXT NOT NULL,
    -- Where the move leads.
    child INTEGER REFERENCES position (id),
    -- The score for the side that plays the move, in centipawns or in moves to mate (negative where it is mated).
    cp INTEGER,
    mate INTEGER,
    -- How many of a thousand games that side wins, draws and loses: 3 * (1001 * win + draw) + win + draw + loss - 999.
    -- NULL where the engine has not said it.
    wdl INTEGER,
    -- As the engine told last: plies, the most plies of a line, nodes, milliseconds.
    depth INTEGER NOT NULL,
    seldepth INTEGER NOT NULL,
    nodes INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    -- The engine's line behind the move, two bytes for each of its moves, the lower one first: from + 64 * to, squares counted
    -- from a1, b1 on, + 4096 times the piece of a promotion (2 knight, 3 bishop, 4 rook, 5 queen). As text: the
    -- whole line, in UCI notation.
    line ANY NOT NULL,
    created_at INTEGER NOT NULL,
    -- CRC-32 of the row of `search` as the program wrote it; a row without one came from elsewhere, and verify says so.
    checksum INTEGER,
    -- Who gave it; NULL for an engine of the computer that grew the tree.
    source INTEGER REFERENCES source (id),
    PRIMARY KEY (profile, position, rank),
    CHECK ((cp IS NULL) <> (mate IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX answer_source ON answer (source) WHERE source IS NOT NULL;

-- Where moves lead that no answer has: those that the user or a tree follows.
CREATE TABLE link (
    position INTEGER NOT NULL REFERENCES position (id),
    move TEXT NOT NULL,
    child INTEGER NOT NULL REFERENCES position (id),
    PRIMARY KEY (position, move)
) STRICT, WITHOUT ROWID;

-- What an engine says of one move alone, all other moves of its position left out. No list has it; what the columns hold,
-- `answer` says, and the checksum is of the same columns with an empty rank.
CREATE TABLE move_answer (
    profile INTEGER NOT NULL REFERENCES profile (id),
    position INTEGER NOT NULL REFERENCES position (id),
    move TEXT NOT NULL,
    child INTEGER REFERENCES position (id),
    cp INTEGER,
    mate INTEGER,
    wdl INTEGER,
    depth INTEGER NOT NULL,
    seldepth INTEGER NOT NULL,
    nodes INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    line ANY NOT NULL,
    created_at INTEGER NOT NULL,
    checksum INTEGER,
    source INTEGER REFERENCES source (id),
    PRIMARY KEY (profile, position, move),
    CHECK ((cp IS NULL) <> (mate IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX move_answer_source ON move_answer (source) WHERE source IS NOT NULL;

-- What endgame tables say of a position that is no end by the rules and in which nobody may castle.
CREATE TABLE fact (
    position INTEGER PRIMARY KEY REFERENCES position (id),
    -- From -2 (lost) to 2 (won) for the side to move; 1 and -1 are draws by the fifty-move rule, whose count
    -- begins at 0. NULL where the tables do not have the position.
    wdl INTEGER CHECK (wdl BETWEEN -2 AND 2),
    -- How many men the position has, kings included.
    men INTEGER NOT NULL,
    -- The largest number of men of the tables that were asked.
    table_men INTEGER NOT NULL CHECK (table_men >= men),
    -- 0 where the position was found, or not, when it was looked up first. Where tables have come since that
    -- have it, which time that was: trees that were grown before know nothing of it until they are grown
    -- again.
    round INTEGER NOT NULL DEFAULT 0 CHECK (round >= 0),
    -- CRC-32 of the columns before it.
    checksum INTEGER NOT NULL,
    CHECK (round = 0 OR wdl IS NOT NULL)
) STRICT;
CREATE INDEX fact_round ON fact (round) WHERE round > 0;
-- What tables did not have is looked up again at every start.
CREATE INDEX fact_missing ON fact (men) WHERE wdl IS NULL;

-- The moves of roots that endgame tables know.
CREATE TABLE table_move (
    position INTEGER NOT NULL REFERENCES position (id),
    move TEXT NOT NULL,
    -- The best comes first, at 0.
    place INTEGER NOT NULL CHECK (place >= 0),
    -- The result for the side that plays the move, as in fact.
    wdl INTEGER NOT NULL CHECK (wdl BETWEEN -2 AND 2),
    -- Plies to the next capture, pawn move or mate, the move included; negative where its side loses. NULL
    -- where the tables do not say.
    dtz INTEGER,
    -- CRC-32 of the columns before it.
    checksum INTEGER NOT NULL,
    PRIMARY KEY (position, move)
) STRICT, WITHOUT ROWID;

-- A set of games that trees know: what it was when it was counted.
CREATE TABLE game_set (
    id INTEGER PRIMARY KEY,
    -- What identifies its games: the same ones in another order, or in another file, have the same.
    digest TEXT NOT NULL UNIQUE,
    -- What it was called, and which of its games were counted, in words; empty where all were.
    name TEXT NOT NULL,
    filter TEXT NOT NULL,
    games INTEGER NOT NULL CHECK (games >= 0),
    -- CRC-32 of digest, name, filter and games.
    checksum INTEGER NOT NULL
) STRICT;

-- The nets of human play that a set has beside its games: its counts have the probabilities of moves, too.
CREATE TABLE human_net (
    game_set INTEGER NOT NULL REFERENCES game_set (id),
    -- The side whose moves it predicts.
    side TEXT NOT NULL CHECK (side IN ('w', 'b')),
    -- The name of its file, and the SHA-256 of that.
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    -- How many games its probabilities stand for: the same for both sides.
    weight INTEGER NOT NULL CHECK (weight > 0),
    -- CRC-32 of the columns before it.
    checksum INTEGER NOT NULL,
    PRIMARY KEY (game_set, side)
) STRICT, WITHOUT ROWID;

-- In how many games of a set each move of a position was played: of every analysed position of a tree that knows them,
-- and of others that were looked at.
CREATE TABLE move_count (
    game_set INTEGER NOT NULL REFERENCES game_set (id),
    position INTEGER NOT NULL REFERENCES position (id),
    -- A JSON object: moves and games, the most games first; {} where no game has been. Where a net has its side, [games,
    -- probability in thousandths] for each move.
    counts TEXT NOT NULL,
    -- CRC-32 of the columns before it.
    checksum INTEGER NOT NULL,
    PRIMARY KEY (position, game_set)
) STRICT, WITHOUT ROWID;

-- Positions that games of a set have come back to, to play another move there: how many games have left them by a move, each
-- once. Of all others that is the sum of their counts.
CREATE TABLE position_games (
    game_set INTEGER NOT NULL REFERENCES game_set (id),
    position INTEGER NOT NULL REFERENCES position (id),
    games INTEGER NOT NULL CHECK (games > 0),
    -- CRC-32 of the columns before it.
    checksum INTEGER NOT NULL,
    PRIMARY KEY (position, game_set)
) STRICT, WITHOUT ROWID;

-- A game up to a root of which the user has said something, or which was grown.
CREATE TABLE game (
    id INTEGER PRIMARY KEY,
    -- Where it began, and the moves from there to the root.
    start_epd TEXT NOT NULL,
    history TEXT NOT NULL,
    -- How often its directives have changed.
    revision INTEGER NOT NULL DEFAULT 0,
    -- What people call the root: what the user said by `rename`, else the players of the PGN file or the `id` of the
    -- EPD record that it was first grown from. NULL where nothing is known.
    name TEXT CHECK (name <> ''),
    UNIQUE (start_epd, history)
) STRICT;

-- Names of single analyses, which go before those of their games; each stage of an analysis has a row.
CREATE TABLE own_name (
    analysis INTEGER PRIMARY KEY REFERENCES analysis (id) ON DELETE CASCADE,
    -- NULL where it is to have none, whatever the game is called.
    name TEXT CHECK (name <> '')
) STRICT;

-- What the user says of positions of a root, whatever line leads to them.
CREATE TABLE directive (
    game INTEGER NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    -- draw: the position is worth what a draw is.
    kind TEXT NOT NULL CHECK (kind IN ('exclude', 'include', 'value', 'draw', 'stop', 'note')),
    -- Empty where it is said of the position itself.
    move TEXT NOT NULL DEFAULT '',
    -- Centipawns for White.
    value INTEGER,
    -- The note.
    text TEXT,
    -- When it was said.
    created_at INTEGER NOT NULL,
    PRIMARY KEY (game, position, kind, move),
    CHECK ((kind IN ('exclude', 'include')) = (move <> '')),
    CHECK ((kind = 'value') = (value IS NOT NULL)),
    CHECK ((kind = 'note') = (text IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- The games of which moves were included in a root's trees.
CREATE TABLE chapter (
    game INTEGER NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    -- From 0, in the order in which they came.
    number INTEGER NOT NULL CHECK (number >= 0),
    -- The values of their tags; empty where they have none.
    event TEXT NOT NULL,
    white TEXT NOT NULL,
    black TEXT NOT NULL,
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;

-- The moves of these games. Those that are no longer included stay, for the case that they are again.
CREATE TABLE written_move (
    game INTEGER NOT NULL REFERENCES game (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    move TEXT NOT NULL CHECK (move <> ''),
    -- Its place among all of them: earlier games first, the main line of a game before its variations.
    number INTEGER NOT NULL CHECK (number >= 0),
    -- The chapter in which it stands first.
    chapter INTEGER NOT NULL,
    -- Numeric glyphs with blanks between them: `1 14`.
    glyphs TEXT NOT NULL,
    -- Whether the files come by it to the position behind it.
    leads INTEGER NOT NULL CHECK (leads IN (0, 1)),
    PRIMARY KEY (game, position, move)
) STRICT, WITHOUT ROWID;

-- Directives and notes that have come with another database, so that they can be taken back. One that is undone or said anew
-- is the user's own.
CREATE TABLE merged_directive (
    game INTEGER NOT NULL,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    move TEXT NOT NULL,
    source INTEGER NOT NULL REFERENCES source (id),
    PRIMARY KEY (game, position, kind, move),
    FOREIGN KEY (game, position, kind, move) REFERENCES directive (game, position, kind, move) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- One tree: the function of root, game history, profile, distances, directives and tables.
CREATE TABLE analysis (
    -- AUTOINCREMENT: greater than every number that there has ever been, so that none is used twice.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- FEN of the root, with the clocks that it was first given with.
    root TEXT NOT NULL,
    -- FEN of the position where the game began, with its clocks.
    start TEXT NOT NULL,
    -- The same without clocks.
    start_epd TEXT NOT NULL,
    -- Moves from there to the root.
    history TEXT NOT NULL,
    -- Whose answers.
    profile INTEGER NOT NULL REFERENCES profile (id),
    -- Centipawns, where both sides have the same distance at plies 0 and 1, halved from then on; else NULL.
    distance INTEGER CHECK (distance >= 0),
    -- Distances ply by ply where the side is to move, in their shortest spelling: the last one halves, or
    -- stays where a + follows it. One alone that halves counts for plies 0 and 1.
    width_white TEXT NOT NULL,
    width_black TEXT NOT NULL,
    -- How many moves the root has at least.
    root_moves INTEGER NOT NULL DEFAULT 1 CHECK (root_moves > 0),
    -- The depth that the last run was to settle, and the greatest that is settled (NULL before depth 0).
    target_depth INTEGER NOT NULL,
    settled_depth INTEGER,
    -- How many passes there were, and how many analysed positions and admitted answers the tree has.
    pass INTEGER NOT NULL DEFAULT 0,
    positions INTEGER NOT NULL DEFAULT 0,
    searches INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    -- Always 0: the course is known from the first pass on.
    course_from INTEGER NOT NULL DEFAULT 0,
    -- How often its tree was grown again under other directives, or with tables that had come.
    regrown INTEGER NOT NULL DEFAULT 0,
    -- The largest number of men, kings included, of the positions that are looked up in tables; 0 where none
    -- are.
    table_men INTEGER NOT NULL DEFAULT 0 CHECK (table_men >= 0),
    -- Whether a win in the tables that the fifty-move rule turns into a draw is a draw ('fide') or a win.
    fifty TEXT NOT NULL DEFAULT 'fide' CHECK (fifty IN ('fide', 'iccf')),
    -- The facts of later rounds are not known to its tree.
    fact_round INTEGER NOT NULL DEFAULT 0,
    -- The facts with which the tree was grown from its root; those of rounds up to fact_round say the same.
    grown_round INTEGER NOT NULL DEFAULT 0,
    -- The line of best alphas from the root as the last pass left it; empty where the root is an end, NULL before the
    -- first pass.
    line TEXT,
    -- Engine nodes of its admitted answers.
    nodes INTEGER NOT NULL DEFAULT 0,
    -- Moves of the root that closing searches have found, by their UCI text.
    found TEXT NOT NULL DEFAULT '',
    -- The set of games whose counts its tree knows; 0 where it knows none.
    game_set INTEGER NOT NULL DEFAULT 0 CHECK (game_set >= 0),
    -- From which share and number of games on a move is followed where the side is to move, like 5%/10; empty where
    -- none is.
    played_white TEXT NOT NULL DEFAULT '',
    played_black TEXT NOT NULL DEFAULT '',
    -- What a draw is worth, in centipawns for White.
    draw_value INTEGER NOT NULL DEFAULT 0 CHECK (draw_value BETWEEN -1000 AND 1000),
    CHECK (game_set > 0 OR played_white = '' AND played_black = ''),
    UNIQUE (
        start_epd, history, profile, width_white, width_black, root_moves, table_men, fifty, game_set, played_white,
        played_black, draw_value
    )
) STRICT;

-- The directives that the tree of an analysis was grown with; columns as in directive.
CREATE TABLE grown_directive (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    kind TEXT NOT NULL CHECK (kind IN ('exclude', 'include', 'value', 'draw', 'stop')),
    move TEXT NOT NULL DEFAULT '',
    value INTEGER,
    PRIMARY KEY (analysis, position, kind, move),
    CHECK ((kind IN ('exclude', 'include')) = (move <> '')),
    CHECK ((kind = 'value') = (value IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- The analysed positions of each tree.
CREATE TABLE node (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    position INTEGER NOT NULL REFERENCES position (id),
    -- The least ply.
    ply INTEGER NOT NULL,
    -- How many of its answers are admitted: those of lower rank.
    admitted INTEGER NOT NULL CHECK (admitted > 0),
    -- The backed-up value for its side to move, whatever line leads to it.
    idea INTEGER NOT NULL,
    -- After how many passes `admitted` was last written with another number. Several passes may be written together;
    -- they count as the last of them. Who follows a tree reads the lists that have grown since.
    grown INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (analysis, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX node_grown ON node (analysis, grown);

-- How far the analysis had come when a depth was settled.
CREATE TABLE settled (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    depth INTEGER NOT NULL,
    passes INTEGER NOT NULL,
    searches INTEGER NOT NULL,
    positions INTEGER NOT NULL,
    -- The root's alpha for its side to move; NULL where the root is no analysed position.
    value INTEGER,
    settled_at INTEGER NOT NULL,
    -- How many root moves the verdict of the depth has.
    moves INTEGER,
    PRIMARY KEY (analysis, depth)
) STRICT, WITHOUT ROWID;

-- What a settled depth made of each move of the root, for the side that plays it.
CREATE TABLE verdict (
    analysis INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    move TEXT NOT NULL,
    -- As in search; NULL where the move is not listed: the user has included it.
    rank INTEGER CHECK (rank >= 0),
    -- The engine's score, the backed-up value, and the value behind the game and the move, where a repetition counts.
    eval INTEGER,
    idea INTEGER NOT NULL,
    alpha INTEGER NOT NULL,
    -- The move first: best alpha follows, until the tree's end, a repetition or an ending.
    line TEXT NOT NULL,
    PRIMARY KEY (analysis, depth, move),
    CHECK ((rank IS NULL) = (eval IS NULL)),
    FOREIGN KEY (analysis, depth) REFERENCES settled (analysis, depth)
        ON DELETE CASCADE ON UPDATE CASCADE
) STRICT, WITHOUT ROWID;

-- The passes that changed the root's best move or its alpha, the first one among them.
CREATE TABLE course (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    -- How many passes, answers and positions there were then.
    pass INTEGER NOT NULL,
    searches INTEGER NOT NULL,
    positions INTEGER NOT NULL,
    -- The best move, and its alpha for the side that plays it.
    move TEXT NOT NULL,
    alpha INTEGER NOT NULL,
    noted_at INTEGER NOT NULL,
    PRIMARY KEY (analysis, pass)
) STRICT, WITHOUT ROWID;

-- Analyses that are put away: lists name them last. Each stage of an analysis has a row.
CREATE TABLE archived (
    analysis INTEGER PRIMARY KEY REFERENCES analysis (id) ON DELETE CASCADE
) STRICT;

-- The roots that `deepanalyze serve` grows side by side.
CREATE TABLE agenda (
    -- The first stage of the root. It stays though nothing is in it yet, as long as it is here.
    analysis INTEGER PRIMARY KEY REFERENCES analysis (id) ON DELETE CASCADE,
    -- Whether the engines search deeper from stage to stage; otherwise this one analysis is grown.
    stages INTEGER NOT NULL CHECK (stages IN (0, 1)),
    -- Its share of the engines' time beside the others'.
    weight INTEGER NOT NULL CHECK (weight BETWEEN 1 AND 100),
    -- Where it stands: the least comes first.
    place INTEGER NOT NULL,
    -- Whether the user wants it to grow: the next start goes on with it, unless it was done.
    growing INTEGER NOT NULL CHECK (growing IN (0, 1)),
    -- Why it is done; NULL where it is not.
    ended TEXT,
    -- In milliseconds since 1970: the root is paused then. NULL if it goes on.
    pause_at INTEGER CHECK (pause_at > 0),
    -- The chance in per cent that the best move stays at which the root is done. NULL if stability does not end it.
    until_stable INTEGER CHECK (until_stable BETWEEN 1 AND 100),
    -- Of roots with the same number few grow at once, the first of them first: the positions of a whole game. NULL if the
    -- root waits for no other.
    turn INTEGER
) STRICT;

-- A closing search: the root of a tree once more, after so many passes (docs/algorithm.md, section 7).
CREATE TABLE closing (
    id INTEGER PRIMARY KEY,
    -- The tree, as in analysis. That may be deleted and grown again; what was searched stays.
    start_epd TEXT NOT NULL,
    history TEXT NOT NULL,
    profile INTEGER NOT NULL REFERENCES profile (id),
    width_white TEXT NOT NULL,
    width_black TEXT NOT NULL,
    root_moves INTEGER NOT NULL,
    table_men INTEGER NOT NULL,
    fifty TEXT NOT NULL,
    -- Those that it was grown with, as in analysis_directives.
    directives TEXT NOT NULL,
    -- How many passes it had.
    pass INTEGER NOT NULL,
    -- What ends each engine's search of the root; NULL where the clock does.
    limit_kind TEXT CHECK (limit_kind IN ('depth', 'nodes')),
    limit_value INTEGER CHECK (limit_value > 0),
    -- How many engines share the moves.
    engines INTEGER NOT NULL CHECK (engines > 0),
    created_at INTEGER NOT NULL,
    -- As in analysis.
    game_set INTEGER NOT NULL DEFAULT 0,
    played_white TEXT NOT NULL DEFAULT '',
    played_black TEXT NOT NULL DEFAULT '',
    draw_value INTEGER NOT NULL DEFAULT 0,
    CHECK ((limit_kind IS NULL) = (limit_value IS NULL))
) STRICT;
CREATE UNIQUE INDEX closing_key ON closing (
    start_epd, history, profile, width_white, width_black, root_moves, table_men, fifty, game_set, played_white,
    played_black, draw_value, directives, pass, engines, coalesce(limit_kind, ''), coalesce(limit_value, 0)
);

-- What one engine of a closing search has come to: its last complete iteration. The others may have no row yet.
CREATE TABLE closing_share (
    closing INTEGER NOT NULL REFERENCES closing (id) ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number > 0),
    -- Whether it has all moves, as the first one has. (Before that was so, all shared them out.)
    is_all INTEGER NOT NULL CHECK (is_all IN (0, 1)),
    -- As in search.
    move TEXT NOT NULL,
    cp INTEGER,
    mate INTEGER,
    depth INTEGER NOT NULL,
    seldepth INTEGER NOT NULL,
    nodes INTEGER NOT NULL CHECK (nodes >= 0),
    time_ms INTEGER NOT NULL,
    pv TEXT NOT NULL,
    -- Whether its search has come to its end.
    is_done INTEGER NOT NULL CHECK (is_done IN (0, 1)),
    changed_at INTEGER NOT NULL,
    -- CRC-32 of the columns before it.
    checksum INTEGER NOT NULL,
    -- The score as one ordered integer.
    value INTEGER AS (CASE
        WHEN cp IS NOT NULL THEN max(-31000, min(31000, cp))
        WHEN mate > 0 THEN max(31001, 32001 - 2 * mate)
        ELSE min(-31001, -32000 - 2 * mate)
    END),
    -- As in search.
    win INTEGER,
    draw INTEGER,
    loss INTEGER,
    PRIMARY KEY (closing, number),
    CHECK ((cp IS NULL) <> (mate IS NULL)),
    CHECK (number = 1 OR NOT is_all)
) STRICT, WITHOUT ROWID;

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

-- How far a recheck of an analysis by another profile has come. A note: the same tree, margin and answers give it again.
CREATE TABLE recheck (
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    profile INTEGER NOT NULL REFERENCES profile (id),
    -- The tree: `pass` and `regrown` of the analysis then.
    pass INTEGER NOT NULL,
    regrown INTEGER NOT NULL,
    -- By how many centipawns a score that was not asked again may be off, where the user has said it; NULL where that follows
    -- from the errors that the two profiles have shown.
    margin INTEGER,
    -- Those that other trees had shown when it began: a JSON array of centipawns and how often; [] where margin is said.
    errors TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'stays', 'changed')),
    -- The margin by now, in centipawns, and the least one by which scores that were not asked again change the best move.
    within INTEGER NOT NULL,
    at_least INTEGER NOT NULL,
    -- The tree's best move and the present one, with their values for the side to move, as tree_move has them; value_since
    -- is that of the former with the new scores.
    best_before TEXT NOT NULL,
    value_before INTEGER NOT NULL,
    value_since INTEGER NOT NULL,
    best TEXT NOT NULL,
    value INTEGER NOT NULL,
    -- Scores of the tree that can be asked again, those that were, and the engine nodes of the new ones.
    leaves INTEGER NOT NULL,
    asked INTEGER NOT NULL,
    nodes INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (analysis, profile)
) STRICT, WITHOUT ROWID;

-- Games that are analysed as a whole.
CREATE TABLE annotated_game (
    -- AUTOINCREMENT: no number is used twice.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The game alone, with its tags, comments and variations.
    pgn TEXT NOT NULL CHECK (pgn <> ''),
    created_at INTEGER NOT NULL
) STRICT;

-- The analyses of their positions, by the first stage of each.
CREATE TABLE game_analysis (
    game INTEGER NOT NULL REFERENCES annotated_game (id) ON DELETE CASCADE,
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    -- Whether it was made for a game; otherwise it was there before, and is no part of any.
    made INTEGER NOT NULL CHECK (made IN (0, 1)),
    PRIMARY KEY (game, analysis)
) STRICT, WITHOUT ROWID;
CREATE INDEX game_analysis_analysis ON game_analysis (analysis);

-- Each time that something was taken over from another database.
CREATE TABLE merge (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES source (id),
    began_at INTEGER NOT NULL,
    -- When all was taken over; NULL where something came between.
    ended_at INTEGER,
    -- How many answers have come.
    answers INTEGER NOT NULL DEFAULT 0,
    -- How many of the file's answers were drawn with the seed and searched again before; NULL where it was trusted.
    checked INTEGER,
    seed INTEGER
) STRICT;

-- Another database's answer of a rank that has another one here, which stays.
CREATE TABLE conflict (
    profile INTEGER NOT NULL REFERENCES profile (id),
    position INTEGER NOT NULL REFERENCES position (id),
    rank INTEGER NOT NULL CHECK (rank >= 0),
    source INTEGER NOT NULL REFERENCES source (id),
    -- As in answer.
    move TEXT NOT NULL,
    cp INTEGER,
    mate INTEGER,
    noted_at INTEGER NOT NULL,
    PRIMARY KEY (profile, position, rank, source),
    CHECK ((cp IS NULL) <> (mate IS NULL))
) STRICT, WITHOUT ROWID;

-- Analyses that have come with another database, or are to come as deep as there, so that it can be taken back.
CREATE TABLE merged_analysis (
    source INTEGER NOT NULL REFERENCES source (id),
    analysis INTEGER NOT NULL REFERENCES analysis (id) ON DELETE CASCADE,
    -- The target depth that it had; NULL where there was no such analysis.
    former_target INTEGER,
    target INTEGER NOT NULL,
    -- analysis.changed_at when its tree had been grown from what has come: later ones are the user's own.
    changed_at INTEGER,
    PRIMARY KEY (source, analysis)
) STRICT, WITHOUT ROWID;

-- Closing searches that have come with another database.
CREATE TABLE merged_closing (
    closing INTEGER PRIMARY KEY REFERENCES closing (id) ON DELETE CASCADE,
    source INTEGER NOT NULL REFERENCES source (id)
) STRICT;
