//! A game beside a repertoire, position by position.

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use deepanalyze_core::chess::{Game, PositionKey, Value};
use deepanalyze_core::tree::{Graph, Growth, NodeId, PathValues, best_line_behind};
use deepanalyze_store::{AnalysisRow, Store, StoreError};

use crate::repertoire::{Repertoire, counting};
use crate::review::{Compared, Departure, LeftBy, RightMove};
use deepanalyze_view::{NamedMove, stored_line};

/// Plies shown of the line behind a repertoire move.
const LINE_PLIES: usize = 8;

/// Source of scores of positions.
pub enum EngineScores<'s> {
    /// A database, and the tree whose engine is preferred.
    Kept(&'s Store, &'s AnalysisRow),
    /// No scores.
    None,
}

impl EngineScores<'_> {
    /// The score of the position at a ply of a game, for its side to move: the first answer of the
    /// tree's engine there, else the value of an analysis of that position.
    fn of(&self, game: &Game, ply: usize) -> Result<Option<Value>, StoreError> {
        let EngineScores::Kept(store, row) = self else {
            return Ok(None);
        };
        let there = game.up_to(ply);
        if let Some(answer) = store.answer(row.profile_id, there.root(), 0)? {
            return Ok(Some(answer.score.into()));
        }
        match store.analyses_of(&there)?.first() {
            Some(other) => Ok(stored_line(store, other.id, there.root())?.map(|line| line.value)),
            None => Ok(None),
        }
    }
}

/// The last position of a game that a repertoire has, with its ply. Earlier departures do not
/// count: the game has come back.
pub fn last_inside(repertoire: &Repertoire<'_>, game: &Game) -> Option<(usize, NodeId)> {
    let node = |position: &Chess| repertoire.growth.find(&PositionKey::of(position));
    let positions = [game.start().clone()].into_iter().chain(game.positions());
    let inside = positions.enumerate().filter_map(|(ply, position)| {
        Some((ply, node(&position)?)).filter(|(_, node)| repertoire.has(*node))
    });
    inside.last()
}

/// How a game left a repertoire after its last position there, at this ply; `None` if the game was
/// over.
///
/// # Errors
///
/// [`StoreError`] if the database fails.
pub fn departure(
    repertoire: &Repertoire<'_>,
    game: &Game,
    ply: usize,
    node: NodeId,
    engine: &EngineScores<'_>,
) -> Result<Option<Departure>, StoreError> {
    let Some(played) = game.moves().get(ply).copied() else {
        return Ok(None);
    };
    let growth = repertoire.growth;
    let position = game.up_to(ply).root().clone();
    let is_own = position.turn() == repertoire.side;
    let by = match growth.graph().is_analysed(node) {
        false => LeftBy::End,
        true if is_own => LeftBy::Player,
        true => LeftBy::Opponent,
    };
    let mut right: Vec<RightMove> = repertoire
        .moves(node)
        .into_iter()
        .map(|m| RightMove { named: NamedMove::of(&position, m.uci), value: m.idea })
        .collect();
    if !is_own {
        right.truncate(1);
    }
    let by_engine = match by {
        LeftBy::End => None,
        _ => by_engine(growth, game, (ply, node), engine)?,
    };
    let line = right.first().map(|m| line_behind(growth, node, m.named.uci)).unwrap_or_default();
    let by_tree = by_tree(growth, node, played);
    Ok(Some(Departure {
        ply,
        position,
        played,
        side: repertoire.side,
        by,
        by_tree,
        by_engine,
        right,
        line,
    }))
}

/// The tree's comparison of a move, if it has it.
fn by_tree(growth: &Growth, node: NodeId, played: UciMove) -> Option<Compared> {
    let moves = counting(growth, node);
    let of_move = moves.iter().find(|m| m.uci == played)?.idea?;
    Some(Compared { played: of_move, best: moves.first()?.idea? })
}

/// The engines' comparison of a move: its score in the position, or that of the position behind it.
fn by_engine(
    growth: &Growth,
    game: &Game,
    (ply, node): (usize, NodeId),
    engine: &EngineScores<'_>,
) -> Result<Option<Compared>, StoreError> {
    let list = growth.graph().list(node);
    let Some(best) = list.first().map(|edge| edge.eval) else {
        return Ok(None);
    };
    let played = game.moves().get(ply).copied();
    let listed = list.iter().find(|edge| Some(edge.uci.unpack()) == played).map(|edge| edge.eval);
    let played = match (listed, ending_behind(game, ply)) {
        (Some(listed), _) => Some(listed),
        (None, Some(end)) => Some(end.step()),
        (None, None) => engine.of(game, ply + 1)?.map(Value::step),
    };
    Ok(played.map(|played| Compared { played, best }))
}

/// The value of the game behind a move that ended it.
fn ending_behind(game: &Game, ply: usize) -> Option<Value> {
    let ending = deepanalyze_core::chess::Ending::of(game.up_to(ply + 1).root())?;
    Some(Graph::end_value(ending, Value::EVEN))
}

/// A move and the tree's line behind it.
fn line_behind(growth: &Growth, node: NodeId, first: UciMove) -> Vec<UciMove> {
    let (graph, mut paths) = (growth.graph(), PathValues::new(growth.graph(), growth.values()));
    let path = paths.extend(None, node);
    let child = graph.moves(node).iter().find(|edge| edge.uci.unpack() == first);
    let behind = child.map(|edge| {
        best_line_behind(graph, &mut paths, edge.child, path, LINE_PLIES.saturating_sub(1))
    });
    [vec![first], behind.unwrap_or_default()].concat()
}
