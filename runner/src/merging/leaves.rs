//! The answers of another database on which the best moves of its analyses stand: those that would have to be wrong for
//! another move to be the best. Its trees are grown from its answers for that, in memory; what it says of them counts for
//! nothing.

use std::collections::HashSet;

use deepanalyze_core::chess::{Game, Value};
use deepanalyze_core::tree::{
    Growth, IllegalMove, MovedLeaf, Selection, Served, Server, Service, grow_by, stability,
};
use deepanalyze_report::after;
use deepanalyze_store::{
    AnalysisRow, Incoming, IncomingAnswer, IncomingLists, Store, StoreError, is_repeatable,
};

use super::checking::SearchedAgain;
use super::survey::AnswerDrawn;
use crate::control::ControlReceiver;

/// So many analysed positions are grown for that, in one tree and in all.
const MOST_POSITIONS: u64 = 300_000;
const MOST_OF_ALL: u64 = 1_000_000;
/// Nor a deeper one.
const DEEPEST: u32 = 500;

/// The answers that `holds` names for the best moves of the analyses there, but those that are here already; at most so
/// many. Trees that go by tables or know games are left out.
///
/// # Errors
///
/// [`StoreError`] where one of the databases fails.
pub fn deciding_answers(
    store: &Store,
    incoming: &Incoming,
    most: usize,
    control: &ControlReceiver,
) -> Result<Vec<AnswerDrawn>, StoreError> {
    let (disbelieved, mut all) = (store.disbelieved_names()?, Vec::new());
    let mut grown = 0;
    for id in incoming.analyses()? {
        if all.len() >= most || grown >= MOST_OF_ALL || control.is_told_to_end() {
            break;
        }
        let Some((row, game)) = incoming.analysis(id)? else { continue };
        let is_plain = row.settings.tables.is_none() && row.settings.games.is_none();
        if is_plain && is_repeatable(&row.profile) {
            let (positions, answers) = deciding(store, incoming, (&row, &game), &disbelieved)?;
            grown += positions;
            all.extend(answers);
        }
    }
    all.truncate(most);
    Ok(all)
}

/// With how many positions its tree has.
fn deciding(
    store: &Store,
    incoming: &Incoming,
    (row, game): (&AnalysisRow, &Game),
    disbelieved: &HashSet<String>,
) -> Result<(u64, Vec<AnswerDrawn>), StoreError> {
    let of = incoming.profile_of_analysis(row)?;
    let (Some(profile), Some(directives)) = (of.profile.clone(), incoming.grown_with(row, game)?)
    else {
        return Ok((0, Vec::new()));
    };
    let lists = incoming.lists(&of, disbelieved);
    let (breadth, draw) = (row.settings.breadth.clone(), row.settings.draw);
    let (wishes, played) = (directives.wishes(), row.played(game));
    let selection = Selection { draw, wishes, played, ..breadth.into() };
    let growth = grown(&lists, (game, selection), row.target_depth.min(DEEPEST))?;
    let holds = stability(growth.graph(), growth.values(), growth.root());
    let leaves = holds.and_then(|holds| holds.flip).map(|flip| flip.leaves).unwrap_or_default();
    let own = store.find_profile(&profile)?;
    let mut all = Vec::new();
    for MovedLeaf { line, .. } in leaves {
        let Some((uci, before)) = line.split_last() else { continue };
        let position = after(game.root(), before);
        let list = lists.list_of(&position)?;
        let Some(rank) = list.iter().position(|listed| listed.answer.best == *uci) else {
            continue;
        };
        let is_here = match own {
            Some(own) => store.answer(own, &position, rank)?.is_some(),
            None => false,
        };
        if !is_here {
            let again = SearchedAgain::of(&position, (&list, rank), profile.limit);
            all.push(AnswerDrawn { profile: profile.clone(), again });
        }
    }
    Ok((growth.analysed(), all))
}

/// A tree as far as these lists answer.
fn grown(
    lists: &IncomingLists<'_>,
    (game, selection): (&Game, Selection),
    depth: u32,
) -> Result<Growth, StoreError> {
    let mut growth = Growth::new(game, selection);
    let mut server = FromLists { lists, depth };
    match grow_by(&mut growth, &mut server) {
        // An answer that cannot be played ends it, too: it has been looked at, so there is none.
        Ok(()) | Err(LeafError::Illegal(_)) => Ok(growth),
        Err(LeafError::Store(error)) => Err(error),
    }
}

struct FromLists<'a> {
    lists: &'a IncomingLists<'a>,
    depth: u32,
}

#[derive(Debug, thiserror::Error)]
enum LeafError {
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Server for FromLists<'_> {
    type End = ();
    type Error = LeafError;

    fn before_pass(&mut self, growth: &mut Growth) -> Result<Option<()>, LeafError> {
        let settled = growth.settled().last().is_some_and(|last| last.depth >= self.depth);
        Ok((settled || growth.analysed() > MOST_POSITIONS).then_some(()))
    }

    fn serve(
        &mut self,
        growth: &mut Growth,
        mut services: Vec<Service>,
    ) -> Result<Served<()>, LeafError> {
        for service in &mut services {
            let position = growth.position(service.node());
            let list: Vec<IncomingAnswer> = self.lists.list_of(&position)?;
            while service.wants_search() {
                let Some(listed) = list.get(service.next_rank()) else {
                    return Ok(Served::End(()));
                };
                service.answer(listed.answer.best, Value::from(listed.answer.score));
            }
        }
        Ok(Served::Answers(services))
    }
}
