//! A worker: engines of this computer that search for growers elsewhere.
//!
//! It takes a job for each of its engines and some ahead, so that none waits for the broker. It
//! runs only the engine that it was started with; a message holds a position and a limit, and
//! nothing else.

mod jobs;
mod pauses;

use std::time::{Duration, Instant};

use chrono::Timelike;
use crossbeam_channel::{Receiver, at, select_biased};

use deepanalyze_engine::{Engines, Event, Pool};

use super::engine_token;
use super::link::{Connection, Link, WorkerCommand, WorkerEvent};
use super::message::{Job, JobReply, Order, Outcome, Token, WorkerState, decode, encode, plain};
use super::subjects::Lane;

use jobs::{Coming, Held, HeldJob, Question, Source};
pub use pauses::Hours;
use pauses::Pauses;

/// Interval of its signs of life.
const SIGN: Duration = Duration::from_secs(2);
/// Pause before a returned job may come again, for others to take it.
const PAUSE: Duration = Duration::from_millis(200);
/// Pause for a job that this worker already has.
const PAUSE_TWICE: Duration = Duration::from_secs(10);

/// Silence of its grower after which a long search is given up: the grower is gone.
const UNWANTED: Duration = Duration::from_secs(30);

/// A worker's settings.
#[derive(Debug, Clone)]
pub struct WorkerPlan {
    /// Its name at the broker.
    pub worker: Token,
    /// Its name for people.
    pub name: String,
    /// Its working hours; `None` means always.
    pub hours: Option<Hours>,
}

/// A worker's news for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkerNews {
    /// The connection is up or down.
    Connection(Connection),
    /// It is paused, and why; or no longer.
    Paused(Option<String>),
    /// One of its engines had a fault.
    Fault(String),
    /// The server or the connection complains.
    Trouble(String),
    /// A message was refused.
    Refused(String),
    /// Searches answered and their nodes, in total.
    Answered(u64, u64),
}

/// A worker at work.
struct Worker<'a> {
    plan: &'a WorkerPlan,
    engine: Token,
    pool: Pool,
    link: &'a Link<WorkerCommand, WorkerEvent>,
    held: Held,
    is_up: bool,
    reasons: Pauses,
    /// The last reason to rest reported.
    paused: Option<String>,
    counts: WorkCounts,
    began: Instant,
    tell: &'a mut dyn FnMut(WorkerNews),
}

/// Its counts.
#[derive(Debug, Default)]
struct WorkCounts {
    answered: u64,
    failed: u64,
    faults: u64,
    nodes: u64,
}

/// Works until woken by `leave`: searches under way are then given to others. `false` if a fault of
/// this program has ended it.
pub fn work(
    plan: &WorkerPlan,
    pool: Pool,
    link: &Link<WorkerCommand, WorkerEvent>,
    leave: &Receiver<()>,
    tell: &mut dyn FnMut(WorkerNews),
) -> bool {
    let engine = engine_token(&pool);
    let worker = Worker {
        plan,
        engine,
        pool,
        link,
        held: Held::default(),
        is_up: false,
        reasons: Pauses::default(),
        paused: None,
        counts: WorkCounts::default(),
        began: Instant::now(),
        tell,
    };
    worker.run(leave)
}

