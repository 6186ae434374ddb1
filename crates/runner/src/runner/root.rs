//! A root on the agenda, and its public view.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::closing::{ClosingLimit, ClosingPlan};
use crate::control::limits::RunLimits;
use crate::control::{Control, ControlReceiver, RunTarget, Wakers, control};
use crate::facts::{GamesUse, TableUse};
use crate::feed::RunFeed;
use crate::feed::event::Snapshot;
use crate::job::{Job, Schedule, TreePlan};
use crate::outcome::{RunEnd, RunError, RunOutcome};
use deepanalyze_core::chess::Game;
use deepanalyze_core::search::Limit;
use deepanalyze_engine::SharedEngines;
use deepanalyze_store::{
    AgendaRow, AnalysisId, AnalysisRow, GrowsUntil, Store, StoreError, TreeSettings, now,
};
use deepanalyze_view::{Percent, Stages};

/// Default growth of roots.
#[derive(Debug, Clone)]
pub struct RunnerSettings {
    /// The depth to settle.
    pub depth: u32,
    /// True if engines that would be idle search what will probably be asked.
    pub look_ahead: bool,
    /// The tablebases: new trees use them, kept ones their own way.
    pub tables: Option<TableUse>,
    /// The games that trees can know; each tree follows them by its own rules.
    pub games: Option<GamesUse>,
}

/// Outcome of adding a root to the agenda.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Added {
    /// Its number: its first stage's analysis.
    pub id: AnalysisId,
    /// True if it was made: the database did not have it before, on the agenda or not.
    pub is_new: bool,
    /// If it has begun with a copy of a shorter game's directives: their number, and by how many
    /// plies that game is shorter.
    pub copied: Option<(usize, usize)>,
}

/// A root on the agenda.
#[derive(Debug, Clone)]
pub struct RootEntry {
    /// Its number: its first stage's analysis.
    pub id: AnalysisId,
    /// Its share of the engines' time beside the others'.
    pub weight: u32,
    /// Its place on the agenda, from 0.
    pub place: usize,
    /// True if the engines search deeper from stage to stage; otherwise this one analysis is grown.
    pub stages: bool,
    /// The depth to settle.
    pub depth: u32,
    /// Until when it is to grow.
    pub until: GrowsUntil,
    /// Its state.
    pub state: EntryState,
    /// Runs of it begun by this process. Each has a feed of its own.
    pub runs: u64,
    /// The feed of the last run; `None` before the first.
    pub feed: Option<RunFeed>,
    /// The newest snapshot of that run.
    pub snapshot: Option<Arc<Snapshot>>,
}

/// State of a root on the agenda.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryState {
    /// It grows, or does so as soon as an engine is free.
    Growing,
    /// Paused by the user. Searches that were under way are kept when answered.
    Paused,
    /// Grown as far as it goes, and why it goes no further.
    Done(String),
    /// It cannot be grown, and why.
    Failed(String),
    /// Another process grows it; this one goes on when that is done.
    Elsewhere(String),
}

impl EntryState {
    /// Why the root is done, has failed, or is grown elsewhere.
    pub fn message(&self) -> Option<&str> {
        match self {
            EntryState::Growing | EntryState::Paused => None,
            EntryState::Done(why) | EntryState::Failed(why) | EntryState::Elsewhere(why) => {
                Some(why)
            }
        }
    }
}

/// A root on the agenda.
#[derive(Debug)]
pub(super) struct RunnerRoot {
    /// The user's wishes for it, as kept, with its number.
    pub(super) wish: AgendaRow,
    game: Game,
    settings: TreeSettings,
    /// The limit of its first stage.
    limit: Limit,
    /// The depth to settle.
    pub(super) depth: u32,
    /// The result of a run, and its number: done, failed, or grown elsewhere.
    concluded: Option<(u64, EntryState)>,
    runs: u64,
    /// When the last of them began.
    began: Instant,
    /// The user's request now; its run does nothing else.
    pub(super) wanted: Option<AtOnce>,
    /// The request that its run handles, if any.
    makes: Option<AtOnce>,
    /// The time limit its run got last.
    told: Option<Duration>,
    feed: Option<RunFeed>,
    /// Steers its thread, if there is one.
    pub(super) control: Option<Control>,
    /// It is being removed: no more runs begin.
    pub(super) is_leaving: bool,
}

/// Work done at once instead of growing; then the root grows on, or pauses, as before.
#[derive(Debug, Clone, Copy)]
pub(super) enum AtOnce {
    /// A closing search of the tree as it is, this long.
    Closing(Duration),
    /// A recheck of a tree of the root.
    Recheck(RecheckAsked),
}

/// A requested recheck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecheckAsked {
    /// The analysis whose tree is checked: any stage of its root.
    pub analysis: AnalysisId,
    /// The limit of the new searches.
    pub limit: Limit,
    /// Its time limit.
    pub time: Duration,
}

