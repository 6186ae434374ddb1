//! A position at the end of a line, as it looks from there: its moves with their alphas after
//! exactly this line, and the best line on.

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Ending, PositionKey, TableEnd, Value, san_of};
use deepanalyze_core::directives::Said;
use deepanalyze_core::search::WinDrawLoss;
use deepanalyze_core::tree::{
    Edge, Graph, Line, LineEnd, NodeId, PathSet, best_line, best_line_behind, line_end,
};
use deepanalyze_view::{
    MoveSaid, PositionMoves, Shown, Tree, after, describe_share, describe_table_move, numbered_line,
};

/// A position at the end of a line.
#[derive(Debug)]
pub struct LinePosition {
    /// The moves from the root.
    pub line: Vec<UciMove>,
    /// The position, with the clocks of the game.
    pub position: Chess,
    /// Its node in the tree.
    pub node: NodeId,
    /// How the game is over here, if it is.
    pub ending: Option<Ending>,
    /// Whether the line, or the game before it, has been here before.
    pub repeated: bool,
    /// The moves that count by alpha, best first, ties by rank; then included ones that wait, and excluded
    /// ones.
    pub choices: Vec<ListedMove>,
    /// What the position is worth after this line, for its side to move: the verdict's score at the root; where it is
    /// not analysed, what the engine said of the move that led here.
    pub value: Option<Value>,
    /// How many legal moves there are.
    pub legal_moves: usize,
    /// The best move with what is expected to follow: the verdict's line at the root, elsewhere the tree's.
    pub best_line: Vec<UciMove>,
    /// Whether the engine's own lines behind the moves were looked up.
    pub has_own: bool,
    /// What the user has said of the position and its moves.
    pub said: Said,
    /// The moves of a root that tables know, the best first.
    pub table_moves: Vec<KnownMove>,
}

/// A move of a root that tables know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownMove {
    /// The move.
    pub uci: UciMove,
    /// Plies to the next capture, pawn move or mate; none where the tables do not say.
    pub dtz: Option<i32>,
    /// The result for the side that plays it, in words.
    pub words: &'static str,
}

/// A move of the position: one that the engine has listed, or one that the user has included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedMove {
    /// The move.
    pub uci: UciMove,
    /// The move in SAN.
    pub san: String,
    /// Its value after this line, for its mover; none where it does not count.
    pub alpha: Option<Value>,
    /// Its value whatever the line, for its mover; none where it does not count.
    pub idea: Option<Value>,
    /// The engine's score, for its mover; none where the engine has not listed it.
    pub eval: Option<Value>,
    /// Whether it is the first or within the distance of the first at this ply.
    pub candidate: bool,
    /// Whether the position behind it has moves that count.
    pub analysed: bool,
    /// What of the tree the move is, where it counts.
    pub edge: Option<Edge>,
    /// In how many games it was played, where that is known.
    pub games: Option<u64>,
    /// Their share of the position's games, in words; nothing where it is not known.
    pub share: String,
    /// What the user has said of it and of the position behind it, in words.
    pub marks: Vec<String>,
    /// What else there is to say.
    pub note: Option<Note>,
    /// The best line behind it, as far as it is shown.
    pub continuation: Vec<UciMove>,
    /// Why that line ends where it does.
    pub end: LineEnd,
    /// What the engine has said of its end, where somebody has looked.
    pub own: OwnWords,
}

impl ListedMove {
    /// The move and the best line behind it, as far as it is shown.
    pub fn line(&self) -> Vec<UciMove> {
        std::iter::once(self.uci).chain(self.continuation.iter().copied()).collect()
    }
}

/// What the engine has said at the end of a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnWords {
    /// How its own search goes on.
    pub line: Vec<UciMove>,
    /// How games end there, for the side that plays the line's first move.
    pub wdl: Option<WinDrawLoss>,
}

/// What there is to say of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The game is over behind it.
    Ending(Ending),
    /// Tables know the position behind it: the result for the side that plays it.
    Known(TableEnd),
    /// It returns to a position of the line or of the game.
    Repetition,
    /// Another line leads there, too: the shortest from the root, in SAN.
    Transposition(String),
}

impl Note {
    /// The note in words.
    pub fn text(&self) -> String {
        match self {
            Note::Ending(ending) => ending.name().to_owned(),
            Note::Known(known) => known.words().to_owned(),
            Note::Repetition => "repetition".to_owned(),
            Note::Transposition(line) => format!("transposition: {line}"),
        }
    }
}

