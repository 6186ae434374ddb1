//! Serving one pass: what is known first, then engines side by side; engines that the pass leaves
//! free search ahead.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crossbeam_channel::{after, select};
use hashbrown::HashMap;
use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::{PositionKey, Value, epd_of};
use crate::engine::{Answer, EngineError, Event, Search};
use crate::store::StoreError;
use crate::tree::{Growth, Service, Values};

use super::grow::SessionError;
use super::progress::{BestLine, Progress};
use super::workshop::Workshop;

/// How often a run that only waits tells how it stands.
const TICK: Duration = Duration::from_millis(250);

/// How long running searches get to end by themselves when the run is to end.
const GRACE: Duration = Duration::from_secs(1);

/// Scenarios that an answer is worth. More add little, and twice as many take twice the time.
const THOUGHTS: u32 = 4;

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
    services: Vec<Service>,
    positions: Vec<Chess>,
    /// Which service each position has.
    index_of: HashMap<PositionKey, usize>,
    /// Services that want a search and have none running; the longest begun come first.
    waiting: VecDeque<usize>,
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
        let growth = stand.growth;
        let positions: Vec<Chess> =
            services.iter().map(|service| growth.position(service.node())).collect();
        let index_of = positions.iter().enumerate().map(|(i, p)| (PositionKey::of(p), i)).collect();
        let (open, waiting) = (services.len(), VecDeque::new());
        let mut pass =
            Pass { shop, stand, services, positions, index_of, waiting, open, thoughts: 1 };
        for index in 0..pass.services.len() {
            pass.advance(index)?;
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
            self.wind_down();
            return Ok(end);
        }
        loop {
            self.start_required()?;
            if self.open == 0 {
                return Ok(PassEnd::Served(self.services));
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
            self.wind_down();
            return Ok(Some(PassEnd::Limit));
        }
        Ok(None)
    }

    /// Serves a position as far as its list is known; where it wants an engine, it waits for one,
    /// or for the answer of the search that it has already.
    fn advance(&mut self, index: usize) -> Result<(), SessionError> {
        let (Some(service), Some(position)) =
            (self.services.get_mut(index), self.positions.get(index))
        else {
            return Ok(());
        };
        while service.wants_search() {
            let rank = service.next_rank();
            let list = self.shop.known.list(self.shop.store, position)?;
            let Some(answer) = list.get(rank).copied() else {
                if !self.shop.flight.has(&PositionKey::of(position)) {
                    let begun = !service.answers().is_empty();
                    if begun {
                        self.waiting.push_front(index);
                    } else {
                        self.waiting.push_back(index);
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

    /// Whether an engine is free and the limits let it search.
    fn may_search(&self) -> bool {
        let running = self.shop.flight.len();
        running < self.shop.pool.up() && self.shop.budget.allows(running)
    }

    /// Gives free engines what the pass waits for.
    fn start_required(&mut self) -> Result<(), SessionError> {
        while self.may_search() {
            let Some(index) = self.waiting.pop_front() else {
                return Ok(());
            };
            let (Some(service), Some(position)) =
                (self.services.get(index), self.positions.get(index))
            else {
                return Ok(());
            };
            let rank = service.next_rank();
            self.shop.known.refresh(self.shop.store, position)?;
            if self.shop.known.list(self.shop.store, position)?.len() > rank {
                self.advance(index)?;
                continue;
            }
            let search = Search {
                position: position.clone(),
                excluded: excluded(self.stand.growth, service).collect(),
            };
            self.shop.flight.start(self.shop.pool, search);
        }
        Ok(())
    }

    /// Gives engines that the pass leaves free what later ones will probably ask.
    fn start_ahead(&mut self) {
        while self.waiting.is_empty() && self.may_search() {
            let shop = &mut *self.shop;
            let Some(foresight) = &mut shop.foresight else {
                return;
            };
            let flight = &*shop.flight;
            let Some(search) = foresight.next(shop.store, &mut shop.known, |key| flight.has(key))
            else {
                return;
            };
            shop.flight.start(shop.pool, search);
        }
    }

    /// Thinks a scenario out, where nothing else is to be done and it may show something new.
    fn think(&mut self) -> bool {
        let shop = &mut *self.shop;
        let engines = shop.pool.up();
        let Some(foresight) = &mut shop.foresight else {
            return false;
        };
        let due = self.thoughts > 0 && shop.pool.events().is_empty() && engines > 1;
        if !due || self.waiting.len() >= engines || !foresight.has_time() {
            return false;
        }
        self.thoughts -= 1;
        let growth = self.stand.growth;
        let horizon = (shop.target, 4 * engines);
        let began = Instant::now();
        foresight.think(growth, &self.services, horizon, shop.store, &mut shop.known);
        foresight.took(began.elapsed());
        true
    }

    /// Takes an event and all that have come with it.
    fn take(&mut self, first: Event) -> Result<(), SessionError> {
        let more: Vec<Event> = self.shop.pool.events().try_iter().collect();
        let mut failed = Ok(());
        for event in std::iter::once(first).chain(more) {
            match event {
                Event::Answered { ticket, answer } => self.answered(ticket, answer)?,
                Event::Failed { ticket, error } => failed = failed.and(self.failed(ticket, error)),
                Event::Fault { ticket, error, attempt } => {
                    let position = ticket.and_then(|ticket| self.shop.flight.position(ticket));
                    self.shop.observer.fault(&error, attempt, position);
                }
                Event::Notice(notice) => self.shop.observer.notice(&notice),
                Event::Broken => failed = failed.and(Err(SessionError::EnginesGone)),
                Event::Started { .. } => {}
            }
        }
        failed
    }

    fn answered(&mut self, ticket: u64, answer: Answer) -> Result<(), SessionError> {
        let shop = &mut *self.shop;
        let Some(flown) = shop.flight.land(ticket) else {
            return Ok(());
        };
        shop.budget.spend(answer.nodes, !flown.of_earlier_root);
        if let Some(foresight) = &mut shop.foresight {
            foresight.learn(&flown.position, flown.excluded.len(), &answer);
        }
        shop.known.take(shop.store, &flown.position, &flown.excluded, answer)?;
        self.thoughts = THOUGHTS;
        match self.index_of.get(&PositionKey::of(&flown.position)) {
            Some(index) if self.is_open(*index) => self.advance(*index),
            _ => Ok(()),
        }
    }

    /// A search failed for good. It ends the run where the pass needs it.
    fn failed(&mut self, ticket: u64, error: EngineError) -> Result<(), SessionError> {
        let shop = &mut *self.shop;
        let Some(flown) = shop.flight.land(ticket) else {
            return Ok(());
        };
        if let Some(foresight) = &mut shop.foresight {
            foresight.avoid(&flown.position);
        }
        match self.index_of.get(&PositionKey::of(&flown.position)) {
            Some(index) if self.is_open(*index) => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn is_open(&self, index: usize) -> bool {
        self.services.get(index).is_some_and(Service::wants_search)
    }

    /// Starts nothing more, and gives what is running a moment to end; a further signal ends it.
    fn wind_down(&mut self) {
        for ticket in self.shop.pool.withdraw() {
            self.shop.flight.land(ticket);
        }
        let timeout = after(GRACE);
        while !self.shop.flight.is_empty() {
            select! {
                recv(self.shop.pool.events()) -> event => match event {
                    // The run ends anyway: what fails now changes nothing.
                    Ok(event) => drop(self.take(event)),
                    Err(_) => return,
                },
                recv(self.shop.shutdown.signals()) -> _ => return,
                recv(timeout) -> _ => return,
            }
        }
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
