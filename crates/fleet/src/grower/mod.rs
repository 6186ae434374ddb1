//! A grower's engines: those of this computer, and those of the fleet.
//!
//! Both stand behind the seam that every run knows ([`Engines`]): a search goes to an engine here
//! if one is free, else to the fleet while that takes more. No other module knows of the fleet.

mod engines;
mod jobs;
mod lending;
mod long;
mod periodic;
mod proving;
mod receiving;
mod sending;
mod workers;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use deepanalyze_core::search::{Answer, Limit, Profile, Search, WorkerId};
use deepanalyze_engine::{EngineError, Event, Pool, PoolNotice};

use super::engine_token;
use super::link::{GrowerCommand, GrowerEvent, Link};
use super::message::{LimitedSearch, Token};
use super::subjects::Lane;
use super::trust::{Canaries, Doubles, Judge};

use engines::LocalEngines;
use jobs::{Jobs, MadeBy};
use long::LongSearches;
use workers::Workers;

/// Interval of signs of life.
const SIGN: Duration = Duration::from_secs(2);
/// Interval of checks for lost jobs.
const LOOK: Duration = Duration::from_millis(500);
/// Pause after a refusal of the broker.
const PAUSE: Duration = Duration::from_secs(5);
/// Tickets from here on are the grower's own: its canaries and comparisons.
const OWN: u64 = 1 << 62;

/// A grower's settings.
#[derive(Debug, Clone)]
pub struct FleetPlan {
    /// The grower's name at the broker: the same after a restart, so that late answers reach it.
    pub grower: Token,
    /// Its name for people.
    pub name: String,
    /// True if the engines of this computer search, too; else one only answers for comparisons with
    /// workers.
    pub searches_here: bool,
    /// One search in this many is made by two workers; 0: none.
    pub one_in: u32,
}

/// Engines here and in a fleet.
pub struct FleetEngines {
    plan: FleetPlan,
    engine: Token,
    profile: Profile,
    here: LocalEngines,
    link: Link<GrowerCommand, GrowerEvent>,
    is_up: bool,
    /// The broker takes no jobs before that moment.
    paused_until: Option<Instant>,
    /// The last trouble reported.
    trouble: Option<String>,
    jobs: Jobs,
    workers: Workers,
    canaries: Canaries,
    doubles: Doubles,
    /// Searches made here for comparisons: their numbers, by ticket.
    comparing: BTreeMap<u64, u64>,
    long: LongSearches,
    own_tickets: u64,
    flaws: BTreeMap<Token, u32>,
    /// Workers trusted for lack of any other's answers.
    lone: BTreeSet<Token>,
    /// Answers whose comparisons go on, by comparison.
    held_back: BTreeMap<u64, receiving::HeldBack>,
    /// Answers that only an earlier run has asked for.
    early: receiving::Early,
    events: VecDeque<Event>,
    counts: AnswerCounts,
    next_look: Instant,
    next_sign: Instant,
    /// Number of engines at the last wait.
    told_up: usize,
    /// Workers with another engine already reported.
    others: BTreeSet<Token>,
    idleness: periodic::Idleness,
    /// When a queue's readers were last told to begin anew.
    renewed: Option<Instant>,
    /// True if full comparisons were reported.
    is_full_told: bool,
    /// True if the engine is deterministic.
    compares: bool,
}

/// Counts of answers.
#[derive(Debug, Default)]
struct AnswerCounts {
    answered: u64,
    refused: u64,
}

impl std::fmt::Debug for FleetEngines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FleetEngines")
            .field("here", &self.here)
            .field("jobs", &self.jobs)
            .field("workers", &self.workers)
            .finish_non_exhaustive()
    }
}

impl FleetEngines {
    /// Engines of this computer and those behind a connection.
    ///
    /// # Errors
    ///
    /// If the system has no randomness.
    pub fn new(
        plan: FleetPlan,
        pool: Pool,
        link: Link<GrowerCommand, GrowerEvent>,
    ) -> std::io::Result<FleetEngines> {
        let (profile, engine) = (pool.profile().clone(), engine_token(&pool));
        FleetEngines::of(plan, LocalEngines::new(Some(pool)), profile, engine, link)
    }

    /// Only those behind a connection: answers two workers agree on are right, and a lone one is
    /// trusted.
    ///
    /// # Errors
    ///
    /// If the system has no randomness.
    pub fn of_workers_alone(
        plan: FleetPlan,
        (profile, engine): (Profile, Token),
        link: Link<GrowerCommand, GrowerEvent>,
    ) -> std::io::Result<FleetEngines> {
        let plan = FleetPlan { searches_here: false, ..plan };
        FleetEngines::of(plan, LocalEngines::new(None), profile, engine, link)
    }

