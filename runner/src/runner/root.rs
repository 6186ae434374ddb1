//! What is known of one root on the agenda.

use crate::control::Wakers;
use crate::control::limits::RunLimits;
use crate::control::{Control, ControlReceiver, RunTarget, control};
use crate::error::RunError;
use crate::feed::RunFeed;
use crate::outcome::{RunEnd, RunOutcome};
use crate::plan::Plan;
use crate::plan::Schedule;
use deepanalyze_core::chess::{Game, Tables};
use deepanalyze_core::search::{Limit, Profile};
use deepanalyze_core::tree::Breadth;
use deepanalyze_engine::SharedEngines;
use deepanalyze_report::Stages;
use deepanalyze_store::{AgendaRow, AnalysisId, AnalysisRow, Store, StoreError};

use super::entry::{EntryState, RootEntry, RunnerSettings};

/// A root on the agenda.
#[derive(Debug)]
pub(super) struct RunnerRoot {
    pub(super) id: AnalysisId,
    game: Game,
    breadth: Breadth,
    tables: Option<Tables>,
    /// The limit of its first stage.
    limit: Limit,
    pub(super) stages: bool,
    pub(super) weight: u32,
    /// The depth to settle.
    pub(super) depth: u32,
    /// Whether the user wants it to grow.
    pub(super) wants: bool,
    /// What a run has come to, and which one: done, failed, or grown elsewhere.
    concluded: Option<(u64, EntryState)>,
    runs: u64,
    feed: Option<RunFeed>,
    /// Steers its thread, where it has one.
    pub(super) control: Option<Control>,
    /// Somebody takes it away: it begins no more runs.
    pub(super) is_leaving: bool,
}

/// A run that is to be made.
#[derive(Debug)]
pub(super) struct RootJob {
    pub(super) id: AnalysisId,
    pub(super) plan: Plan,
    pub(super) control: ControlReceiver,
    pub(super) feed: RunFeed,
    pub(super) engines: SharedEngines,
}

impl RunnerRoot {
    /// A root from the analysis of its first stage; nothing where that is damaged.
    pub(super) fn of(
        row: &AnalysisRow,
        wish: &AgendaRow,
        settings: &RunnerSettings,
    ) -> Option<RunnerRoot> {
        let is_begun = row.target_depth > 0 || row.settled_depth.is_some();
        Some(RunnerRoot {
            id: row.id,
            game: row.game()?,
            breadth: row.breadth.clone(),
            tables: row.tables,
            limit: row.profile.limit,
            stages: wish.stages,
            weight: wish.weight,
            depth: if is_begun { row.target_depth } else { settings.depth },
            wants: wish.growing,
            concluded: wish.ended.clone().map(|why| (0, EntryState::Done(why))),
            runs: 0,
            feed: None,
            control: None,
            is_leaving: false,
        })
    }

    /// Whether it is the root of this game.
    pub(super) fn is_of(&self, game: &Game) -> bool {
        self.game == *game
    }

    /// The row that keeps what the user wants.
    pub(super) fn row(&self) -> AgendaRow {
        let ended = match &self.concluded {
            Some((_, EntryState::Done(why))) => Some(why.clone()),
            _ => None,
        };
        let (stages, weight, growing) = (self.stages, self.weight, self.wants);
        AgendaRow { analysis: self.id, stages, weight, growing, ended }
    }

    /// The same as others see it.
    pub(super) fn entry(&self, place: usize) -> RootEntry {
        RootEntry {
            id: self.id,
            weight: self.weight,
            place,
            stages: self.stages,
            depth: self.depth,
            state: self.state(),
            runs: self.runs,
            feed: self.feed.clone(),
            snapshot: self.feed.as_ref().and_then(RunFeed::newest),
        }
    }

    fn state(&self) -> EntryState {
        let Some((run, concluded)) = &self.concluded else {
            return if self.wants { EntryState::Growing } else { EntryState::Paused };
        };
        // Whether another process still grows it is seen once the next run gets further.
        let goes_on = || self.feed.as_ref().is_some_and(|feed| feed.newest().is_some());
        match concluded {
            EntryState::Done(_) => concluded.clone(),
            _ if !self.wants => EntryState::Paused,
            EntryState::Elsewhere(_) if *run < self.runs && goes_on() => EntryState::Growing,
            _ => concluded.clone(),
        }
    }