impl Worker<'_> {
    fn run(mut self, leave: &Receiver<()>) -> bool {
        let mut next_sign = Instant::now();
        loop {
            self.rest_or_not();
            self.take_and_begin();
            if Instant::now() >= next_sign {
                self.end_unwanted(UNWANTED);
                self.sign(false);
                self.tell_news();
                next_sign = Instant::now() + SIGN;
            }
            let (events, heard, sign) = (self.pool.events(), self.link.events(), at(next_sign));
            select_biased! {
                recv(leave) -> _ => {
                    self.leave();
                    return true;
                }
                recv(events) -> event => match event {
                    Ok(Event::Broken) | Err(_) => return self.ends_by("an engine's thread"),
                    Ok(event) => self.searched(event),
                },
                recv(heard) -> event => match event {
                    Ok(event) => self.hear(event),
                    Err(_) => return self.ends_by("the connection's thread"),
                },
                recv(sign) -> _ => {}
            }
        }
    }

    /// Number of jobs it takes: one per engine without a long search, and one ahead for every four
    /// of them.
    fn takes(&self) -> usize {
        match (&self.paused, self.pool.up().saturating_sub(self.held.long())) {
            (None, engines) => engines + engines.div_ceil(4),
            (Some(_), _) => 0,
        }
    }

    fn rest_or_not(&mut self) {
        let hour = u8::try_from(chrono::Local::now().hour()).unwrap_or(0);
        let paused = self.reasons.why(self.plan.hours, hour, Instant::now());
        if paused != self.paused {
            self.paused = paused;
            (self.tell)(WorkerNews::Paused(self.paused.clone()));
            if self.paused.is_some() {
                let waiting = self.held.give_back();
                waiting.iter().for_each(|held| self.give_back(held.source, PAUSE));
            }
            if self.plan.hours.is_some_and(|hours| !hours.has(hour)) {
                self.end_unwanted(Duration::ZERO);
            }
            self.sign(false);
        }
    }

    /// Asks for jobs, and starts them on free engines.
    fn take_and_begin(&mut self) {
        let takes = self.takes();
        for lane in Lane::ALL.into_iter().filter(|_| self.is_up) {
            if let Some(count) = self.held.ask(lane, takes) {
                self.link.send(WorkerCommand::Take(lane, count));
            }
        }
        while self.held.searched() < self.pool.up()
            && let Some((ticket, question)) = self.held.begin()
        {
            match question {
                Question::Short(asked) => {
                    self.pool.submit_as(ticket, asked.search, asked.limit, false);
                }
                Question::Long(long) => self.pool.submit_long(ticket, *long),
            }
        }
    }

    fn sign(&self, leaves: bool) {
        let &WorkCounts { answered, failed, faults, nodes } = &self.counts;
        let state = WorkerState {
            worker: self.plan.worker.clone(),
            name: self.plan.name.clone(),
            engine: self.engine.clone(),
            engine_name: self.pool.profile().engine.clone(),
            options: self.pool.profile().options.clone(),
            engines: if self.paused.is_some() { 0 } else { self.pool.up() },
            takes: self.takes(),
            busy: self.held.searched(),
            jobs: if leaves { Vec::new() } else { self.held.names() },
            answered,
            failed,
            faults,
            nodes,
            seconds: self.began.elapsed().as_secs(),
            rests: self.paused.clone(),
            leaves,
        };
        self.link.send(WorkerCommand::State(encode(&state)));
    }

    fn searched(&mut self, event: Event) {
        match event {
            Event::Answered { ticket, answer, .. } => {
                self.counts.answered += 1;
                self.reasons.answered();
                self.counts.nodes = self.counts.nodes.saturating_add(answer.nodes);
                self.answer(ticket, Outcome::Answered(answer));
                (self.tell)(WorkerNews::Answered(self.counts.answered, self.counts.nodes));
            }
            Event::Failed { ticket, error } => {
                self.counts.failed += 1;
                let what = plain(&error.to_string());
                self.reasons.failed(what.clone(), Instant::now());
                self.answer(ticket, Outcome::Failed(what));
            }
            Event::Fault { error, .. } => {
                self.counts.faults += 1;
                (self.tell)(WorkerNews::Fault(error.to_string()));
            }
            Event::Notice(notice) => (self.tell)(WorkerNews::Fault(notice.to_string())),
            Event::Iteration { ticket, answer } => self.held.come_to(ticket, answer),
            Event::Started { .. }
            | Event::GivenWay { .. }
            | Event::Retracted { .. }
            | Event::Quarantined { .. }
            | Event::Broken => {}
        }
    }

    fn answer(&mut self, ticket: u64, outcome: Outcome) {
        let Some(HeldJob { job, source, .. }) = self.held.end(ticket) else { return };
        let (grower, delivery) = (job.grower.clone(), source.delivery());
        let payload = self.reply(job, outcome);
        self.link.send(WorkerCommand::Answer { grower, payload, delivery });
    }

    /// Reports the progress of long searches.
    fn tell_news(&mut self) {
        for (job, answer) in self.held.news() {
            let grower = job.grower.clone();
            let payload = self.reply(job, Outcome::Iteration(answer));
            self.link.send(WorkerCommand::Tell { grower, payload });
        }
    }

    fn reply(&self, job: Job, outcome: Outcome) -> Vec<u8> {
        let Job { id, engine, asked, .. } = job;
        encode(&JobReply { id, engine, worker: self.plan.worker.clone(), asked, outcome })
    }

    /// Gives up long searches not wanted for this time.
    fn end_unwanted(&mut self, time: Duration) {
        for (ticket, held) in self.held.unwanted(time, Instant::now()) {
            self.stop(ticket, &held);
        }
    }

    fn stop(&mut self, ticket: u64, held: &HeldJob) {
        if held.is_searched {
            self.pool.abandon(ticket);
        }
    }

    /// Returns a job for others after a while, unless for this worker alone.
    fn give_back(&self, source: Source, pause: Duration) {
        if let Some(delivery) = source.delivery() {
            self.link.send(WorkerCommand::Return(delivery, pause));
        }
    }

    /// Ends by a fault of this program.
    fn ends_by(self, what: &str) -> bool {
        (self.tell)(WorkerNews::Fault(format!("{what} has ended by a fault of this program")));
        self.leave();
        false
    }

    /// Returns all, and says so: others take them up at once.
    fn leave(mut self) {
        let searched = self.held.names().len();
        tracing::debug!(searched, "leaves");
        for held in self.held.all() {
            self.give_back(held.source, PAUSE);
        }
        self.sign(true);
    }
}

