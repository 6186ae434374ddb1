//! The end of several engines on a tree: they share the root's moves out among themselves.

use shakmaty::Chess;

use crate::chess::{Value, epd_of};
use crate::duel::arm::{Closed, Closer, SearchArm};
use crate::duel::error::DuelError;
use crate::duel::oracle::Oracle;
use crate::duel::setting::Setting;
use crate::run::Schedule;
use crate::search::{HashContents, HashOf, MoveShare};
use crate::tree::RootShare;

use super::regrowth::{Regrowth, Stages};
use super::virtual_run::Fleet;

/// What the engines choose that have so many nodes each: each rehearses the best lines of its own moves, and
/// searches the root with these alone; the move of the greatest score counts, of equal ones that of the engine which
/// was dealt to first. Its nodes are those of all of them, their rehearsals among them. None where the game is over.
pub fn close<O: Oracle<Error = DuelError>>(
    (root, of_tree): (&Chess, Fleet),
    (setting, stages): (&Setting, &Stages<'_>),
    nodes: u64,
    oracle: &mut O,
) -> Result<Option<SearchArm>, DuelError> {
    let Some(stage) = stages.speaking() else { return Ok(None) };
    let engines = usize::try_from(of_tree.engines).unwrap_or(usize::MAX);
    best_of_shares(stage.growth.root_shares(engines), |share| {
        let of_share = MoveShare::new(share.number, &share.moves);
        let contents = contents(root, (of_tree.time, setting), stage, of_share);
        let (limit, rehearsal, elsewhere) = (stage.limit(), share.rehearsal, share.elsewhere);
        oracle.begin();
        Closer { contents, limit, rehearsal, elsewhere }.close(root, nodes, oracle)
    })
}

/// The best of what engines say of their shares; of equal ones that of the engine which was dealt to first. Its
/// nodes are those of all of them.
pub fn best_of_shares<E>(
    shares: Vec<RootShare>,
    mut search: impl FnMut(RootShare) -> Result<Closed, E>,
) -> Result<Option<SearchArm>, E> {
    let (mut best, mut spent): (Option<SearchArm>, u64) = (None, 0);
    for share in shares {
        let Closed { rehearsal_nodes, search } = search(share)?;
        spent = spent.saturating_add(rehearsal_nodes);
        let Some(search) = search else { continue };
        spent = spent.saturating_add(search.nodes);
        if best.is_none_or(|best| Value::from(search.score) > Value::from(best.score)) {
            best = Some(search);
        }
    }
    Ok(best.map(|best| SearchArm { nodes: spent, ..best }))
}

/// What is on an engine's hash, by all that it is a function of.
fn contents(
    root: &Chess,
    (time, setting): (u64, &Setting),
    stage: &Regrowth<'_>,
    share: MoveShare,
) -> HashContents {
    let stages = match setting.schedule {
        Schedule::Stages { first } => Some(first),
        Schedule::Once(_) => None,
    };
    HashContents {
        distance: Some(setting.distance),
        limit: Some(stage.limit()),
        nodes: Some(time),
        root_moves: setting.more_root_moves(),
        share: Some(Box::new(share)),
        stages,
        ..HashContents::new(HashOf::BestLines, epd_of(root))
    }
}
