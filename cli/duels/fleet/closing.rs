//! The end of several engines on a tree: they share the root's moves out among themselves.

use shakmaty::Chess;

use crate::duels::arm::{Closed, Closer, SearchArm};
use crate::duels::error::DuelError;
use crate::duels::oracle::Oracle;
use crate::duels::setting::Setting;
use deepanalyze_core::chess::{Value, epd_of};
use deepanalyze_core::search::{HashContents, HashOf, MoveShare, SideBySide};
use deepanalyze_core::tree::{RootShare, ShareAnswer, ranked_shares};
use deepanalyze_runner::Schedule;

use super::regrowth::{Regrowth, Stages};
use super::virtual_run::Fleet;

/// What engines that share the root's moves out among themselves have come to.
#[derive(Debug, Clone, Default)]
pub struct ClosedByAll {
    /// The moves that they have chosen, in the order of [`ranked_shares`], each with the nodes of its search. None where the
    /// game is over, or where an engine has not come to its share of the moves: nothing is known of these.
    pub moves: Vec<SearchArm>,
    /// The nodes of all of them, their rehearsals among them.
    pub spent: u64,
}

/// The closing search of engines that have so many nodes each: each rehearses the best lines of its own moves, and
/// searches the root with these alone; the first has all.
pub fn close<O: Oracle<Error = DuelError>>(
    (root, of_tree): (&Chess, Fleet),
    (setting, stages): (&Setting, &Stages<'_>),
    nodes: u64,
    oracle: &mut O,
) -> Result<ClosedByAll, DuelError> {
    let Some(stage) = stages.speaking() else { return Ok(ClosedByAll::default()) };
    let engines = usize::try_from(of_tree.engines).unwrap_or(usize::MAX);
    by_all(stage.growth.root_shares(engines), |share| {
        let of_share = MoveShare::new(share.number, &share.moves);
        let contents = contents((root, of_tree), setting, stage, of_share);
        let (limit, rehearsal, elsewhere) = (stage.limit(), share.rehearsal, share.elsewhere);
        oracle.begin();
        Closer { contents, limit, rehearsal, elsewhere }.close(root, nodes, oracle)
    })
}

/// What comes of shares that are searched one by one.
pub fn by_all<E>(
    shares: Vec<RootShare>,
    mut search: impl FnMut(RootShare) -> Result<Closed, E>,
) -> Result<ClosedByAll, E> {
    let (mut answers, mut spent) = (Vec::new(), 0_u64);
    for share in shares {
        let all = share.all;
        let Closed { rehearsal_nodes, search } = search(share)?;
        let nodes = search.map_or(0, |search| search.nodes);
        spent = spent.saturating_add(rehearsal_nodes).saturating_add(nodes);
        match search {
            // The others have all moves among them.
            None if all => {}
            search => answers.push(search.map(|search| (all, search))),
        }
    }
    let answers: Option<Vec<(bool, SearchArm)>> = answers.into_iter().collect();
    Ok(ClosedByAll { moves: answers.map(|answers| ranked(&answers)).unwrap_or_default(), spent })
}

/// The moves of shares, each with whether it was one of all moves.
fn ranked(answers: &[(bool, SearchArm)]) -> Vec<SearchArm> {
    let said = answers.iter().map(|(all, SearchArm { uci, score, .. })| ShareAnswer {
        all: *all,
        uci: *uci,
        value: Value::from(*score),
    });
    let places = ranked_shares(&said.collect::<Vec<_>>());
    places.into_iter().filter_map(|place| answers.get(place)).map(|(_, search)| *search).collect()
}

/// What is on an engine's hash, by all that it is a function of.
fn contents(
    (root, of_tree): (&Chess, Fleet),
    setting: &Setting,
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
        nodes: Some(of_tree.time),
        root_moves: setting.more_root_moves(),
        share: Some(Box::new(share)),
        side_by_side: Some(Box::new(SideBySide { engines: of_tree.engines, stages })),
        ..HashContents::new(HashOf::BestLines, epd_of(root))
    }
}
