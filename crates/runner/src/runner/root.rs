//! A root on the agenda: what is known of it, and how others see it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::closing::{ClosingLimit, ClosingPlan};
use crate::control::limits::RunLimits;
use crate::control::{Control, ControlReceiver, RunTarget, Wakers, control};
use crate::error::RunError;
use crate::facts::{GamesUse, TableUse};
use crate::feed::RunFeed;
use crate::feed::event::Snapshot;
use crate::job::{Job, Schedule, TreePlan};
use crate::outcome::{RunEnd, RunOutcome};
use deepanalyze_core::chess::Game;
use deepanalyze_core::search::Limit;
use deepanalyze_engine::SharedEngines;
use deepanalyze_store::{
    AgendaRow, AnalysisId, AnalysisRow, GrowsUntil, Store, StoreError, TreeSettings, now,
};
use deepanalyze_view::{Percent, Stages};

/// How roots are grown of which nobody says otherwise.
#[derive(Debug, Clone)]
pub struct RunnerSettings {
    /// The depth to settle.
    pub depth: u32,
    /// Whether engines that would be idle search what will probably be asked.
    pub look_ahead: bool,
    /// The tablebases: new trees go by them, kept ones as they did.
    pub tables: Option<TableUse>,
    /// The games that trees can know; each tree follows them by its own rules.
    pub games: Option<GamesUse>,
}

/// What became of a root that was put on the agenda.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Added {
    /// Its number: that of the analysis of its first stage.
    pub id: AnalysisId,
    /// Whether it was made: the database did not have it before, on the agenda or not.
    pub is_new: bool,
    /// Where it has begun with a copy of the directives of a shorter game: how many, and by how many plies
    /// that game is shorter.
    pub copied: Option<(usize, usize)>,
}

/// A root on the agenda.
#[derive(Debug, Clone)]
pub struct RootEntry {
    /// Its number: that of the analysis of its first stage.
    pub id: AnalysisId,
    /// Its share of the engines' time beside the others'.
    pub weight: u32,
    /// Its place on the agenda, from 0.
    pub place: usize,
    /// Whether the engines search deeper from stage to stage; otherwise this one analysis is grown.
    pub stages: bool,
    /// The depth to settle.
    pub depth: u32,
    /// Until when it is to grow.
    pub until: GrowsUntil,
    /// What is being done about it.
    pub state: EntryState,
    /// How many runs of it this process has begun. Each has a feed of its own.
    pub runs: u64,
    /// What the last of them tells; none before the first.
    pub feed: Option<RunFeed>,
    /// The newest snapshot of that run.
    pub snapshot: Option<Arc<Snapshot>>,
}

/// What is being done about a root on the agenda.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryState {
    /// It grows, or does so as soon as an engine is free.
    Growing,
    /// It rests because somebody wants it to. Searches that were under way are kept when they are answered.
    Paused,
    /// It was grown as far as it goes, and why it goes no further.
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
    /// What the user wants of it, as it is kept, and its number.
    pub(super) wish: AgendaRow,
    game: Game,
    settings: TreeSettings,
    /// The limit of its first stage.
    limit: Limit,
    /// The depth to settle.
    pub(super) depth: u32,
    /// What a run has come to, and which one: done, failed, or grown elsewhere.
    concluded: Option<(u64, EntryState)>,
    runs: u64,
    /// When the last of them began.
    began: Instant,
    /// What somebody wants now; its run makes nothing else.
    pub(super) wanted: Option<AtOnce>,
    /// The same of its run, where that makes one.
    makes: Option<AtOnce>,
    /// What its run was told last that it may spend.
    told: Option<Duration>,
    feed: Option<RunFeed>,
    /// Steers its thread, where it has one.
    pub(super) control: Option<Control>,
    /// Somebody takes it away: it begins no more runs.
    pub(super) is_leaving: bool,
}

/// What is made at once, in place of growing; then the root grows on, or rests, as before.
#[derive(Debug, Clone, Copy)]
pub(super) enum AtOnce {
    /// A closing search of the tree as it is, for so long.
    Closing(Duration),
    /// A recheck of a tree of the root.
    Recheck(RecheckAsked),
}

/// What a recheck is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecheckAsked {
    /// The analysis whose tree is checked: any stage of its root.
    pub analysis: AnalysisId,
    /// The limit of the new searches.
    pub limit: Limit,
    /// How long it may take.
    pub time: Duration,
}

