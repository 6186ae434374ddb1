//! Serving one pass: the memo first, then engines side by side, every answer kept before it is used.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crossbeam_channel::{after, select};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::{Value, epd_of};
use crate::engine::{Answer, EngineError, Event, Pool, Search};
use crate::store::{NewAnswer, ProfileId, Store, StoreError};
use crate::tree::{Growth, Service};

use super::grow::SessionError;
use super::limits::Budget;
use super::progress::{BestLine, Observer, Progress};
use super::shutdown::Shutdown;

/// How often a run that only waits tells how it stands.
const TICK: Duration = Duration::from_millis(250);

/// How long running searches get to end by themselves when the run is to end.
const GRACE: Duration = Duration::from_secs(1);

/// How many positions are served from the memo between two looks at signals and the clock.
const BETWEEN_LOOKS: usize = 256;

/// How serving a pass ended.
#[derive(Debug)]
pub enum PassEnd {
    /// All requests are served.
    Served(Vec<Service>),
    /// A limit is reached.
    Limit,
    /// A signal came.
    Interrupted,
}

/// What a run works with, pass after pass.
pub struct Workshop<'a> {
    pub store: &'a mut Store,
    pub profile: ProfileId,
    pub pool: &'a mut Pool,
    pub budget: &'a mut Budget,
    pub shutdown: &'a Shutdown,
    pub observer: &'a mut dyn Observer,
    pub target: u32,
}

impl Workshop<'_> {
    /// Whether a signal or the clock ends the run, while no engine is at work.
    fn told_to_end(&mut self) -> Option<PassEnd> {
        if self.shutdown.signals().try_recv().is_ok() {
            self.observer.stopping("interrupted");
            return Some(PassEnd::Interrupted);
        }
        let deadline = self.budget.deadline();
        deadline.is_some_and(|at| at <= Instant::now()).then_some(PassEnd::Limit)
    }
}

/// One pass being served.
pub struct Pass<'a, 'w> {
    shop: &'a mut Workshop<'w>,
    growth: &'a Growth,
    best: Option<&'a BestLine>,
    services: Vec<Service>,
    positions: Vec<Chess>,
    /// Services that want a search and have none running; the longest begun come first.
    waiting: VecDeque<usize>,
    running: usize,
}

impl<'a, 'w> Pass<'a, 'w> {
    /// A pass with nothing served.
    pub fn new(
        shop: &'a mut Workshop<'w>,
        growth: &'a Growth,
        best: Option<&'a BestLine>,
        services: Vec<Service>,
    ) -> Pass<'a, 'w> {
        let positions = services.iter().map(|service| growth.position(service.node())).collect();
        Pass { shop, growth, best, services, positions, waiting: VecDeque::new(), running: 0 }
    }

    /// Serves all requests, or as many as limits and signals let.
    ///
    /// # Errors
    ///
    /// Where the store fails, or a position cannot be searched; all other answers are kept.
    pub fn serve(mut self) -> Result<PassEnd, SessionError> {
        // Once more than there are services: a pass without a request looks, too.
        for index in 0..=self.services.len() {
            if index % BETWEEN_LOOKS == 0
                && let Some(end) = self.shop.told_to_end()
            {
                return Ok(end);
            }
            if self.advance(index)? {
                self.waiting.push_back(index);
            }
        }
        loop {
            self.start_searches();
            self.tell();
            if self.running == 0 {
                let served = self.waiting.is_empty();
                return Ok(if served { PassEnd::Served(self.services) } else { PassEnd::Limit });
            }
            let deadline = self.shop.budget.deadline();
            let time_left =
                deadline.map_or(TICK, |at| at.saturating_duration_since(Instant::now()));
            select! {
                recv(self.shop.pool.events()) -> event => {
                    let Ok(event) = event else { return Err(SessionError::EnginesGone) };
                    if let Err(error) = self.take(event) {
                        self.wind_down()?;
                        return Err(error);
                    }
                }
                recv(self.shop.shutdown.signals()) -> _ => {
                    self.shop.observer.stopping("interrupted");
                    self.wind_down()?;
                    return Ok(PassEnd::Interrupted);
                }
                default(time_left.min(TICK)) => {}
            }
            if deadline.is_some_and(|at| at <= Instant::now()) {
                self.wind_down()?;
                return Ok(PassEnd::Limit);
            }
        }
    }