/// A planned run.
#[derive(Debug)]
pub(super) struct RootRun {
    pub(super) id: AnalysisId,
    pub(super) work: RootWork,
    pub(super) control: ControlReceiver,
    pub(super) feed: RunFeed,
    pub(super) engines: SharedEngines,
}

/// Work of a run.
#[derive(Debug)]
pub(super) enum RootWork {
    /// Grows its tree, or makes a closing search of it.
    Grow(Box<Job>),
    /// Asks leaves of one again.
    Recheck(RecheckAsked),
}

impl RunnerRoot {
    /// A root from the analysis of its first stage; `None` if that is damaged.
    pub(super) fn of(
        row: &AnalysisRow,
        wish: &AgendaRow,
        settings: &RunnerSettings,
    ) -> Option<RunnerRoot> {
        let is_begun = row.target_depth > 0 || row.settled_depth.is_some();
        Some(RunnerRoot {
            wish: wish.clone(),
            game: row.game()?,
            settings: row.settings.clone(),
            limit: row.profile.limit,
            depth: if is_begun { row.target_depth } else { settings.depth },
            concluded: wish.ended.clone().map(|why| (0, EntryState::Done(why))),
            runs: 0,
            began: Instant::now(),
            wanted: None,
            makes: None,
            told: None,
            feed: None,
            control: None,
            is_leaving: false,
        })
    }

    /// True if it is the root of this game.
    pub(super) fn is_of(&self, game: &Game) -> bool {
        self.game == *game
    }

    /// Its public view.
    pub(super) fn entry(&self, place: usize) -> RootEntry {
        RootEntry {
            id: self.wish.analysis,
            weight: self.wish.weight,
            place,
            stages: self.wish.stages,
            depth: self.depth,
            until: self.wish.until,
            state: self.state(),
            runs: self.runs,
            feed: self.feed.clone(),
            snapshot: self.feed.as_ref().and_then(RunFeed::newest),
        }
    }

    fn state(&self) -> EntryState {
        let is_elsewhere = matches!(self.concluded, Some((_, EntryState::Elsewhere(_))));
        if self.makes.is_some() && self.control.is_some() && !is_elsewhere {
            return EntryState::Growing;
        }
        let Some((run, concluded)) = &self.concluded else {
            return if self.wish.growing { EntryState::Growing } else { EntryState::Paused };
        };
        // Growth elsewhere shows only once the next run gets further.
        let goes_on = || self.feed.as_ref().is_some_and(|feed| feed.newest().is_some());
        match concluded {
            EntryState::Done(_) => concluded.clone(),
            _ if !self.wish.growing => EntryState::Paused,
            EntryState::Elsewhere(_) if *run < self.runs && goes_on() => EntryState::Growing,
            _ => concluded.clone(),
        }
    }

    /// Marks it as failed, and why.
    pub(super) fn fail(&mut self, why: String) {
        self.set_concluded(Some(EntryState::Failed(why)));
    }

    /// Clears any conclusion.
    pub(super) fn reopen(&mut self) {
        self.set_concluded(None);
    }

    fn set_concluded(&mut self, how: Option<EntryState>) {
        self.wish.ended = match &how {
            Some(EntryState::Done(why)) => Some(why.clone()),
            _ => None,
        };
        self.concluded = how.map(|how| (self.runs, how));
    }

    /// True if known to be done.
    pub(super) fn is_done(&self) -> bool {
        self.wish.ended.is_some()
    }

    /// True if its run has sent nothing yet: it reads its tree.
    pub(super) fn is_reading(&self) -> bool {
        self.feed.as_ref().is_some_and(|feed| feed.newest().is_none())
    }

    /// True if a run of it is to begin now.
    pub(super) fn wants_run(&self) -> bool {
        let may = match &self.concluded {
            None => true,
            Some((_, how)) => matches!(how, EntryState::Elsewhere(_)),
        };
        !self.is_leaving && (self.wanted.is_some() || self.wish.growing && may)
    }

    /// True if its growing time is over at a moment in milliseconds since 1970.
    pub(super) fn is_overdue(&self, now: i64) -> bool {
        self.wish.growing && self.wish.until.pause_at.is_some_and(|at| at <= now)
    }

    /// Pauses it, its pause time reached.
    pub(super) fn rest(&mut self) {
        self.wish.growing = false;
        self.wish.until.pause_at = None;
    }

    /// The limits of its run, counted from its beginning.
    fn limits(&self) -> RunLimits {
        let left = |at: i64| Duration::from_millis(u64::try_from(at - now()).unwrap_or(0));
        let time = self.wish.until.pause_at.map(|at| self.began.elapsed() + left(at));
        RunLimits { time, ..RunLimits::default() }
    }

