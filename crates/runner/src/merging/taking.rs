//! Merging another database part by part, each durable before the next is begun.

use deepanalyze_core::chess::Game;
use deepanalyze_store::{
    DirectivesJoined, Incoming, Joined, LeftOutCounts, MergeId, RootJoined, SourceId, Store,
    StoreError, WhyLeft, WriteTicket,
};

use super::survey::ProfileSurvey;
use crate::control::ControlReceiver;

/// A merge of answers.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    /// The result for the lists.
    pub joined: Joined,
    /// Skipped data, by reason.
    pub left: LeftOutCounts,
    /// True if it was asked to end before all was taken.
    pub is_interrupted: bool,
}

/// Merges the answers of some profiles. `tell` gets the number looked at.
///
/// # Errors
///
/// [`StoreError`] if one of the databases fails; earlier parts are kept.
pub fn take_answers(
    store: &Store,
    incoming: &Incoming,
    (merge, source, profiles): (MergeId, SourceId, &[ProfileSurvey]),
    control: &ControlReceiver,
    tell: &mut dyn FnMut(u64),
) -> Result<Taken, StoreError> {
    let (invalidated, mut taken, mut seen) = (store.invalidated_names()?, Taken::default(), 0);
    for of in profiles {
        let mut lists = incoming.lists(&of.incoming, &invalidated);
        // The next part is read during this one's write.
        let mut written: Option<WriteTicket<Joined>> = None;
        while let Some(part) = lists.next_part()? {
            taken.add(written.take())?;
            if control.is_told_to_end() {
                taken.is_interrupted = true;
                return Ok(taken);
            }
            written = Some(store.join_lists_soon(merge, source, &of.profile, part.lists));
            taken.left.join(&part.left);
            seen += part.rows;
            tell(seen);
        }
        taken.add(written)?;
    }
    Ok(taken)
}

impl Taken {
    /// Adds the result for lists, once durable.
    fn add(&mut self, written: Option<WriteTicket<Joined>>) -> Result<(), StoreError> {
        if let Some(written) = written {
            let joined = written.wait()?;
            self.joined += joined;
            self.left.add(WhyLeft::Behind, joined.behind);
        }
        Ok(())
    }
}

/// A merge of analyses.
#[derive(Debug, Clone, Default)]
pub struct RootsTaken {
    /// The result for each one read.
    pub roots: Vec<RootJoined>,
    /// The result for each root with directives.
    pub directed: Vec<(Game, DirectivesJoined)>,
    /// Analyses with rows that no program writes.
    pub damaged: u64,
    /// Analyses that know played moves: their games would have to be here.
    pub with_games: u64,
    /// Closing searches skipped, as they cannot be repeated.
    pub closings_left: u64,
    /// Tablebase results skipped: the tables here give them again.
    pub facts_left: u64,
    /// Answers about single moves that are skipped: they belong to rechecks.
    pub rechecked_left: u64,
    /// True if it was asked to end before all was taken.
    pub is_interrupted: bool,
}

impl RootsTaken {
    /// Number that are so.
    pub fn count(&self, is_so: impl Fn(&RootJoined) -> bool) -> u64 {
        self.roots.iter().filter(|root| is_so(root)).count() as u64
    }
}

/// Merges the directives and analyses of another database, without the trees.
///
/// # Errors
///
/// [`StoreError`] if one of the databases fails; earlier parts are kept.
pub fn take_roots(
    store: &mut Store,
    incoming: &Incoming,
    source: SourceId,
    is_trusted: bool,
    control: &ControlReceiver,
) -> Result<RootsTaken, StoreError> {
    let (agenda, mut taken) = (incoming.agenda()?, RootsTaken::default());
    taken.facts_left = incoming.facts()?;
    taken.rechecked_left = incoming.rechecked()?;
    if !is_trusted {
        taken.closings_left = incoming.closing_count()?;
    }
    // First, as trees are grown with them.
    for game in incoming.directed_games()? {
        if control.is_told_to_end() {
            taken.is_interrupted = true;
            return Ok(taken);
        }
        let joined = store.join_directives(incoming, source, is_trusted, &game)?;
        taken.directed.push((game, joined));
    }
    for id in incoming.analyses()? {
        if control.is_told_to_end() {
            taken.is_interrupted = true;
            return Ok(taken);
        }
        let Some((row, game)) = incoming.analysis(id)? else {
            taken.damaged += 1;
            continue;
        };
        if row.settings.games.is_some() {
            taken.with_games += 1;
            continue;
        }
        let believed = (source, is_trusted);
        let joined = store.join_root(incoming, believed, (&row, &game), agenda.get(&id))?;
        taken.roots.push(joined);
    }
    Ok(taken)
}