impl LinePosition {
    /// The end of a line of moves from the root, or of as much of it as the tree has.
    pub fn at(tree: &Tree, line: &[UciMove]) -> LinePosition {
        let nodes = tree.walk(line);
        let line: Vec<UciMove> = line.iter().take(nodes.len() - 1).copied().collect();
        let node = nodes.last().copied().unwrap_or_else(|| tree.growth.root());
        let graph = tree.growth.graph();
        let position = after(tree.game.root(), &line);
        let moves = PositionMoves::of(&tree.growth, &nodes);
        let mut future = Future::new(tree, &nodes);
        let values = tree.growth.values();
        let choices = moves.each().map(|shown| {
            let (mut continuation, mut end) = (Vec::new(), LineEnd::Elsewhere);
            if shown.child.is_some() {
                continuation = future.behind(shown.node);
                let first = std::iter::once(shown.uci);
                let whole: Vec<UciMove> = first.chain(continuation.iter().copied()).collect();
                end = line_end(graph, values, &nodes, &whole);
            }
            ListedMove { continuation, end, ..choice(tree, &line, &position, shown) }
        });
        let choices: Vec<ListedMove> = choices.collect();
        let came_before = nodes.iter().filter(|other| **other == node).count() > 1;
        let told = tree.verdict().filter(|_| line.is_empty()).map(|told| told.choice);
        let alpha = choices.iter().find_map(|best| best.alpha);
        let value = told.as_ref().map(|told| told.value).or(alpha);
        LinePosition {
            value: value.or_else(|| tree.value_without_moves(&nodes, &line)),
            ending: Ending::of(&position),
            repeated: came_before || graph.is_repeated(node),
            choices,
            legal_moves: position.legal_moves().len(),
            best_line: told.map_or_else(|| future.best_line(), |told| told.moves),
            has_own: false,
            said: tree.directives.at(&PositionKey::of(&position)).cloned().unwrap_or_default(),
            table_moves: if line.is_empty() { known_moves(tree) } else { Vec::new() },
            position,
            node,
            line,
        }
    }
}

/// The moves of the root where tables know it.
fn known_moves(tree: &Tree) -> Vec<KnownMove> {
    let known = |tables| {
        tree.table_moves.iter().map(move |m| KnownMove {
            uci: m.uci,
            dtz: m.dtz,
            words: describe_table_move(tables, m),
        })
    };
    tree.row.settings.tables.into_iter().flat_map(known).collect()
}

fn choice(tree: &Tree, line: &[UciMove], position: &Chess, shown: Shown<'_>) -> ListedMove {
    let graph = tree.growth.graph();
    let note = match end_note(graph, shown.node) {
        Some(end) => Some(end),
        None if shown.is_repetition() => Some(Note::Repetition),
        None => shown.child.and_then(|_| transposition(tree, line, shown)),
    };
    let played = shown.played(&tree.growth);
    ListedMove {
        edge: shown.child.map(|child| child.edge),
        games: played.map(|played| played.games),
        share: played.and_then(|played| played.share).map(describe_share).unwrap_or_default(),
        uci: shown.uci,
        san: san_of(position, shown.uci),
        alpha: shown.alpha(),
        idea: shown.idea(),
        eval: shown.eval,
        candidate: shown.is_candidate(),
        analysed: graph.is_analysed(shown.node),
        marks: marks(tree, shown),
        note,
        continuation: Vec::new(),
        end: LineEnd::Elsewhere,
        own: OwnWords::default(),
    }
}

/// How the game is over behind a move, by the rules or by tables.
fn end_note(graph: &Graph, node: NodeId) -> Option<Note> {
    let by_tables = || graph.known(node).map(|known| Note::Known(known.turned()));
    graph.ending(node).map(Note::Ending).or_else(by_tables)
}

/// What the user has said of a move to a position and of the position.
fn marks(tree: &Tree, shown: Shown<'_>) -> Vec<String> {
    let graph = tree.growth.graph();
    let said = MoveSaid {
        counts: shown.child.is_some(),
        is_included: shown.included,
        is_excluded: shown.excluded,
        is_found: shown.is_found(&tree.growth),
        value: graph.given(shown.node),
        stopped: graph.is_stopped(shown.node),
    };
    let mut marks = said.words();
    if tree.directives.is_empty() {
        return marks;
    }
    let said = tree.directives.at(&PositionKey::of(&tree.growth.position(shown.node)));
    marks.extend(said.and_then(|said| said.note.as_ref()).map(|_| "note".to_owned()));
    marks
}

/// The tree's first line to where a move leads, if it is not this one.
fn transposition(tree: &Tree, line: &[UciMove], shown: Shown<'_>) -> Option<Note> {
    if !tree.growth.graph().is_analysed(shown.node) {
        return None;
    }
    let first = tree.growth.first_line(shown.node);
    let own = line.iter().copied().chain([shown.uci]);
    if first.iter().copied().eq(own) {
        return None;
    }
    Some(Note::Transposition(numbered_line(tree.game.root(), &first)))
}

/// How many plies of the best line behind a move are shown.
const CONTINUATION: usize = 40;

/// What may come after a line.
struct Future<'a> {
    tree: &'a Tree,
    line: Line<'a>,
    /// The path to the end of the line.
    path: Option<PathSet>,
    end: NodeId,
}

impl<'a> Future<'a> {
    /// What may come after the line through these positions.
    fn new(tree: &'a Tree, nodes: &[NodeId]) -> Future<'a> {
        let mut line = Line::new(tree.growth.graph(), tree.growth.values());
        let path = nodes.iter().fold(None, |path, node| line.extend(path, *node));
        let end = nodes.last().copied().unwrap_or_else(|| tree.growth.root());
        Future { tree, line, path, end }
    }

    /// The best line, as far as the tree knows one.
    fn best_line(&mut self) -> Vec<UciMove> {
        let graph = self.tree.growth.graph();
        best_line(graph, &mut self.line, self.end, self.path, usize::MAX)
    }

    /// The best line behind one of the moves.
    fn behind(&mut self, node: NodeId) -> Vec<UciMove> {
        let graph = self.tree.growth.graph();
        best_line_behind(graph, &mut self.line, node, self.path, CONTINUATION)
    }
}
