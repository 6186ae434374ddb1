//! A position at the end of a line, as it looks from there: its moves with their alphas after
//! exactly this line, and the best line on.

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::chess::{Ending, Value, san_of};
use crate::render::after;
use crate::tree::{Child, Graph, Layout, NodeId, places};

use super::future::Future;
use super::snapshot::Snapshot;

/// A position at the end of a line.
#[derive(Debug)]
pub struct Here {
    /// The moves from the root.
    pub line: Vec<UciMove>,
    /// The position, with the clocks of the game.
    pub position: Chess,
    /// How the game is over here, if it is.
    pub ending: Option<Ending>,
    /// Whether the line, or the game before it, has been here before.
    pub repeated: bool,
    /// The listed moves by alpha, best first, ties by rank.
    pub choices: Vec<ListedMove>,
    /// What the position is worth after this line, for its side to move: where it is not analysed,
    /// what the engine said of the move that led here.
    pub value: Option<Value>,
    /// How many legal moves there are.
    pub legal_moves: usize,
    /// The moves of the best line from here, as far as the tree knows one.
    pub best_line: Vec<UciMove>,
}

/// A listed move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedMove {
    /// The move.
    pub uci: UciMove,
    /// The move in SAN.
    pub san: String,
    /// Its value after this line, for its mover.
    pub alpha: Value,
    /// Its value whatever the line, for its mover.
    pub idea: Value,
    /// The engine's score, for its mover.
    pub eval: Value,
    /// Whether it is the first or within the distance of the first at this ply.
    pub candidate: bool,
    /// Whether the position behind it has listed moves.
    pub analysed: bool,
    /// What else there is to say.
    pub note: Option<Note>,
    /// The best line behind it, as far as it is shown.
    pub continuation: Vec<UciMove>,
}

/// What there is to say of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The game is over behind it.
    Ending(Ending),
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
            Note::Repetition => "repetition".to_owned(),
            Note::Transposition(line) => format!("transposition: {line}"),
        }
    }
}

impl Here {
    /// The end of a line of moves from the root, or of as much of it as the tree has.
    pub fn at(tree: &Snapshot, line: &[UciMove]) -> Here {
        let nodes = tree.growth.walk(line);
        let line: Vec<UciMove> = line.iter().take(nodes.len() - 1).copied().collect();
        let node = nodes.last().copied().unwrap_or_else(|| tree.growth.root());
        let graph = tree.growth.graph();
        let position = after(tree.game.root(), &line);
        let layout = Layout { plies: Some(1), ..Layout::default() };
        let places = places(graph, tree.growth.values(), &nodes, tree.growth.breadth(), layout);
        let moves = places.first().map(|place| place.moves.as_slice()).unwrap_or_default();
        let mut future = Future::new(tree, &nodes);
        let choices = moves.iter().map(|child| ListedMove {
            continuation: future.behind(child.edge.child),
            ..choice(tree, &line, &position, child)
        });
        let came_before = nodes.iter().filter(|other| **other == node).count() > 1;
        let choices: Vec<ListedMove> = choices.collect();
        let best = choices.first().map(|best| best.alpha);
        Here {
            value: best.or_else(|| value_without_moves(tree, &nodes, &line)),
            ending: Ending::of(&position),
            repeated: came_before || graph.is_earlier(node),
            choices,
            legal_moves: position.legal_moves().len(),
            best_line: future.best_line(),
            position,
            line,
        }
    }
}

/// The value of a position without listed moves.
fn value_without_moves(tree: &Snapshot, nodes: &[NodeId], line: &[UciMove]) -> Option<Value> {
    let graph = tree.growth.graph();
    let (node, before) = nodes.split_last()?;
    if let Some(ending) = graph.ending(*node) {
        return Some(Graph::end_value(ending));
    }
    let mut list = graph.list(*before.last()?).iter();
    list.find(|edge| Some(&edge.uci.unpack()) == line.last()).map(|edge| -edge.eval)
}

fn choice(tree: &Snapshot, line: &[UciMove], position: &Chess, child: &Child) -> ListedMove {
    let uci = child.edge.uci.unpack();
    let graph = tree.growth.graph();
    let note = if let Some(ending) = graph.ending(child.edge.child) {
        Some(Note::Ending(ending))
    } else if child.repetition {
        Some(Note::Repetition)
    } else {
        transposition(tree, line, child)
    };
    ListedMove {
        uci,
        san: san_of(position, uci),
        alpha: child.alpha,
        idea: child.idea,
        eval: child.edge.eval,
        candidate: child.candidate,
        analysed: graph.is_analysed(child.edge.child),
        note,
        continuation: Vec::new(),
    }
}

/// The tree's first line to where a move leads, if it is not this one.
fn transposition(tree: &Snapshot, line: &[UciMove], child: &Child) -> Option<Note> {
    if !tree.growth.graph().is_analysed(child.edge.child) {
        return None;
    }
    let first = tree.first_line(child.edge.child);
    let own = line.iter().copied().chain([child.edge.uci.unpack()]);
    if first.iter().copied().eq(own) {
        return None;
    }
    Some(Note::Transposition(tree.numbered(&first)))
}
