//! A grower's engines: those of this computer, and those of the fleet.
//!
//! Both stand behind the seam that every run knows ([`Engines`]): a search goes to an engine here where one is
//! free, else to the fleet as long as that takes more. Nobody else knows that there is a fleet.

mod answers;
mod engines;
mod hearing;
mod jobs;
mod proving;
mod workers;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use crate::chess::{Ending, fen_of};
use crate::engine::{EngineError, Event, Pool, PoolNotice, Reason};
use crate::search::{Limit, Profile, Search};

use super::engine_token;
use super::link::{GrowerCommand, GrowerEvent, Link};
use super::message::{Asked, GrowerState, Job, Order, Token, encode};
use super::subjects::Lane;
use super::trust::{Canaries, Doubles};

use jobs::{Ended, Jobs};
use workers::Workers;

/// How often a grower gives a sign of life.
const SIGN: Duration = Duration::from_secs(2);
/// How often it looks for what is lost.
const LOOK: Duration = Duration::from_millis(500);
/// After a refusal the broker is left alone for so long.
const PAUSE: Duration = Duration::from_secs(5);
/// Tickets from here on are the grower's own: its canaries and comparisons.
const OWN: u64 = 1 << 62;

/// How a fleet is used.
#[derive(Debug, Clone)]
pub struct FleetPlan {
    /// Who the grower is at the broker: the same after a restart, so that answers on their way reach it.
    pub grower: Token,
    /// What people call it.
    pub name: String,
    /// Whether the engines of this computer search, too; else one of them answers where workers are to be
    /// compared with it.
    pub searches_here: bool,
    /// One search in so many is given to two workers; 0 means none.
    pub one_in: u32,
}

/// Engines here and in a fleet.
pub struct FleetEngines {
    plan: FleetPlan,
    engine: Token,
    profile: Profile,
    pool: Pool,
    link: Link<GrowerCommand, GrowerEvent>,
    is_up: bool,
    /// The broker takes nothing before that moment.
    paused_until: Option<Instant>,
    /// What was told of last that is wrong.
    trouble: Option<String>,
    jobs: Jobs,
    workers: Workers,
    canaries: Canaries,
    doubles: Doubles,
    /// Own searches of this computer, by their tickets: comparisons, by their numbers.
    comparing: BTreeMap<u64, u64>,
    own_tickets: u64,
    flaws: BTreeMap<Token, u32>,
    /// Answers that nobody has asked for yet: a run before this one has.
    early: answers::Early,
    events: VecDeque<Event>,
    counts: Counts,
    next_look: Instant,
    next_sign: Instant,
    /// How many engines there were when somebody last waited.
    told_up: usize,
    /// Workers with another engine that were told of.
    others: BTreeSet<Token>,
}

/// What the fleet has done.
#[derive(Debug, Default)]
struct Counts {
    answered: u64,
    refused: u64,
}

