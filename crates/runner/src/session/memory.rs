//! The database's answers to a question, read through a connection of its own.

use std::sync::Arc;
use std::time::Duration;

use crate::Progress;
use deepanalyze_builtin::board::Board;
use deepanalyze_builtin::{evaluation, score};
use deepanalyze_core::chess::Value;
use deepanalyze_core::search::{Limit, Profile, WinDrawLoss};
use deepanalyze_store::{ProfileId, Store, StoreError};
use deepanalyze_view::{Line, Verdict, are_computed, grouped};

use super::extended::{Extended, extended};
use super::runs::EngineRoom;
use super::verdict::{RootVerdict, VerdictOrigin, look_up};
use super::{Report, SessionQuestion, SessionSettings};

/// Pause between look-ups of a root that another program grows.
const PAUSE: Duration = Duration::from_secs(1);

/// A reader of the database.
#[derive(Debug)]
pub struct SessionMemory {
    settings: Arc<SessionSettings>,
    engines: Arc<EngineRoom>,
    store: Option<Store>,
    /// The engine, once it is there.
    profile: Option<Profile>,
    /// When to look up next; never if `None`.
    next_look: Option<Duration>,
    /// True if another program grows the root.
    is_elsewhere: bool,
    /// Known answers, of the tree or of its first passes.
    known: u64,
    searched: u64,
    /// The verdict of the look-up, by tree and closing search.
    told: Option<Verdict>,
}

impl SessionMemory {
    /// Nothing is read yet.
    pub fn new(settings: Arc<SessionSettings>, engines: Arc<EngineRoom>) -> SessionMemory {
        SessionMemory {
            settings,
            engines,
            store: None,
            profile: None,
            next_look: Some(Duration::ZERO),
            is_elsewhere: false,
            known: 0,
            searched: 0,
            told: None,
        }
    }

    /// Another program grows the root: its results are looked up at intervals.
    pub fn look_again(&mut self) {
        self.is_elsewhere = true;
        self.next_look.get_or_insert(Duration::ZERO);
    }

    /// If tables may know the root, looks up a run's results for it.
    pub fn look_once_more(&mut self, question: &SessionQuestion) {
        let tables = self.settings.tree.tables.as_ref();
        if tables.is_some_and(|used| used.tables.may_know(question.game.root())) {
            self.next_look = Some(Duration::ZERO);
        }
    }

    /// The known verdict, if a look-up is due and the engine is up.
    pub fn look_up(&mut self, question: &SessionQuestion, now: Duration) -> Option<RootVerdict> {
        self.next_look.filter(|next| *next <= now)?;
        let engines = self.engines.engines()?;
        self.next_look = self.is_elsewhere.then_some(now + PAUSE);
        self.profile = Some(engines.ok()?.profile().clone());
        let profile = self.profile.clone()?;
        let settings = Arc::clone(&self.settings);
        let known = match look_up(self.store()?, question, &profile, &settings) {
            Ok(known) => known,
            Err(error) => {
                tracing::warn!(%error, "what is known cannot be read");
                None
            }
        };
        let (verdict, answers, told) = known?;
        self.known = self.known.max(answers);
        self.told = told;
        Some(verdict)
    }

    /// The run's verdict so far, behind its closing search, or one made before it.
    pub fn of_run(&self, question: &SessionQuestion, progress: &Progress) -> Option<RootVerdict> {
        let verdict = RootVerdict::of_run(progress)?;
        Some(match &progress.told {
            Some(told) => verdict.behind(question, Some(told), 0),
            None => verdict.behind(question, self.told.as_ref(), progress.nodes),
        })
    }

    /// Takes the run's progress.
    pub fn count(&mut self, progress: &Progress) {
        self.searched = progress.searches;
        self.known = self.known.max(progress.admitted.saturating_sub(progress.searches));
    }

    /// The database's part, in words; `None` before any.
    pub fn note(&self) -> Option<String> {
        let (known, searched) = (grouped(self.known), grouped(self.searched));
        (self.known + self.searched > 0)
            .then(|| format!("{known} answers known, {searched} searched"))
    }

