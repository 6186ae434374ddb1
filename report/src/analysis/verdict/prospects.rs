//! The moves of one position with what lies behind them: the tree's best line, and how the engine goes on
//! where that line leaves the tree.

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::playable;
use deepanalyze_core::tree::{
    Behind, Growth, LineEnd, NodeId, RootMove, behind, line_end, moves_behind,
};
use deepanalyze_store::{ProfileId, Store, StoreError};

/// A move with what lies behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prospect {
    /// The move with its values and the tree's best line, which begins with it.
    pub best: RootMove,
    /// Why that line ends where it does.
    pub end: LineEnd,
    /// How the engine's own search goes on behind that line; empty where the line ends with something else
    /// than the engine's word.
    pub continuation: Vec<UciMove>,
    /// How much of the tree lies behind the move, where that was asked: it takes a walk through all of it.
    pub behind: Option<Behind>,
}

/// The moves that count in the position that a path of the tree from its root ends with, by alpha, best
/// first, ties by rank.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
pub fn prospects(
    store: &Store,
    (profile, growth): (ProfileId, &Growth),
    path: &[NodeId],
) -> Result<Vec<Prospect>, StoreError> {
    let (graph, values) = (growth.graph(), growth.values());
    let moves = moves_behind(graph, values, path).into_iter();
    let prospect = |best: RootMove| {
        let end = line_end(graph, values, path, &best.line);
        let continuation = continuation(store, (profile, growth), end, best.line.last())?;
        Ok(Prospect { best, end, continuation, behind: None })
    };
    moves.map(prospect).collect()
}

/// The same, and how much of the tree lies behind each move.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
pub fn measured_prospects(
    store: &Store,
    (profile, growth): (ProfileId, &Growth),
    path: &[NodeId],
) -> Result<Vec<Prospect>, StoreError> {
    let mut prospects = prospects(store, (profile, growth), path)?;
    // Behind the root there is nothing but what lies behind its moves.
    let child = |uci| child_of(growth, path, uci).unwrap_or(growth.root());
    let children: Vec<NodeId> = prospects.iter().map(|prospect| child(prospect.best.uci)).collect();
    let measured = behind(growth.graph(), path, &children);
    for (prospect, measured) in prospects.iter_mut().zip(measured) {
        prospect.behind = Some(measured);
    }
    Ok(prospects)
}

/// How the engine goes on behind the last move of a line, where the line leaves the tree.
///
/// # Errors
///
/// [`StoreError`] where the database fails.
pub fn continuation(
    store: &Store,
    (profile, growth): (ProfileId, &Growth),
    end: LineEnd,
    last: Option<&UciMove>,
) -> Result<Vec<UciMove>, StoreError> {
    let (LineEnd::Tree { position, rank }, Some(last)) = (end, last) else {
        return Ok(Vec::new());
    };
    let position = growth.position(position);
    let moves = store.continuation(profile, &position, rank)?;
    let line = std::iter::once(*last).chain(moves);
    Ok(playable(&position, line).into_iter().skip(1).collect())
}

fn child_of(growth: &Growth, path: &[NodeId], uci: UciMove) -> Option<NodeId> {
    let moves = growth.graph().moves(*path.last()?).iter();
    moves
        .map(|edge| (edge.uci.unpack(), edge.child))
        .find(|(m, _)| *m == uci)
        .map(|(_, child)| child)
}