    /// It cannot be grown, and why.
    pub(super) fn fail(&mut self, why: String) {
        self.concluded = Some((self.runs, EntryState::Failed(why)));
    }

    /// Whatever was concluded is open again.
    pub(super) fn reopen(&mut self) {
        self.concluded = None;
    }

    /// Whether it is done, by what was found out so far.
    pub(super) fn is_done(&self) -> bool {
        matches!(self.concluded, Some((_, EntryState::Done(_))))
    }

    /// Whether its run has told nothing yet: it reads its tree.
    pub(super) fn is_reading(&self) -> bool {
        self.feed.as_ref().is_some_and(|feed| feed.newest().is_none())
    }

    /// Whether a run is to be made of it now.
    pub(super) fn wants_run(&self) -> bool {
        let may = match &self.concluded {
            None => true,
            Some((_, how)) => matches!(how, EntryState::Elsewhere(_)),
        };
        self.wants && !self.is_leaving && may
    }

    /// Begins a run.
    pub(super) fn begin(
        &mut self,
        engines: SharedEngines,
        settings: &RunnerSettings,
        wakers: &Wakers,
    ) -> RootJob {
        self.runs += 1;
        let (control, receiver) = control();
        let feed = RunFeed::default();
        feed.wakes(wakers.clone());
        (self.control, self.feed) = (Some(control), Some(feed.clone()));
        let plan = self.plan(settings);
        RootJob { id: self.id, plan, control: receiver, feed, engines }
    }

    fn plan(&self, settings: &RunnerSettings) -> Plan {
        let schedule = match self.limit {
            Limit::Depth(first) if self.stages => Schedule::Stages { first },
            limit => Schedule::Once(limit),
        };
        let (game, breadth) = (self.game.clone(), self.breadth.clone());
        Plan {
            tables: self.tables.and_then(|tables| settings.tables.as_ref()?.for_tree(tables)),
            look_ahead: settings.look_ahead,
            ..Plan::new(game, breadth, schedule, self.depth)
        }
    }

    /// Gives it another depth to settle.
    pub(super) fn redirect(&mut self, depth: u32) {
        self.depth = depth;
        if let Some(control) = &self.control {
            control.redirect(RunTarget { depth, limits: RunLimits::default() });
        }
    }

    /// Takes in what a run that began with some depth to settle has come to.
    pub(super) fn conclude(&mut self, depth: u32, result: &Result<RunOutcome, RunError>) {
        let how = match result {
            Ok(outcome) => self.came_to(depth, outcome),
            Err(error @ RunError::Store(StoreError::Growing { .. })) => {
                Some(EntryState::Elsewhere(error.to_string()))
            }
            Err(error) => Some(EntryState::Failed(error.to_string())),
        };
        self.concluded = how.map(|how| (self.runs, how));
    }

    fn came_to(&self, depth: u32, outcome: &RunOutcome) -> Option<EntryState> {
        if outcome.ending == RunEnd::Interrupted {
            return None;
        }
        // Somebody may have asked for more when the run had already come to its end.
        let is_late = self.depth > depth && outcome.settled_depth < Some(self.depth);
        match outcome.exhausted {
            Some(why) if why.is_final() => {}
            _ if is_late => return None,
            _ => {}
        }
        let complete = || format!("depth {} is complete", self.depth);
        Some(EntryState::Done(outcome.exhausted.map_or_else(complete, |why| why.to_string())))
    }
}

/// Whether two profiles are answers of one engine, whatever the limit; on a hash that is cleared.
pub(super) fn is_same_engine(one: &Profile, other: &Profile) -> bool {
    (&one.engine, &one.options, &one.kept_hash) == (&other.engine, &other.options, &other.kept_hash)
}

/// The root of an analysis: that of its first stage, and all stages.
pub(super) fn stages_of(store: &Store, row: AnalysisRow) -> Result<Vec<AnalysisRow>, StoreError> {
    Ok(Stages::of(store, row)?.rows().to_vec())
}