    /// A verdict as a report, with the nodes of the search and its time.
    pub fn report(
        &mut self,
        question: &SessionQuestion,
        verdict: &RootVerdict,
        nodes: u64,
        time: Duration,
    ) -> Report {
        let count = usize::try_from(question.lines).unwrap_or(usize::MAX);
        let profile = self.profile_of(verdict.origin);
        let lines = verdict.lines.iter().take(count);
        let extended: Vec<Extended> =
            lines.map(|line| self.extended(question, profile, line)).collect();
        let depth = depth_of(verdict.origin, extended.first().and_then(|best| best.depth));
        let seldepth = extended.iter().map(Extended::reach).max().unwrap_or(0).max(depth);
        let is_computed = self.profile.as_ref().is_some_and(are_computed);
        let line = |(line, Extended { moves, wdl, .. }): (&Line, Extended)| {
            let computed = || computed_wdl(question, line.value);
            let wdl = match verdict.origin {
                VerdictOrigin::Tables => line.wdl,
                VerdictOrigin::Tree(_) => {
                    line.wdl.or(wdl).or_else(|| computed().filter(|_| is_computed))
                }
                VerdictOrigin::Quick(_) => computed(),
            };
            Line { wdl, ..Line::new(line.root.clone(), moves, line.value) }
        };
        let lines = verdict.lines.iter().zip(extended).map(line).collect();
        Report { depth, seldepth, nodes, time, lines }
    }

    /// Profile of a verdict's answers.
    fn profile_of(&mut self, origin: VerdictOrigin) -> Option<ProfileId> {
        let VerdictOrigin::Tree(speaking) = origin else { return None };
        if self.profile.is_none() {
            self.profile = Some(self.engines.engines()?.ok()?.profile().clone());
        }
        let profile = Profile { limit: speaking.limit, ..self.profile.clone()? };
        self.store()?.find_profile(&profile).ok().flatten()
    }

    /// A line with the engine's own beyond its edge; unchanged if the database cannot be read.
    fn extended(
        &mut self,
        question: &SessionQuestion,
        profile: Option<ProfileId>,
        line: &Line,
    ) -> Extended {
        let moves = line.moves.clone();
        let bare = Extended { moves, seldepth: None, depth: None, wdl: None };
        let Some((profile, store)) = profile.zip(self.store()) else {
            return bare;
        };
        let read: Result<Extended, StoreError> =
            extended(store, profile, &question.game, &line.moves);
        read.unwrap_or_else(|error| {
            tracing::warn!(%error, "a line cannot be read on");
            bare
        })
    }

    /// The database, if it is there by now.
    fn store(&mut self) -> Option<&Store> {
        if self.store.is_none() {
            self.store = Store::open_to_read(&self.settings.database).ok();
        }
        self.store.as_ref()
    }
}

/// Wins, draws and losses for a value in games of the built-in engine.
fn computed_wdl(question: &SessionQuestion, value: Value) -> Option<WinDrawLoss> {
    let phase = evaluation::phase(&Board::new(question.game.root()));
    let [win, draw, loss] = score::permille(i32::from(value.get()), phase);
    let number = |n: i32| u16::try_from(n).ok();
    WinDrawLoss::new(number(win)?, number(draw)?, number(loss)?)
}

/// The reported depth: the engine's, and the tree's settled one.
fn depth_of(origin: VerdictOrigin, at_edge: Option<u32>) -> u32 {
    match origin {
        VerdictOrigin::Quick(depth) => depth,
        VerdictOrigin::Tables => 1,
        VerdictOrigin::Tree(speaking) => {
            let engine = match speaking.limit {
                Limit::Depth(depth) => depth,
                Limit::Nodes(_) => at_edge.unwrap_or(1),
            };
            engine + speaking.settled.unwrap_or(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Speaking;

    #[test]
    fn the_depth_is_the_engines_and_the_trees() {
        let tree = |limit, settled| VerdictOrigin::Tree(Speaking { limit, settled });
        assert_eq!(depth_of(tree(Limit::Depth(12), Some(5)), Some(14)), 17);
        assert_eq!(depth_of(tree(Limit::Depth(12), None), None), 12);
        assert_eq!(depth_of(tree(Limit::Nodes(1000), Some(3)), Some(8)), 11);
        assert_eq!(depth_of(VerdictOrigin::Quick(7), None), 7);
    }
}
