//! The arm of several engines that share the root's moves out among themselves.

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::chess::{Ending, Score, Value, legal_uci};
use crate::duel::arm::SearchArm;
use crate::duel::oracle::{HashState, Oracle, Question};
use crate::search::Limit;
use crate::tree::Graph;

use super::virtual_run::Fleet;

/// What engines choose that get the root's moves in turn, as the rules of chess list them, and search the
/// position after each for an equal part of the time: the move of the greatest score, of equal ones the first.
/// The hash is cleared before each search. None where the game is over.
///
/// # Errors
///
/// Those of the oracle.
pub fn split_arm<O: Oracle>(
    position: &Chess,
    fleet: Fleet,
    oracle: &mut O,
) -> Result<Option<SearchArm>, O::Error> {
    let moves = legal_uci(position);
    // The engine with the most moves has so many.
    let of_one = moves.len().div_ceil(fleet.engines.max(1) as usize).max(1);
    let nodes = (fleet.time / of_one as u64).max(1);
    let mut best: Option<SearchArm> = None;
    let mut spent = 0;
    for uci in moves {
        let (value, of_move) = search_after(position, uci, nodes, oracle)?;
        spent += of_move;
        if best.is_none_or(|best| value > Value::from(best.score)) {
            best = Some(SearchArm { uci, score: Score::from(value), nodes: 0 });
        }
    }
    Ok(best.map(|best| SearchArm { nodes: spent, ..best }))
}

/// A move's value for its mover, and the nodes that this took; an ended game takes none.
fn search_after<O: Oracle>(
    position: &Chess,
    uci: UciMove,
    nodes: u64,
    oracle: &mut O,
) -> Result<(Value, u64), O::Error> {
    let mut after = position.clone();
    if let Ok(m) = uci.to_move(position) {
        after.play_unchecked(m);
    }
    if let Some(ending) = Ending::of(&after) {
        return Ok((Graph::end_value(ending).step(), 0));
    }
    let (limit, memory) = (Limit::Nodes(nodes), HashState::Cleared);
    let reply = oracle.ask(Question { position: after, excluded: Vec::new(), limit, memory })?;
    Ok((Value::from(reply.score).step(), reply.nodes))
}