impl std::fmt::Debug for FleetEngines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FleetEngines")
            .field("pool", &self.pool)
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
    /// Where the system has no randomness.
    pub fn new(
        plan: FleetPlan,
        pool: Pool,
        link: Link<GrowerCommand, GrowerEvent>,
    ) -> std::io::Result<FleetEngines> {
        let (now, profile) = (Instant::now(), pool.profile().clone());
        let mut engines = FleetEngines {
            engine: engine_token(&pool),
            jobs: Jobs::new(crate::secrets::random_word(4)?),
            workers: Workers::default(),
            canaries: Canaries::new(profile.limit, true),
            doubles: Doubles::new(plan.one_in),
            comparing: BTreeMap::new(),
            own_tickets: OWN,
            flaws: BTreeMap::new(),
            early: answers::Early::default(),
            events: VecDeque::new(),
            counts: Counts::default(),
            is_up: false,
            paused_until: None,
            trouble: None,
            next_look: now,
            next_sign: now,
            told_up: 0,
            others: BTreeSet::new(),
            plan,
            profile,
            pool,
            link,
        };
        // What a run before this one has left in the queues.
        engines.link.send(GrowerCommand::Clear);
        engines.search_canaries();
        Ok(engines)
    }

    fn ask(&mut self, ticket: u64, search: Search, limit: Limit, lane: Lane, keep_hash: bool) {
        if Ending::of(&search.position).is_some() || search.allowed().is_empty() {
            let reason = Reason::NothingToSearch(fen_of(&search.position));
            let error = EngineError::new(&self.profile.engine, reason);
            return self.events.push_back(Event::Failed { ticket, error });
        }
        let asked = Asked { search, limit };
        if !keep_hash && let Some(answer) = self.early.take(&asked) {
            return self.events.push_back(Event::Answered { ticket, answer });
        }
        self.jobs.submit(ticket, asked, lane, keep_hash);
        self.begin();
    }

    /// Gives free engines what waits.
    fn begin(&mut self) {
        let now = Instant::now();
        let here = if self.plan.searches_here { self.pool.up() } else { 0 };
        while self.jobs.here() < here
            && let Some(begun) = self.jobs.next_here()
        {
            let Asked { search, limit } = begun.asked;
            self.pool.submit_as(begun.ticket, search, limit, begun.keep_hash);
        }
        while self.jobs.away() < self.room_away(now)
            && let Some(sent) = self.jobs.next_away(now)
        {
            if sent.attempt > 1 {
                self.link.send(GrowerCommand::Remove(sent.id.clone()));
            }
            if let Some(ticket) = self.jobs.ticket(&sent.id).filter(|_| sent.attempt == 1) {
                self.events.push_back(Event::Started { ticket });
            }
            let message_id = format!("{}.{}", self.message_id(&sent.asked), sent.attempt);
            let message_id = format!("{message_id}.{}", sent.id);
            let job = self.job(sent.id.clone(), sent.asked);
            let (id, lane, payload) = (sent.id, sent.lane, encode(&job));
            self.link.send(GrowerCommand::Publish { id, lane, message_id, payload });
        }
    }

    /// How many searches the fleet takes now.
    fn room_away(&self, now: Instant) -> usize {
        let takes = self.is_up && self.paused_until.is_none_or(|until| until <= now);
        if takes { self.workers.takes() } else { 0 }
    }

    fn job(&self, id: Token, asked: Asked) -> Job {
        Job { id, grower: self.plan.grower.clone(), engine: self.engine.clone(), asked }
    }

    /// Position, engine and excluded moves.
    fn message_id(&self, asked: &Asked) -> Token {
        let excluded: Vec<String> = asked.search.excluded.iter().map(ToString::to_string).collect();
        let (fen, excluded) = (fen_of(&asked.search.position), excluded.join(" "));
        Token::digest([&*fen, self.engine.as_str(), &*excluded, &*asked.limit.to_string()])
    }

    /// Looks for what is lost or slow, and gives signs of life.
    fn look(&mut self) {
        let now = Instant::now();
        if now >= self.next_look {
            self.next_look = now + LOOK;
            for (worker, name) in self.workers.forget_silent(now) {
                self.canaries.forget(&worker);
                self.notice(format!("worker {name:?} is gone"), true);
            }
            for (id, _) in self.jobs.look(now) {
                self.link.send(GrowerCommand::Remove(id));
            }
            for worker in self.workers.due_to_be_asked(now) {
                self.prove(&worker);
            }
        }
        if now >= self.next_sign {
            self.next_sign = now + SIGN;
            self.link.send(GrowerCommand::State(encode(&self.state())));
        }
        self.begin();
    }

    fn state(&self) -> GrowerState {
        GrowerState {
            grower: self.plan.grower.clone(),
            name: self.plan.name.clone(),
            engine: self.engine.clone(),
            engine_name: self.profile.engine.clone(),
            waiting: self.jobs.waiting(),
            away: self.jobs.away(),
            answered: self.counts.answered,
            sent_again: self.jobs.sent_again(),
            refused: self.counts.refused,
            doubled: self.doubles.begun(),
            quarantined: self.workers.quarantined(),
        }
    }

    fn notice(&mut self, what: String, is_good: bool) {
        self.events.push_back(Event::Notice(PoolNotice::Fleet { what, is_good }));
    }

    /// A search has ended: whoever else has it is told.
    fn ended(&mut self, ended: Ended, is_answered_there: bool) {
        if ended.here && is_answered_there {
            self.pool.abandon(ended.ticket);
        }
        let Some(id) = ended.sent else { return };
        if is_answered_there && !ended.is_sent_again {
            self.link.send(GrowerCommand::Done(id));
        } else {
            self.cancel(vec![id]);
        }
    }

    fn cancel(&self, jobs: Vec<Token>) {
        for id in &jobs {
            self.link.send(GrowerCommand::Remove(id.clone()));
        }
        let grower = self.plan.grower.clone();
        self.link.send(GrowerCommand::Order(encode(&Order::Cancel { grower, jobs })));
    }

    /// Takes what the engines of this computer tell.
    fn hear_pool(&mut self, event: Event) {
        match event {
            Event::Answered { ticket, answer } if ticket >= OWN => self.own_answer(ticket, &answer),
            Event::Started { ticket } | Event::Fault { ticket: Some(ticket), .. }
                if ticket >= OWN => {}
            Event::Failed { ticket, error } if ticket >= OWN => self.own_failed(ticket, &error),
            Event::Answered { ticket, answer } => {
                if let Some(ended) = self.jobs.answered(ticket, answer.time) {
                    self.ended(ended, false);
                    self.events.push_back(Event::Answered { ticket, answer });
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

    /// Takes all that has happened, without waiting.
    fn gather(&mut self) {
        while let Ok(event) = self.pool.events().try_recv() {
            self.hear_pool(event);
        }
        while let Ok(event) = self.link.events().try_recv() {
            self.hear(event);
        }
        self.look();
    }
}
