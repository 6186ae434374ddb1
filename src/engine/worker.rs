//! One thread with one engine: takes searches, survives the engine's faults.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, select_biased};

use super::deadline::Watch;
use super::error::{EngineError, Reason};
use super::instance::{Failure, Instance, Order, Setup};
use super::pool::{Event, Settings};
use super::search::{Answer, Search};
use super::shared::{Job, Learned, Shared};

/// An engine that does not start so many times in a row counts as down. With the default pauses
/// that is after some six seconds: a connection may be gone for a moment.
const STARTS: u32 = 6;

/// What came of one search.
enum Outcome {
    Answered(Answer),
    /// The engine is killed, the search is tried again.
    Fault(EngineError),
    /// The same, but the engine never came to the search: no attempt of it.
    Untouched(EngineError),
    /// No attempt will help. The engine is killed all the same, it may be searching.
    Hopeless(EngineError),
    Stopped,
}

/// One thread with one engine.
pub(super) struct Worker {
    shared: Arc<Shared>,
    engine: Option<Instance>,
    /// Failures since the last answer, of starts and searches.
    failures: u32,
    /// Failed starts since the last good one.
    failed_starts: u32,
}

impl Worker {
    pub(super) fn new(shared: Arc<Shared>, engine: Option<Instance>) -> Worker {
        if engine.is_some() {
            shared.running.fetch_add(1, SeqCst);
        }
        Worker { shared, engine, failures: 0, failed_starts: 0 }
    }

    /// Works until the pool stops.
    pub(super) fn run(mut self) {
        while self.pause() {
            if self.engine.is_none() && !self.start() {
                continue;
            }
            let Some(job) = self.next_job() else { break };
            self.serve(job);
        }
        if let Some(engine) = &mut self.engine {
            engine.quit();
        }
        self.dismiss();
    }

    /// Waits before an engine that failed is started again; false when the pool stops.
    fn pause(&self) -> bool {
        let pause = match (self.failures, &self.engine) {
            (0, _) | (_, Some(_)) => Duration::ZERO,
            (n, None) => backoff(self.shared.settings.backoff, n),
        };
        self.shared.stop.recv_timeout(pause) == Err(RecvTimeoutError::Timeout)
    }

    fn next_job(&self) -> Option<Job> {
        let job = select_biased! {
            recv(self.shared.stop) -> _ => None,
            recv(self.shared.again.1) -> job => job.ok(),
            recv(self.shared.queue) -> job => job.ok(),
        };
        if job.is_some() {
            // In this order, so that waiting and busy together never miss a search.
            self.shared.busy.fetch_add(1, SeqCst);
            self.shared.waiting.fetch_sub(1, SeqCst);
        }
        job
    }

    /// Starts the engine; false where it does not start, or is another one.
    fn start(&mut self) -> bool {
        let shared = &self.shared;
        let started = Instance::start(&Setup {
            program: &shared.program,
            options: &shared.settings.options,
            patience: shared.settings.hang.startup,
            stop: &shared.stop,
        });
        let started = started.and_then(|engine| {
            if engine.name() == shared.name {
                return Ok(engine);
            }
            let other = Reason::OtherName(engine.name().to_owned());
            Err(EngineError::new(&shared.name, other))
        });
        match started {
            Ok(engine) => {
                self.started(engine);
                true
            }
            Err(error) => {
                self.not_started(error);
                false
            }
        }
    }

    fn started(&mut self, engine: Instance) {
        if self.failed_starts >= STARTS {
            self.shared.down.fetch_sub(1, SeqCst);
        }
        self.failed_starts = 0;
        self.shared.running.fetch_add(1, SeqCst);
        self.engine = Some(engine);
    }

    /// Tells of the failed start. Where no engine of the pool starts any more, what waits fails.
    fn not_started(&mut self, error: EngineError) {
        if error.reason == Reason::Stopped {
            return;
        }
        self.failures += 1;
        self.failed_starts += 1;
        if self.failed_starts == STARTS {
            self.shared.down.fetch_add(1, SeqCst);
        }
        tracing::warn!(%error, attempt = self.failed_starts, "an engine does not start");
        self.shared.tell(Event::Fault {
            ticket: None,
            error: error.clone(),
            attempt: self.failed_starts,
        });
        if self.shared.all_down() {
            self.shared.fail_all(&error);
        }
    }

    fn serve(&mut self, mut job: Job) {
        let ticket = job.ticket;
        self.shared.tell(Event::Started { ticket });
        let outcome = self.search(&mut job);
        if !matches!(outcome, Outcome::Answered(_)) {
            self.failures += 1;
            self.dismiss();
        }
        match outcome {
            Outcome::Answered(answer) => {
                self.failures = 0;
                self.done();
                self.shared.tell(Event::Answered { ticket, answer });
            }
            Outcome::Fault(error) => {
                self.shared.failed(job, error);
                self.done();
            }
            Outcome::Untouched(error) => {
                self.shared.untouched(job, error);
                self.done();
            }
            Outcome::Hopeless(error) => {
                self.done();
                self.shared.tell(Event::Failed { ticket, error });
            }
            Outcome::Stopped => self.done(),
        }
    }