    /// Begins a run.
    pub(super) fn begin(
        &mut self,
        engines: SharedEngines,
        settings: &RunnerSettings,
        wakers: &Wakers,
    ) -> RootRun {
        self.runs += 1;
        self.began = Instant::now();
        let (control, receiver) = control();
        let feed = RunFeed::default();
        feed.wakes(wakers.clone());
        (self.control, self.feed) = (Some(control), Some(feed.clone()));
        self.makes = self.wanted.take();
        let job = self.job(settings);
        self.told = job.limits.time;
        let work = match self.makes {
            None => RootWork::Grow(Box::new(job)),
            Some(AtOnce::Closing(time)) => RootWork::Grow(Box::new(closing_job(job, time))),
            Some(AtOnce::Recheck(asked)) => RootWork::Recheck(asked),
        };
        RootRun { id: self.wish.analysis, work, control: receiver, feed, engines }
    }

    fn job(&self, settings: &RunnerSettings) -> Job {
        let schedule = match self.limit {
            Limit::Depth(first) if self.wish.stages => Schedule::Stages { first },
            limit => Schedule::Once(limit),
        };
        let (tables, games) = (settings.tables.as_ref(), settings.games.as_ref());
        let tree = TreePlan::of_kept(&self.settings, tables, games);
        Job {
            closing: if schedule.has_stages() {
                ClosingPlan::Alternating
            } else {
                ClosingPlan::None
            },
            limits: self.limits(),
            until_stable: self.wish.until.stable.and_then(Percent::new),
            look_ahead: settings.look_ahead,
            ..Job::new(self.game.clone(), tree, schedule, self.depth)
        }
    }

    /// Sends its run the present target and limits.
    pub(super) fn retarget(&mut self) {
        let limits = self.limits();
        if let Some(control) = self.control.as_ref().filter(|_| self.makes.is_none()) {
            control.redirect(RunTarget { depth: self.depth, limits });
            self.told = limits.time;
        }
    }

    /// True if its run handles an immediate request.
    pub(super) fn is_interrupted(&self) -> bool {
        self.makes.is_some()
    }

    /// True if a run has had its last time limit. A later one comes too late for a run at its end.
    fn had_its_time(&self, outcome: &RunOutcome) -> bool {
        let is_over = |told| outcome.elapsed + AT_THE_END >= told;
        outcome.ending == RunEnd::Limit && self.told.is_some_and(is_over)
    }

    /// Takes the result of a run begun with this depth to settle.
    pub(super) fn conclude(&mut self, depth: u32, result: &Result<RunOutcome, RunError>) {
        let is_growing = matches!(result, Err(RunError::Store(StoreError::Growing { .. })));
        if is_growing {
            // Another process has it: the closing search is made when that is done.
            self.wanted = self.wanted.or(self.makes);
        }
        let is_over = result.as_ref().is_ok_and(|outcome| self.had_its_time(outcome));
        if is_over && self.makes.is_none() {
            self.rest();
        }
        let how = match result {
            Ok(outcome) => self.came_to(depth, outcome),
            Err(error @ RunError::Store(StoreError::Growing { .. })) => {
                Some(EntryState::Elsewhere(error.to_string()))
            }
            Err(error) => Some(EntryState::Failed(error.to_string())),
        };
        self.set_concluded(how);
    }

    fn came_to(&self, depth: u32, outcome: &RunOutcome) -> Option<EntryState> {
        match outcome.ending {
            RunEnd::Settled => {}
            RunEnd::Stable => return Some(EntryState::Done(self.stable_words(outcome))),
            RunEnd::Interrupted | RunEnd::Limit => return None,
        }
        // The depth may have been raised after the run's end.
        let is_late = self.depth > depth && outcome.settled_depth < Some(self.depth);
        match outcome.exhausted {
            Some(why) if why.is_final() => {}
            _ if is_late => return None,
            _ => {}
        }
        let complete = || format!("depth {} is complete", self.depth);
        Some(EntryState::Done(outcome.exhausted.map_or_else(complete, |why| why.to_string())))
    }

    /// The reason for ending a stable root.
    fn stable_words(&self, outcome: &RunOutcome) -> String {
        let wanted = || self.wish.until.stable.and_then(Percent::new);
        let chance = outcome.stays.map(|stays| stays.chance).or_else(wanted);
        let chance = chance.map_or_else(String::new, |chance| format!(": {chance}"));
        format!("the best move is likely to stay{chance}")
    }
}

/// Time that a run at its limit waits for its last searches.
const AT_THE_END: Duration = Duration::from_secs(2);

/// A job for a closing search of this length, of the tree as it is.
fn closing_job(job: Job, time: Duration) -> Job {
    let limits = RunLimits { searches: Some(0), ..RunLimits::default() };
    let closing = ClosingPlan::Asked(ClosingLimit::Time(time));
    Job { closing, limits, until_stable: None, look_ahead: false, ..job }
}

/// All stages of an analysis's root, the first one first.
pub(super) fn stages_of(store: &Store, row: AnalysisRow) -> Result<Vec<AnalysisRow>, StoreError> {
    Ok(Stages::of(store, row)?.rows().to_vec())
}