/// A run that is to be made.
#[derive(Debug)]
pub(super) struct RootRun {
    pub(super) id: AnalysisId,
    pub(super) work: RootWork,
    pub(super) control: ControlReceiver,
    pub(super) feed: RunFeed,
    pub(super) engines: SharedEngines,
}

/// What a run does.
#[derive(Debug)]
pub(super) enum RootWork {
    /// Grows its tree, or makes a closing search of it.
    Grow(Box<Job>),
    /// Asks leaves of one again.
    Recheck(RecheckAsked),
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

    /// Whether it is the root of this game.
    pub(super) fn is_of(&self, game: &Game) -> bool {
        self.game == *game
    }

    /// The same as others see it.
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
        // Whether another process still grows it is seen once the next run gets further.
        let goes_on = || self.feed.as_ref().is_some_and(|feed| feed.newest().is_some());
        match concluded {
            EntryState::Done(_) => concluded.clone(),
            _ if !self.wish.growing => EntryState::Paused,
            EntryState::Elsewhere(_) if *run < self.runs && goes_on() => EntryState::Growing,
            _ => concluded.clone(),
        }
    }

    /// It cannot be grown, and why.
    pub(super) fn fail(&mut self, why: String) {
        self.set_concluded(Some(EntryState::Failed(why)));
    }

    /// Whatever was concluded is open again.
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

    /// Whether it is done, by what was found out so far.
    pub(super) fn is_done(&self) -> bool {
        self.wish.ended.is_some()
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
        !self.is_leaving && (self.wanted.is_some() || self.wish.growing && may)
    }

    /// Whether the time is over for which it was to grow, at a moment in milliseconds since 1970.
    pub(super) fn is_overdue(&self, now: i64) -> bool {
        self.wish.growing && self.wish.until.pause_at.is_some_and(|at| at <= now)
    }

    /// Pauses it, as it was to be at this time.
    pub(super) fn rest(&mut self) {
        self.wish.growing = false;
        self.wish.until.pause_at = None;
    }

    /// What its run may spend, counted from its beginning.
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
            closing: match schedule.has_stages() {
                true => ClosingPlan::Alternating,
                false => ClosingPlan::None,
            },
            limits: self.limits(),
            until_stable: self.wish.until.stable.and_then(Percent::new),
            look_ahead: settings.look_ahead,
            ..Job::new(self.game.clone(), tree, schedule, self.depth)
        }
    }

    /// Tells its run what it is to reach by now, and until when.
    pub(super) fn retarget(&mut self) {
        let limits = self.limits();
        if let Some(control) = self.control.as_ref().filter(|_| self.makes.is_none()) {
            control.redirect(RunTarget { depth: self.depth, limits });
            self.told = limits.time;
        }
    }

    /// Whether its run makes something that somebody has wanted at once.
    pub(super) fn is_interrupted(&self) -> bool {
        self.makes.is_some()
    }

    /// Whether a run has had the time that it was told last. Later words come too late for a run that is at its end.
    fn had_its_time(&self, outcome: &RunOutcome) -> bool {
        let is_over = |told| outcome.elapsed + AT_THE_END >= told;
        outcome.ending == RunEnd::Limit && self.told.is_some_and(is_over)
    }

    /// Takes in what a run that began with some depth to settle has come to.
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

    /// That the best move is as likely to stay as it was to be.
    fn stable_words(&self, outcome: &RunOutcome) -> String {
        let wanted = || self.wish.until.stable.and_then(Percent::new);
        let chance = outcome.stays.map(|stays| stays.chance).or_else(wanted);
        let chance = chance.map_or_else(String::new, |chance| format!(": {chance}"));
        format!("the best move is likely to stay{chance}")
    }
}

/// So long a run that has had its time waits for its last searches.
const AT_THE_END: Duration = Duration::from_secs(2);

/// A job that makes a closing search of so long, of the tree as it is.
fn closing_job(job: Job, time: Duration) -> Job {
    let limits = RunLimits { searches: Some(0), ..RunLimits::default() };
    let closing = ClosingPlan::Asked(ClosingLimit::Time(time));
    Job { closing, limits, until_stable: None, look_ahead: false, ..job }
}

/// The root of an analysis: that of its first stage, and all stages.
pub(super) fn stages_of(store: &Store, row: AnalysisRow) -> Result<Vec<AnalysisRow>, StoreError> {
    Ok(Stages::of(store, row)?.rows().to_vec())
}