    /// Serves a position from the memo as far as that goes; says whether it wants an engine.
    fn advance(&mut self, index: usize) -> Result<bool, SessionError> {
        let (Some(service), Some(position)) =
            (self.services.get_mut(index), self.positions.get(index))
        else {
            return Ok(false);
        };
        while service.wants_search() {
            let rank = service.next_rank();
            let Some(answer) = self.shop.store.answer(self.shop.profile, position, rank)? else {
                return Ok(true);
            };
            let listed = excluded(self.growth, service).any(|uci| uci == answer.uci);
            if listed || answer.uci.to_move(position).is_err() {
                let path = self.shop.store.path().to_owned();
                let what = format!(
                    "the answer of rank {rank} in {} is {}, which {}",
                    epd_of(position),
                    answer.uci,
                    if listed { "is listed twice" } else { "is not legal" }
                );
                return Err(StoreError::Damaged { path, what }.into());
            }
            service.answer(answer.uci, Value::from(answer.score));
        }
        Ok(false)
    }

    /// Gives free engines work, as far as the limits allow.
    fn start_searches(&mut self) {
        while self.running < self.shop.pool.engines() && self.shop.budget.allows(self.running) {
            let Some(index) = self.waiting.pop_front() else {
                return;
            };
            let (Some(service), Some(position)) =
                (self.services.get(index), self.positions.get(index))
            else {
                return;
            };
            let search = Search {
                position: position.clone(),
                excluded: excluded(self.growth, service).collect(),
            };
            self.shop.pool.submit(index as u64, search);
            self.running += 1;
        }
    }

    /// Takes an event and all that have come with it: keeps the answers in one transaction, then
    /// uses them.
    fn take(&mut self, first: Event) -> Result<(), SessionError> {
        let more: Vec<Event> = self.shop.pool.events().try_iter().collect();
        let mut answered = Vec::new();
        let mut failed = Vec::new();
        for event in std::iter::once(first).chain(more) {
            match event {
                Event::Answered { ticket, answer } => answered.push((ticket, answer)),
                Event::Failed { error, .. } => failed.push(error),
                Event::Fault { error, attempt, .. } => self.shop.observer.fault(&error, attempt),
                _ => continue,
            }
        }
        self.running = self.running.saturating_sub(answered.len() + failed.len());
        self.keep(&answered)?;
        failed.pop().map_or(Ok(()), |error: EngineError| Err(error.into()))
    }

    fn keep(&mut self, answered: &[(u64, Answer)]) -> Result<(), SessionError> {
        // Engines work on while the answers are written.
        for (_, answer) in answered {
            self.shop.budget.spend(answer.nodes);
        }
        self.start_searches();
        let new: Vec<(usize, NewAnswer<'_>)> = answered
            .iter()
            .filter_map(|(ticket, answer)| {
                let index = usize::try_from(*ticket).ok()?;
                let (service, position) = (self.services.get(index)?, self.positions.get(index)?);
                Some((index, NewAnswer { position, rank: service.next_rank(), answer }))
            })
            .collect();
        let rows: Vec<NewAnswer<'_>> = new.iter().map(|(_, row)| *row).collect();
        self.shop.store.keep(self.shop.profile, &rows)?;
        let indices: Vec<usize> = new.iter().map(|(index, _)| *index).collect();
        for index in indices {
            if self.advance(index)? {
                self.waiting.push_front(index);
            }
        }
        Ok(())
    }

    /// Starts nothing more, and gives what is running a moment to end; a further signal ends it.
    fn wind_down(&mut self) -> Result<(), SessionError> {
        self.waiting.clear();
        let timeout = after(GRACE);
        while self.running > 0 {
            select! {
                recv(self.shop.pool.events()) -> event => match event {
                    Ok(event) => {
                        let taken = self.take(event);
                        self.waiting.clear();
                        if let Err(error @ SessionError::Store(_)) = taken {
                            return Err(error);
                        }
                    }
                    Err(_) => return Ok(()),
                },
                recv(self.shop.shutdown.signals()) -> _ => return Ok(()),
                recv(timeout) -> _ => return Ok(()),
            }
        }
        Ok(())
    }

    fn tell(&mut self) {
        let shop = &mut *self.shop;
        shop.observer.progress(&Progress {
            depth: self.growth.depth(),
            target: shop.target,
            pass: self.growth.passes() + 1,
            positions: self.growth.analysed(),
            admitted: self.growth.searches(),
            searches: shop.budget.searches(),
            nodes: shop.budget.nodes(),
            waiting: self.waiting.len() + self.running,
            busy: self.running,
            engines: shop.pool.engines(),
            started: shop.budget.started(),
            deadline: shop.budget.deadline(),
            best: self.best,
        });
    }
}

/// The moves that a position has listed, with this pass's answers.
fn excluded<'a>(growth: &'a Growth, service: &'a Service) -> impl Iterator<Item = UciMove> + 'a {
    let list = growth.graph().list(service.node()).iter().map(|edge| edge.uci.unpack());
    list.chain(service.answers().iter().map(|(uci, _)| *uci))
}
