//! Traps searched deeper than their tree, the ones that give most first.

use std::time::Instant;

use deepanalyze_core::chess::Ending;
use deepanalyze_engine::Engines;
use deepanalyze_store::Store;
use deepanalyze_view::{DeeperSearches, Trap, TrapLimits, Tree};
use shakmaty::Chess;

use crate::control::ControlReceiver;
use crate::one_move::{PositionAsked, PositionEnd, search_position};
use crate::outcome::RunError;
use crate::recheck::deeper;

/// Traps to search deeper.
#[derive(Debug, Clone, Copy)]
pub struct TrapQuestion<'a> {
    /// Their tree.
    pub tree: &'a Tree,
    /// The traps, in the order in which they are searched.
    pub traps: &'a [Trap],
    /// Limits of what is a trap.
    pub limits: TrapLimits,
    /// Number of traps that are not refuted after which it ends.
    pub wanted: usize,
    /// The moment that ends it.
    pub until: Instant,
}

/// Searches the positions of traps, and those behind the losing replies, by the tree's engine, until `wanted` traps
/// hold, the time is over, or on request. Each position has an equal part of the time that is left; the next question
/// searches it deeper still. Returns the number of traps that have a deeper search of both, and why it ended; the
/// answers are stored.
///
/// # Errors
///
/// [`RunError`] if the database fails.
pub fn search_traps(
    store: &mut Store,
    engines: &mut dyn Engines,
    control: &ControlReceiver,
    question: TrapQuestion<'_>,
) -> Result<(usize, PositionEnd), RunError> {
    let TrapQuestion { tree, traps, limits, wanted, until } = question;
    let profile = &tree.row.profile;
    let (mut held, mut searched) = (0, 0);
    for (number, trap) in traps.iter().enumerate() {
        let mut parts = 2 * (wanted - held).min(traps.len() - number);
        let positions = [tree.growth.position(trap.node), trap.behind(&tree.growth)];
        for position in positions.iter().filter(|position| Ending::of(position).is_none()) {
            let before = DeeperSearches::than(profile, store)?.value(position)?;
            let first = deeper(before.map_or(profile.limit, |(_, limit)| limit));
            let now = engines.now();
            let left = until.saturating_duration_since(now);
            let time = left / u32::try_from(parts).unwrap_or(u32::MAX);
            parts -= 1;
            let asked = PositionAsked { position: position.clone(), first, until: now + time };
            match search_position(store, engines, control, &asked)? {
                (_, PositionEnd::Time) => {}
                (_, end) => return Ok((searched, end)),
            }
        }
        let [position, behind]: &[Chess; 2] = &positions;
        let look = DeeperSearches::than(profile, store)?.look(position, behind)?;
        searched += usize::from(look.is_some());
        held += usize::from(!look.is_some_and(|look| look.refutes(limits)));
        if held == wanted || engines.now() >= until {
            break;
        }
    }
    Ok((searched, PositionEnd::Time))
}
