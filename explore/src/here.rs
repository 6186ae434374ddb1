//! A position at the end of a line, as it looks from there: its moves with their alphas after
//! exactly this line, and the best line on.

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Ending, PositionKey, TableEnd, Value, san_of};
use deepanalyze_core::directives::Said;
use deepanalyze_core::tree::{
    Aside, Child, Graph, Layout, Line, LineEnd, NodeId, PathSet, aside, best_line,
    best_line_behind, line_end, places,
};
use deepanalyze_report::{LiveTree, MoveSaid, after, describe_table_move, numbered_line, value_of};

/// A position at the end of a line.
#[derive(Debug)]
pub struct LinePosition {
    /// The moves from the root.
    pub line: Vec<UciMove>,
    /// The position, with the clocks of the game.
    pub position: Chess,
    /// How the game is over here, if it is.
    pub ending: Option<Ending>,
    /// Whether the line, or the game before it, has been here before.
    pub repeated: bool,
    /// The moves that count by alpha, best first, ties by rank; then included ones that wait, and excluded
    /// ones.
    pub choices: Vec<ListedMove>,
    /// What the position is worth after this line, for its side to move: where it is not analysed,
    /// what the engine said of the move that led here.
    pub value: Option<Value>,
    /// How many legal moves there are.
    pub legal_moves: usize,
    /// The moves of the best line from here, as far as the tree knows one.
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
    /// What the user has said of it and of the position behind it, in words.
    pub marks: Vec<String>,
    /// What else there is to say.
    pub note: Option<Note>,
    /// The best line behind it, as far as it is shown.
    pub continuation: Vec<UciMove>,
    /// Why that line ends where it does.
    pub end: LineEnd,
    /// How the engine's own search goes on behind it, where somebody has looked.
    pub own: Vec<UciMove>,
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
    pub fn at(tree: &LiveTree, line: &[UciMove]) -> LinePosition {
        let nodes = tree.walk(line);
        let line: Vec<UciMove> = line.iter().take(nodes.len() - 1).copied().collect();
        let node = nodes.last().copied().unwrap_or_else(|| tree.growth.root());
        let graph = tree.growth.graph();
        let position = after(tree.game.root(), &line);
        let layout = Layout { plies: Some(1), ..Layout::default() };
        let places = places(graph, tree.growth.values(), &nodes, tree.growth.breadth(), layout);
        let moves = places.first().map(|place| place.moves.as_slice()).unwrap_or_default();
        let mut future = Future::new(tree, &nodes);
        let values = tree.growth.values();
        let choices = moves.iter().map(|child| {
            let continuation = future.behind(child.edge.child);
            let first = std::iter::once(child.edge.uci.unpack());
            let whole: Vec<UciMove> = first.chain(continuation.iter().copied()).collect();
            let end = line_end(graph, values, &nodes, &whole);
            ListedMove { continuation, end, ..choice(tree, &line, &position, child) }
        });
        let choices: Vec<ListedMove> = choices.collect();
        let came_before = nodes.iter().filter(|other| **other == node).count() > 1;
        let aside = aside(graph, node).into_iter().map(|aside| beside(tree, &position, aside));
        let best = moves.first().map(|best| best.alpha);
        let choices = choices.into_iter().chain(aside).collect();
        LinePosition {
            value: best.or_else(|| tree.value_without_moves(&nodes, &line)),
            ending: Ending::of(&position),
            repeated: came_before || graph.is_earlier(node),
            choices,
            legal_moves: position.legal_moves().len(),
            best_line: future.best_line(),
            has_own: false,
            said: tree.directives.at(&PositionKey::of(&position)).cloned().unwrap_or_default(),
            table_moves: if line.is_empty() { known_moves(tree) } else { Vec::new() },
            position,
            line,
        }
    }
}