    fn done(&self) {
        self.shared.busy.fetch_sub(1, SeqCst);
    }

    /// Kills the engine, if there is one.
    fn dismiss(&mut self) {
        if self.engine.take().is_some() {
            self.shared.running.fetch_sub(1, SeqCst);
        }
    }

    /// One search, and once more with `MultiPV` where `searchmoves` turns out to be ignored.
    fn search(&mut self, job: &mut Job) -> Outcome {
        let ignores = self.shared.learned().ignores_searchmoves;
        match self.attempt(job, ignores) {
            Err(Failure::Excluded(error)) => {
                if !self.gives_searchmoves_up(job) {
                    return Outcome::Fault(error);
                }
                let second = self.attempt(job, true);
                self.outcome(job, second)
            }
            first => self.outcome(job, first),
        }
    }

    /// Whether an excluded move that came back means that the engine ignores `searchmoves`: it does,
    /// if it never was seen to obey, or gives excluded moves again and again.
    fn gives_searchmoves_up(&self, job: &mut Job) -> bool {
        let mut learned = self.shared.learned();
        let again = std::mem::replace(&mut job.came_back, true);
        if learned.obeys_searchmoves && !again && !learned.ignores_searchmoves {
            return false;
        }
        if !std::mem::replace(&mut learned.ignores_searchmoves, true) {
            let engine = &self.shared.name;
            tracing::info!(engine, "searchmoves is ignored; MultiPV is used instead");
        }
        true
    }

    fn outcome(&self, job: &Job, result: Result<Answer, Failure>) -> Outcome {
        let error = match result {
            Ok(answer) => return Outcome::Answered(answer),
            Err(Failure::Idle(error)) => return Outcome::Untouched(error),
            Err(Failure::Excluded(error) | Failure::Error(error)) => error,
        };
        let mut learned = self.shared.learned();
        match &error.reason {
            Reason::Stopped => Outcome::Stopped,
            Reason::NoAlternatives(_) => Outcome::Hopeless(error),
            Reason::LimitIgnored { .. } if !learned.keeps_limit => Outcome::Hopeless(error),
            Reason::Hung { .. } => {
                // Some engines that do not know searchmoves never answer it.
                let alternatives = !job.search.excluded.is_empty();
                if alternatives && !learned.obeys_searchmoves && self.multipv() > 1 {
                    learned.ignores_searchmoves = true;
                }
                Outcome::Fault(error)
            }
            _ => Outcome::Fault(error),
        }
    }

    fn multipv(&self) -> u64 {
        self.engine.as_ref().map_or(1, Instance::multipv)
    }

    /// One `go`, the plain way or with `MultiPV`.
    fn attempt(&mut self, job: &Job, ignores_searchmoves: bool) -> Result<Answer, Failure> {
        let Some(engine) = &mut self.engine else {
            let error = EngineError::new(&self.shared.name, Reason::Stopped);
            return Err(Failure::Error(error));
        };
        let lines = match ignores_searchmoves {
            true => enough_lines(engine, &job.search)?,
            false => 1,
        };
        let order =
            Order { search: &job.search, limit: job.limit, lines, keep_hash: job.keep_hash };
        let mut watch = self.shared.watch(job, lines);
        let answer = engine.search(&order, &mut watch);
        let mut learned = self.shared.learned();
        learned.experience.answers_probes |= watch.answers_probes();
        if let Ok(answer) = &answer {
            let by_searchmoves = lines == 1 && !job.search.excluded.is_empty();
            learned.answered(answer.time, by_searchmoves);
        }
        answer
    }
}

impl Shared {
    fn watch(&self, job: &Job, lines: usize) -> Watch {
        let Learned { experience, .. } = *self.learned();
        let lines = u32::try_from(lines).unwrap_or(u32::MAX);
        let allowance = lines.saturating_mul(1 << job.failures.min(8));
        Watch::start(self.settings.hang, experience, allowance, Instant::now())
    }
}

/// One line more than there are excluded moves, so that one of them is free.
fn enough_lines(engine: &Instance, search: &Search) -> Result<usize, EngineError> {
    if search.excluded.is_empty() {
        return Ok(1);
    }
    let lines = search.excluded.len() + 1;
    let greatest = engine.multipv();
    if u64::try_from(lines).is_ok_and(|lines| lines <= greatest) {
        return Ok(lines);
    }
    let why = match greatest {
        1 => "it offers no MultiPV".to_owned(),
        _ => format!("its MultiPV ends at {greatest} where {lines} lines are needed"),
    };
    Err(engine.error(Reason::NoAlternatives(why)))
}

/// The pause doubles with each failure in a row.
fn backoff(first: Duration, failures: u32) -> Duration {
    let factor = 1_u32.checked_shl(failures.saturating_sub(1)).unwrap_or(u32::MAX);
    first.saturating_mul(factor).min(Settings::LONGEST_BACKOFF)
}