    fn of(
        plan: FleetPlan,
        here: LocalEngines,
        profile: Profile,
        engine: Token,
        link: Link<GrowerCommand, GrowerEvent>,
    ) -> std::io::Result<FleetEngines> {
        let now = Instant::now();
        let run = deepanalyze_core::secrets::random_word(4)?;
        let answers_alike = answers_alike(&profile);
        let judge = match (answers_alike, here.is_there()) {
            (false, _) => Judge::Absent,
            (true, true) => Judge::Own,
            (true, false) => Judge::Most,
        };
        let mut engines = FleetEngines {
            engine,
            long: LongSearches::new(run.clone()),
            jobs: Jobs::new(run),
            workers: Workers::default(),
            canaries: Canaries::new(profile.limit, judge),
            doubles: Doubles::new(if answers_alike { plan.one_in } else { 0 }),
            comparing: BTreeMap::new(),
            own_tickets: OWN,
            flaws: BTreeMap::new(),
            lone: BTreeSet::new(),
            held_back: BTreeMap::new(),
            early: receiving::Early::default(),
            events: VecDeque::new(),
            counts: AnswerCounts::default(),
            is_up: false,
            paused_until: None,
            trouble: None,
            next_look: now,
            next_sign: now,
            told_up: 0,
            others: BTreeSet::new(),
            idleness: periodic::Idleness::default(),
            renewed: None,
            is_full_told: false,
            compares: answers_alike,
            plan,
            profile,
            here,
            link,
        };
        // Remove what an earlier run has left in the queues.
        engines.link.send(GrowerCommand::Clear);
        if answers_alike {
            engines.search_canaries();
        } else {
            let what = "an engine of several threads answers otherwise each time: workers are \
                        not compared with it";
            engines.notice(what.to_owned(), false);
        }
        Ok(engines)
    }

    fn ask(&mut self, ticket: u64, search: Search, limit: Limit, lane: Lane, keep_hash: bool) {
        if let Some(error) = EngineError::nothing_to_search(&self.profile.engine, &search) {
            return self.events.push_back(Event::Failed { ticket, error });
        }
        let asked = LimitedSearch { search, limit };
        if !keep_hash && let Some((worker, answer)) = self.early.take(&asked) {
            return self.events.push_back(answered_by(&worker, ticket, answer));
        }
        self.jobs.submit(ticket, asked, lane, keep_hash);
        self.begin();
    }

    fn notice(&mut self, what: String, is_good: bool) {
        self.events.push_back(Event::Notice(PoolNotice::Fleet { what, is_good }));
    }

    /// Handles an event of the engines here.
    fn hear_pool(&mut self, event: Event) {
        match event {
            Event::Answered { ticket, answer, .. } if ticket >= OWN => {
                self.own_answer(ticket, &answer);
            }
            Event::Started { ticket } | Event::Fault { ticket: Some(ticket), .. }
                if ticket >= OWN => {}
            Event::Failed { ticket, error } if ticket >= OWN => self.own_failed(ticket, &error),
            Event::Answered { ticket, .. } | Event::Failed { ticket, .. }
                if self.long.end(ticket).is_some() =>
            {
                self.events.push_back(event);
            }
            Event::Answered { ticket, answer, worker } => {
                if let Some(ended) = self.jobs.answered(ticket, answer.time) {
                    self.ended(ended, MadeBy::Us);
                    self.events.push_back(Event::Answered { ticket, answer, worker });
                }
            }
            Event::Failed { ticket, error } => {
                if self.jobs.failed_here(ticket) {
                    self.jobs.end(ticket);
                    self.events.push_back(Event::Failed { ticket, error });
                }
            }
            other => self.events.push_back(other),
        }
    }

    /// Handles all events without waiting.
    fn gather(&mut self) {
        while let Ok(event) = self.here.events().try_recv() {
            self.hear_pool(event);
        }
        while let Ok(event) = self.link.events().try_recv() {
            self.hear(event);
        }
        self.look();
    }
}

/// The run's event for a worker's answer.
fn answered_by(worker: &Token, ticket: u64, answer: Answer) -> Event {
    let worker = Some(WorkerId::new(worker.as_str()));
    Event::Answered { ticket, answer, worker }
}

/// True if an engine is deterministic: with several threads it is not.
fn answers_alike(profile: &Profile) -> bool {
    let threads = profile.options.iter().find(|(name, _)| name.eq_ignore_ascii_case("threads"));
    threads.is_none_or(|(_, threads)| threads.trim() == "1")
}
