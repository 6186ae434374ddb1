//! The arm of several engines that share the root's moves out among themselves, without a tree.

use shakmaty::Chess;

use crate::duels::arm::{Closer, SearchArm};
use crate::duels::oracle::Oracle;
use deepanalyze_core::chess::{Game, epd_of};
use deepanalyze_core::search::{HashContents, HashOf, Limit, MoveShare};
use deepanalyze_core::tree::{Growth, RootShare};

use super::closing::by_all;
use super::virtual_run::Fleet;

/// What engines choose that share out the root's moves, dealt as [`Growth::dealt_shares`] does where nothing is
/// known of them, and search the root with these alone for the whole time: the move of the greatest score, of equal
/// ones that of the engine which was dealt to first. None where the game is over.
///
/// # Errors
///
/// Those of the oracle.
pub fn split_arm<O: Oracle>(
    root: &Chess,
    fleet: Fleet,
    oracle: &mut O,
) -> Result<Option<SearchArm>, O::Error> {
    let engines = usize::try_from(fleet.engines).unwrap_or(usize::MAX);
    let nothing = Growth::new(&Game::from_position(root.clone()), 0);
    let closed = by_all(nothing.dealt_shares(engines), |share| {
        let RootShare { number, moves, elsewhere, rehearsal, .. } = share;
        let contents = HashContents {
            share: Some(Box::new(MoveShare::new(number, &moves))),
            ..HashContents::new(HashOf::Nothing, epd_of(root))
        };
        let limit = Limit::Nodes(fleet.time);
        oracle.begin();
        Closer { contents, limit, rehearsal, elsewhere }.close(root, fleet.time, oracle)
    })?;
    Ok(closed.moves.first().map(|choice| SearchArm { nodes: closed.spent, ..*choice }))
}