/// The moves of the root where tables know it.
fn known_moves(tree: &LiveTree) -> Vec<KnownMove> {
    let known = |tables| {
        tree.table_moves.iter().map(move |m| KnownMove {
            uci: m.uci,
            dtz: m.dtz,
            words: describe_table_move(tables, m),
        })
    };
    tree.row.tables.into_iter().flat_map(known).collect()
}

/// A move that counts.
fn choice(tree: &LiveTree, line: &[UciMove], position: &Chess, child: &Child) -> ListedMove {
    let (uci, node) = (child.edge.uci.unpack(), child.edge.child);
    let marks = marks(tree, node, true, child.included, false);
    let listed = listed_move(tree, position, (uci, node), marks);
    let note = listed.note.or_else(|| match child.repetition {
        true => Some(Note::Repetition),
        false => transposition(tree, line, child),
    });
    let (alpha, idea) = (Some(child.alpha), Some(child.idea));
    ListedMove { alpha, idea, eval: child.eval(), candidate: child.candidate, note, ..listed }
}

/// A move that does not count.
fn beside(tree: &LiveTree, position: &Chess, aside: Aside) -> ListedMove {
    let is_included = aside.listed.is_none();
    let marks = marks(tree, aside.child, false, is_included, !is_included);
    let eval = aside.listed.map(|(_, eval)| eval);
    ListedMove { eval, ..listed_move(tree, position, (aside.uci.unpack(), aside.child), marks) }
}

/// A move without its values and the line behind it.
fn listed_move(
    tree: &LiveTree,
    position: &Chess,
    (uci, child): (UciMove, NodeId),
    marks: Vec<String>,
) -> ListedMove {
    let graph = tree.growth.graph();
    ListedMove {
        uci,
        san: san_of(position, uci),
        alpha: None,
        idea: None,
        eval: None,
        candidate: false,
        analysed: graph.is_analysed(child),
        marks,
        note: end_note(graph, child),
        continuation: Vec::new(),
        end: LineEnd::Elsewhere,
        own: Vec::new(),
    }
}

/// How the game is over behind a move, by the rules or by tables.
fn end_note(graph: &Graph, node: NodeId) -> Option<Note> {
    let by_tables = || graph.known(node).map(|known| Note::Known(known.turned()));
    graph.ending(node).map(Note::Ending).or_else(by_tables)
}

/// What the user has said of a move to a position and of the position.
fn marks(
    tree: &LiveTree,
    node: NodeId,
    counts: bool,
    is_included: bool,
    is_excluded: bool,
) -> Vec<String> {
    let graph = tree.growth.graph();
    let (value, stopped) = (value_of(graph, node), graph.is_stopped(node));
    let said = MoveSaid { counts, is_included, is_excluded, value, stopped };
    let mut marks = said.words();
    if tree.directives.is_empty() {
        return marks;
    }
    let said = tree.directives.at(&PositionKey::of(&tree.growth.position(node)));
    marks.extend(said.and_then(|said| said.note.as_ref()).map(|_| "note".to_owned()));
    marks
}

/// The tree's first line to where a move leads, if it is not this one.
fn transposition(tree: &LiveTree, line: &[UciMove], child: &Child) -> Option<Note> {
    if !tree.growth.graph().is_analysed(child.edge.child) {
        return None;
    }
    let first = tree.first_line(child.edge.child);
    let own = line.iter().copied().chain([child.edge.uci.unpack()]);
    if first.iter().copied().eq(own) {
        return None;
    }
    Some(Note::Transposition(numbered_line(tree.game.root(), &first)))
}

/// How many plies of the best line behind a move are shown.
const CONTINUATION: usize = 40;

/// What may come after a line.
struct Future<'a> {
    tree: &'a LiveTree,
    line: Line<'a>,
    /// The path to the end of the line.
    path: Option<PathSet>,
    end: NodeId,
}

impl<'a> Future<'a> {
    /// What may come after the line through these positions.
    fn new(tree: &'a LiveTree, nodes: &[NodeId]) -> Future<'a> {
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
