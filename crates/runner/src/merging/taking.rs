//! Taking over what another database has, part by part, each durable before the next is begun.

use deepanalyze_core::chess::Game;
use deepanalyze_store::{
    DirectivesJoined, Incoming, Joined, LeftBehind, MergeId, RootJoined, SourceId, Store,
    StoreError, WhyLeft, WriteTicket,
};

use super::survey::ProfileSurvey;
use crate::control::ControlReceiver;

/// What has been taken over.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    /// What has become of the lists.
    pub joined: Joined,
    /// What is left behind.
    pub left: LeftBehind,
    /// Whether somebody wanted it to end before all was taken.
    pub is_interrupted: bool,
}

/// Takes over the answers of some profiles. `tell` is told how many are looked at.
///
/// # Errors
///
/// [`StoreError`] where one of the databases fails; what was taken before is kept.
pub fn take_answers(
    store: &Store,
    incoming: &Incoming,
    (merge, source, profiles): (MergeId, SourceId, &[ProfileSurvey]),
    control: &ControlReceiver,
    tell: &mut dyn FnMut(u64),
) -> Result<Taken, StoreError> {
    let (disbelieved, mut taken, mut seen) = (store.disbelieved_names()?, Taken::default(), 0);
    for of in profiles {
        let mut lists = incoming.lists(&of.incoming, &disbelieved);
        // While a part is written, the next one is read.
        let mut written: Option<WriteTicket<Joined>> = None;
        while let Some(part) = lists.next_part()? {
            taken.add(written.take())?;
            if control.is_told_to_end() {
                taken.is_interrupted = true;
                return Ok(taken);
            }
            written = Some(store.join_lists_soon((merge, source), &of.profile, part.lists));
            taken.left.join(&part.left);
            seen += part.rows;
            tell(seen);
        }
        taken.add(written)?;
    }
    Ok(taken)
}

impl Taken {
    /// Adds what comes of lists, once that is durable.
    fn add(&mut self, written: Option<WriteTicket<Joined>>) -> Result<(), StoreError> {
        if let Some(written) = written {
            let joined = written.wait()?;
            self.joined += joined;
            self.left.add(WhyLeft::Behind, joined.behind);
        }
        Ok(())
    }
}

/// What has come of analyses.
#[derive(Debug, Clone, Default)]
pub struct RootsTaken {
    /// What has come of each that is read.
    pub roots: Vec<RootJoined>,
    /// What has come of what is said of each root of which something is said.
    pub directed: Vec<(Game, DirectivesJoined)>,
    /// Analyses whose rows are not as a program writes them.
    pub damaged: u64,
    /// Analyses that know what people play: their games would have to be here.
    pub with_games: u64,
    /// Closing searches that are left behind, for nobody can repeat them.
    pub closings_left: u64,
    /// Results of tablebases that are skipped: tables that are here say them again.
    pub facts_left: u64,
    /// Answers about single moves that are skipped: rechecks have asked for them.
    pub rechecked_left: u64,
    /// Whether somebody wanted it to end before all was taken.
    pub is_interrupted: bool,
}

impl RootsTaken {
    /// How many of them are so.
    pub fn count(&self, is_so: impl Fn(&RootJoined) -> bool) -> u64 {
        self.roots.iter().filter(|root| is_so(root)).count() as u64
    }
}

/// Takes over what another database says of roots, and its analyses, without their trees.
///
/// # Errors
///
/// [`StoreError`] where one of the databases fails; what was taken before is kept.
pub fn take_roots(
    store: &mut Store,
    incoming: &Incoming,
    (source, is_trusted): (SourceId, bool),
    control: &ControlReceiver,
) -> Result<RootsTaken, StoreError> {
    let (agenda, mut taken) = (incoming.agenda()?, RootsTaken::default());
    taken.facts_left = incoming.facts()?;
    taken.rechecked_left = incoming.rechecked()?;
    if !is_trusted {
        taken.closings_left = incoming.closing_count()?;
    }
    // First, for trees are grown with them.
    for game in incoming.directed_games()? {
        if control.is_told_to_end() {
            taken.is_interrupted = true;
            return Ok(taken);
        }
        let joined = store.join_directives(incoming, (source, is_trusted), &game)?;
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
