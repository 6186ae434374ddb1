//! Serving one pass: what is known first, then engines side by side; engines that the pass leaves
//! free search ahead.

mod events;
mod requests;
mod searches;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crossbeam_channel::select;
use shakmaty::uci::UciMove;

use crate::chess::{PositionKey, Value, epd_of};
use crate::session::grow::SessionError;
use crate::session::progress::{BestLine, Progress};
use crate::session::workshop::Workshop;
use crate::store::StoreError;
use crate::tree::{Growth, Service, Values};

use requests::{Place, Requests};

/// How often a run that only waits tells how it stands.
const TICK: Duration = Duration::from_millis(250);

/// How serving a pass ended.
#[derive(Debug)]
pub enum PassEnd {
    /// All requests are served.
    Served(Vec<Service>),
    /// A limit is reached.
    Limit,
    /// A signal came.
    Interrupted,
    /// Another run has stored other answers than this one used: the tree is to be read again.
    Overtaken,
}

/// The tree that a pass is about, as the passes before have left it.
#[derive(Clone, Copy)]
pub struct Stand<'a> {
    pub growth: &'a Growth,
    pub values: &'a Values,
    pub best: Option<&'a BestLine>,
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
    stand: Stand<'a>,
    requests: Requests,
    /// Services that want a search and have none running; the longest begun come first.
    waiting: VecDeque<Place>,
    /// Services that are not done.
    open: usize,
    /// Scenarios that are worth thinking out before something new is known.
    thoughts: u32,
}

impl<'a, 'w> Pass<'a, 'w> {
    /// A pass, served as far as answers are known; the first searches it needs have begun.
    ///
    /// # Errors
    ///
    /// Where the store fails.
    pub fn begin(
        shop: &'a mut Workshop<'w>,
        stand: Stand<'a>,
        services: Vec<Service>,
    ) -> Result<Pass<'a, 'w>, SessionError> {
        let requests = Requests::new(stand.growth, services);
        let (open, waiting) = (requests.len(), VecDeque::new());
        let mut pass = Pass { shop, stand, requests, waiting, open, thoughts: 1 };
        for place in pass.requests.places() {
            pass.advance(place)?;
        }
        pass.start_required()?;
        Ok(pass)
    }

    /// Writes the answers of the pass before this one: they are durable before this one takes any in.
    ///
    /// # Errors
    ///
    /// Where the store fails.
    pub fn save_answers(&mut self) -> Result<bool, SessionError> {
        Ok(self.shop.save_answers()?)
    }

    /// Writes the depth that the pass before this one has settled, and tells of it.
    ///
    /// # Errors
    ///
    /// Where the store fails.
    pub fn save_settled(&mut self) -> Result<bool, SessionError> {
        let Stand { growth, values, best } = self.stand;
        if !self.shop.save(growth, values)? {
            return Ok(false);
        }
        if let Some(settled) = growth.settled().last() {
            let elapsed = self.shop.budget.started().elapsed();
            self.shop.observer.settled(settled, best, elapsed);
        }
        Ok(true)
    }

    /// Serves all requests, or as many as limits and signals let.
    ///
    /// # Errors
    ///
    /// Where the store fails, or a position cannot be searched; all other answers are kept.
    pub fn serve(mut self) -> Result<PassEnd, SessionError> {
        // A pass that the memo serves alone waits for nothing, so nothing else would look.
        if let Some(end) = self.shop.told_to_end() {
            return Ok(if self.wind_down() { PassEnd::Interrupted } else { end });
        }
        self.tell();
        loop {
            self.start_required()?;
            if self.open == 0 {
                return Ok(PassEnd::Served(self.requests.into_services()));
            }
            self.start_ahead();
            self.tell();
            if self.shop.flight.is_empty() {
                return Ok(PassEnd::Limit);
            }
            if !self.shop.save_if_due(self.stand.growth, self.stand.values)? {
                return Ok(PassEnd::Overtaken);
            }
            if self.think() {
                continue;
            }
            if let Some(end) = self.wait()? {
                return Ok(end);
            }
        }
    }

    /// Waits for something to happen, and takes it in; says whether it ends the run.
    fn wait(&mut self) -> Result<Option<PassEnd>, SessionError> {
        let deadline = self.shop.budget.deadline();
        let until = [deadline, self.shop.known.due()].into_iter().flatten().min();
        let timeout = until.map_or(TICK, |at| at.saturating_duration_since(Instant::now()));
        select! {
            recv(self.shop.pool.events()) -> event => {
                let Ok(event) = event else { return Err(SessionError::EnginesGone) };
                if let Err(error) = self.take(event) {
                    self.wind_down();
                    return Err(error);
                }
            }
            recv(self.shop.shutdown.signals()) -> _ => {
                self.shop.observer.stopping("interrupted");
                self.wind_down();
                return Ok(Some(PassEnd::Interrupted));
            }
            default(timeout.min(TICK)) => {}
        }
        if deadline.is_some_and(|at| at <= Instant::now()) {
            let signalled = self.wind_down();
            return Ok(Some(if signalled { PassEnd::Interrupted } else { PassEnd::Limit }));
        }
        Ok(None)
    }

    /// Serves a position as far as its list is known; where it wants an engine, it waits for one,
    /// or for the answer of the search that it has already.
    fn advance(&mut self, place: Place) -> Result<(), SessionError> {
        let (service, position) = self.requests.get_mut(place);
        while service.wants_search() {
            let rank = service.next_rank();
            let list = self.shop.known.list(self.shop.store, position)?;
            let Some(answer) = list.get(rank).copied() else {
                if !self.shop.flight.has(&PositionKey::of(position)) {
                    let begun = !service.answers().is_empty();
                    if begun {
                        self.waiting.push_front(place);
                    } else {
                        self.waiting.push_back(place);
                    }
                }
                return Ok(());
            };
            let listed = excluded(self.stand.growth, service).any(|uci| uci == answer.uci);
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
            if let Some(foresight) = &mut self.shop.foresight {
                foresight.asked(position, rank);
            }
        }
        self.open -= 1;
        Ok(())
    }

    fn tell(&mut self) {
        let shop = &mut *self.shop;
        let growth = self.stand.growth;
        shop.observer.progress(&Progress {
            depth: growth.depth(),
            target: shop.target,
            pass: growth.passes() + 1,
            positions: growth.analysed(),
            admitted: growth.searches(),
            searches: shop.budget.searches(),
            nodes: shop.budget.nodes(),
            waiting: self.open,
            busy: shop.flight.len(),
            engines: shop.pool.up(),
            started: shop.budget.started(),
            deadline: shop.budget.deadline(),
            best: self.stand.best,
        });
    }
}

/// The moves that a position has listed, with this pass's answers.
fn excluded<'a>(growth: &'a Growth, service: &'a Service) -> impl Iterator<Item = UciMove> + 'a {
    let list = growth.graph().list(service.node()).iter().map(|edge| edge.uci.unpack());
    list.chain(service.answers().iter().map(|(uci, _)| *uci))
}