/// Messages of the broker and of growers.
impl Worker<'_> {
    /// Handles a fleet event.
    fn hear(&mut self, event: WorkerEvent) {
        match event {
            WorkerEvent::Connection(connection) => {
                self.is_up = connection == Connection::Up;
                (self.tell)(WorkerNews::Connection(connection));
                // A grower that is just back is to know what is searched.
                self.sign(false);
            }
            WorkerEvent::Job(message, lane, delivery) => {
                self.come(&message, Source::Queue(lane, delivery));
            }
            WorkerEvent::Check(message) => self.come(&message, Source::Check),
            WorkerEvent::NoMore(lane, missing) => self.held.no_more(lane, missing),
            WorkerEvent::Order(message) => match decode(&message) {
                Ok(order) => self.obey(order),
                Err(error) => self.refuse(error.to_string(), None),
            },
            WorkerEvent::Refused(why, place) => self.refuse(why, place),
            WorkerEvent::Trouble(what) => (self.tell)(WorkerNews::Trouble(plain(&what))),
        }
    }

    fn come(&mut self, message: &[u8], source: Source) {
        let refused = match decode::<Job>(message) {
            Ok(job) if job.long.is_some() && source != Source::Check => {
                "a long search out of a queue".to_owned()
            }
            Ok(job) if job.long.is_some() && job.engine == self.engine => {
                return self.come_long(job);
            }
            Ok(job) if job.engine == self.engine => {
                if !self.reasons.asked(&job.grower, Instant::now())
                    && let Some((lane, delivery)) = source.place()
                {
                    self.held.no_more(lane, 1);
                    return self.link.send(WorkerCommand::Return(delivery, PAUSE));
                }
                return match self.held.come(job, source, self.takes(), Instant::now()) {
                    Coming::Held => {}
                    Coming::Twice => self.give_back(source, PAUSE_TWICE),
                    Coming::Full => self.give_back(source, PAUSE),
                    Coming::InsteadOf(guess) => self.give_back(guess.source, PAUSE),
                };
            }
            Ok(_) => "a job for another engine".to_owned(),
            Err(error) => error.to_string(),
        };
        self.refuse(refused, source.place());
    }

    /// Takes a long search if an engine is free; else it is silent, and another worker gets it.
    fn come_long(&mut self, job: Job) {
        let now = Instant::now();
        let is_free = self.paused.is_none() && self.held.long() < self.pool.up();
        if is_free && self.reasons.asked(&job.grower, now) {
            self.held.come(job, Source::Check, 0, now);
            // Jobs taken ahead would wait for its end.
            let ahead = self.held.give_back();
            ahead.iter().for_each(|held| self.give_back(held.source, PAUSE));
            self.sign(false);
        }
    }

    /// Drops an unreadable message, never to come again.
    fn refuse(&mut self, why: String, place: Option<(Lane, u64)>) {
        (self.tell)(WorkerNews::Refused(why));
        if let Some((lane, delivery)) = place {
            self.held.no_more(lane, 1);
            self.link.send(WorkerCommand::Forget(delivery));
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Cancel { grower, jobs } => {
                for (ticket, held) in self.held.cancel(&grower, &jobs) {
                    self.stop(ticket, &held);
                    if let Some(delivery) = held.source.delivery() {
                        self.link.send(WorkerCommand::Forget(delivery));
                    }
                }
            }
            Order::Want { grower, jobs } => self.held.want(&grower, &jobs, Instant::now()),
            Order::Require { grower, jobs } => self.held.require(&grower, &jobs),
            Order::Quarantine { grower, worker, why } if worker == self.plan.worker => {
                self.reasons.bar(grower, why, Instant::now());
            }
            Order::Quarantine { .. } => {}
        }
    }
}
