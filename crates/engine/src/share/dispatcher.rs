//! State shared by the runs and the thread that drives their engines.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Instant, SystemTime};

use crossbeam_channel::{Receiver, bounded, unbounded};

use crate::engines::{Event, LongEnd};
use deepanalyze_core::search::WorkerId;

use super::fair_queue::{FairQueue, Member};
use super::handle::{RunClient, RunWait};
use super::{EngineSearch, EngineState, EngineStates, Orphan, RunKey, SharedQuestion, Unclaimed};

/// A search in the queue or under way.
#[derive(Debug)]
struct SharedSearch {
    question: SharedQuestion,
    key: RunKey,
    /// The run and its ticket; `None` if the run is gone.
    owner: Option<(Member, u64)>,
    /// The engine's number, and the start of its search; `None` if still in the queue.
    engine: Option<(usize, SystemTime)>,
}

impl SharedSearch {
    /// True if its run is gone.
    fn is_left(&self) -> bool {
        self.owner.is_none()
    }
}

/// The runs' searches and the engines' states.
#[derive(Debug)]
pub(super) struct Dispatcher {
    shares: FairQueue,
    clients: BTreeMap<Member, RunClient>,
    /// By the dispatcher's own tickets: runs may choose the same.
    asked: HashMap<u64, SharedSearch>,
    tickets: u64,
    numbers: EngineNumbers,
    /// Guesses under way that have become required, not yet passed to the engines.
    required: Vec<u64>,
    /// Searches under way that their run has cancelled, or long ones whose run has left.
    unwanted: Vec<u64>,
    /// Engines that can make long searches, and those that one can have the threads of.
    long_searches: usize,
    threads: usize,
    /// Workers newly found wrong by runs, and why.
    quarantined: Vec<(WorkerId, String)>,
    states: EngineStates,
    /// A thread of the engines has ended by itself.
    is_broken: bool,
    /// True if a departed run's searches are abandoned when another run waits.
    abandons: bool,
    /// The time, if it is virtual.
    pub(super) virtual_now: Instant,
}

/// A run's end of its client.
#[derive(Debug)]
pub(super) struct Joined {
    pub(super) member: Member,
    pub(super) events: Receiver<Event>,
    pub(super) nudge: Receiver<()>,
}

impl Dispatcher {
    pub(super) fn new(engines: usize, now: Instant) -> Dispatcher {
        let mut dispatcher = Dispatcher {
            shares: FairQueue::default(),
            clients: BTreeMap::new(),
            asked: HashMap::new(),
            tickets: 0,
            numbers: EngineNumbers::default(),
            required: Vec::new(),
            unwanted: Vec::new(),
            long_searches: 0,
            threads: 1,
            quarantined: Vec::new(),
            states: EngineStates::default(),
            is_broken: false,
            abandons: false,
            virtual_now: now,
        };
        dispatcher.set_engines(engines);
        dispatcher
    }

    pub(super) fn set_engines(&mut self, engines: usize) {
        self.states.up = engines;
        self.shares.set_engines(engines);
    }

    pub(super) fn set_long_searches(&mut self, engines: usize, threads: usize) {
        (self.long_searches, self.threads) = (engines, threads);
    }

    /// Number of engines that one long search can have the threads of; 1 if several runs share
    /// them, as the engines that rest would be given to others.
    pub(super) fn threads(&self) -> usize {
        if self.clients.len() == 1 { self.threads } else { 1 }
    }

    /// Number of a run's share of the engines that can make a long search.
    pub(super) fn long_searches(&self, member: Member) -> usize {
        self.shares.share(member).min(self.long_searches)
    }

    pub(super) fn join(&mut self, key: RunKey, weight: u32) -> Joined {
        let member = self.shares.join(weight);
        let (sender, events) = unbounded();
        let (nudger, nudge) = bounded(1);
        let mut client = RunClient { key, events: sender, nudge: nudger, waits: None };
        if self.is_broken {
            client.send(Event::Broken);
        }
        self.clients.insert(member, client);
        Joined { member, events, nudge }
    }

    /// A run leaves: its queued searches are forgotten, those under way go on.
    pub(super) fn leave(&mut self, member: Member) {
        for ticket in self.shares.leave(member) {
            self.asked.remove(&ticket);
        }
        for asked in self.asked.values_mut() {
            asked.owner = asked.owner.filter(|(owner, _)| *owner != member);
        }
        let long =
            self.asked.iter().filter(|(_, asked)| asked.is_left() && asked.question.long.is_some());
        self.unwanted.extend(long.map(|(ticket, _)| *ticket));
        self.clients.remove(&member);
    }

    pub(super) fn set_weight(&mut self, key: RunKey, weight: u32) {
        for (member, _) in self.clients.iter().filter(|(_, client)| client.key == key) {
            self.shares.set_weight(*member, weight);
        }
    }

    /// Queues a search, or adopts the same one that a departed run has under way.
    pub(super) fn submit(
        &mut self,
        member: Member,
        ticket: u64,
        question: SharedQuestion,
        now: Instant,
    ) {
        let Some(key) = self.clients.get(&member).map(|client| client.key) else {
            return;
        };
        let left = self
            .asked
            .iter_mut()
            .find(|(_, asked)| asked.is_left() && asked.question.is_same(&question));
        if let Some((under_way, asked)) = left {
            (asked.key, asked.owner) = (key, Some((member, ticket)));
            let was_guess = std::mem::replace(&mut asked.question.is_guess, question.is_guess);
            if was_guess && !question.is_guess {
                self.required.push(*under_way);
            }
            return self.shares.adopt(member, *under_way);
        }
        self.tickets += 1;
        let is_long = question.long.is_some();
        let asked = SharedSearch { question, key, owner: Some((member, ticket)), engine: None };
        self.asked.insert(self.tickets, asked);
        if is_long {
            self.shares.queue_long(member, self.tickets, now)
        } else {
            self.shares.queue(member, self.tickets, now)
        }
    }

    /// Cancels a run's search.
    pub(super) fn abandon(&mut self, member: Member, ticket: u64) {
        let mut asked = self.asked.iter();
        let Some(own) = asked.find(|(_, asked)| asked.owner == Some((member, ticket))) else {
            return;
        };
        let own = *own.0;
        if self.shares.withdraw_one(member, own) {
            drop(self.asked.remove(&own))
        } else {
            self.unwanted.push(own)
        }
    }

    /// Makes a guess a normal search.
    pub(super) fn require(&mut self, member: Member, ticket: u64) {
        let owned = self.asked.iter_mut().find(|(_, asked)| asked.owner == Some((member, ticket)));
        if let Some((own, asked)) = owned
            && std::mem::replace(&mut asked.question.is_guess, false)
            && asked.engine.is_some()
        {
            self.required.push(*own);
        }
    }

    /// Takes the guesses under way that have become required.
    pub(super) fn required(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.required)
    }

    /// Notes that a run has found a worker wrong.
    pub(super) fn quarantine(&mut self, worker: &WorkerId, why: &str) {
        self.quarantined.push((worker.clone(), why.to_owned()));
    }

    /// Takes the workers that runs have found wrong.
    pub(super) fn quarantined(&mut self) -> Vec<(WorkerId, String)> {
        std::mem::take(&mut self.quarantined)
    }

    /// Removes a run's queued searches; returns its tickets.
    pub(super) fn withdraw(&mut self, member: Member) -> Vec<u64> {
        let tickets = self.shares.withdraw(member).into_iter();
        let asked = tickets.filter_map(|ticket| self.asked.remove(&ticket));
        asked.filter_map(|asked| asked.owner).map(|(_, ticket)| ticket).collect()
    }

    pub(super) fn up(&mut self, member: Member) -> usize {
        self.shares.up(member)
    }

    /// Notes that a run waits or no longer does.
    pub(super) fn set_waits(&mut self, member: Member, waits: Option<RunWait>) {
        if let Some(client) = self.clients.get_mut(&member) {
            let has_news = !client.events.is_empty() || !client.nudge.is_empty();
            client.waits = waits.filter(|_| !has_news);
        }
    }

    /// From now on, abandons departed runs' searches when others wait.
    pub(super) fn abandon_what_is_left(&mut self) {
        self.abandons = true;
    }

    /// Takes the searches to abandon: those cancelled, those that give way, and, as far as queued
    /// searches lack engines, those of departed runs, latest first.
    pub(super) fn abandoned(&mut self, now: Instant) -> Vec<u64> {
        let lacking = if self.abandons { self.shares.lacking() } else { 0 };
        let left = self.asked.iter().filter(|(_, asked)| asked.is_left());
        let mut left: Vec<u64> = left.map(|(ticket, _)| *ticket).collect();
        left.sort_unstable_by_key(|ticket| std::cmp::Reverse(*ticket));
        left.truncate(lacking);
        for ticket in self.shares.giving_way(now) {
            self.give_way(ticket);
            left.push(ticket);
        }
        left.append(&mut self.unwanted);
        left.sort_unstable();
        left.dedup();
        for ticket in &left {
            self.end(*ticket, now);
        }
        left
    }

    /// Tells a run that its long search has given way.
    fn give_way(&mut self, ticket: u64) {
        self.pass_on(ticket, |ticket| Event::GivenWay { ticket });
    }

    /// Takes the searches for engines to begin now.
    pub(super) fn begin(&mut self, now: Instant) -> Vec<(u64, SharedQuestion)> {
        let mut begun = Vec::new();
        while let Some(ticket) = self.shares.next(now) {
            if let Some(asked) = self.asked.get_mut(&ticket) {
                asked.engine = Some((self.numbers.take(), SystemTime::now()));
                begun.push((ticket, asked.question.clone()));
            }
        }
        begun
    }

    /// Wakes the runs that may now begin more searches; true if any.
    pub(super) fn feed(&mut self) -> bool {
        let fed = self.shares.fed();
        for member in &fed {
            if let Some(client) = self.clients.get_mut(member) {
                client.nudge();
            }
        }
        !fed.is_empty()
    }

    /// True if all runs wait, and only time or an engine can wake them.
    pub(super) fn all_wait(&self) -> bool {
        self.clients.values().all(RunClient::is_asleep)
    }

    /// True if no engine searches.
    pub(super) fn is_idle(&self) -> bool {
        self.shares.running() == 0
    }

    /// The next moment a run waits for.
    pub(super) fn next_moment(&self) -> Option<Instant> {
        self.clients.values().filter_map(|client| client.waits.as_ref()?.until).min()
    }

    /// Sets the time, if it is virtual: wakes the runs that are due.
    pub(super) fn has_come(&mut self, now: Instant) {
        self.virtual_now = now;
        for client in self.clients.values_mut() {
            if client.waits.as_ref().and_then(|waits| waits.until).is_some_and(|until| until <= now)
            {
                client.nudge();
            }
        }
    }

    /// Takes an engine event. Returns those of no run: the answer of a search whose run is gone, or
    /// a worker found wrong.
    pub(super) fn take(&mut self, event: Event, now: Instant) -> Option<Unclaimed> {
        match event {
            Event::Started { ticket } => {
                self.shares.begun(ticket, now);
                self.pass_on(ticket, |ticket| Event::Started { ticket });
            }
            Event::GivenWay { .. } => {}
            Event::Iteration { ticket, answer } => {
                self.pass_on(ticket, |ticket| Event::Iteration { ticket, answer });
            }
            Event::Retracted { ticket } => {
                self.pass_on(ticket, |ticket| Event::Retracted { ticket });
            }
            Event::Answered { ticket, answer, worker } => {
                self.states.searches += 1;
                self.states.nodes = self.states.nodes.saturating_add(answer.nodes);
                let SharedSearch { question, owner, .. } = self.end(ticket, now)?;
                let Some((member, ticket)) = owner else {
                    // A long search is of use only to its own run.
                    if question.long.is_some() {
                        return None;
                    }
                    let SharedQuestion { search, limit, keep_hash, .. } = question;
                    let orphan = Orphan { search, limit, keep_hash, answer, worker };
                    return Some(Unclaimed::Answer(Box::new(orphan)));
                };
                self.send(member, Event::Answered { ticket, answer, worker });
            }
            Event::Quarantined { worker, why } => {
                return Some(Unclaimed::Quarantined { worker, why });
            }
            Event::Failed { ticket, error } => {
                if let Some(SharedSearch { owner: Some((member, ticket)), .. }) =
                    self.end(ticket, now)
                {
                    self.send(member, Event::Failed { ticket, error });
                }
            }
            Event::Fault { ticket, error, attempt } => {
                self.states.faults += 1;
                self.states.tell(SystemTime::now(), error.to_string());
                if let Some(ticket) = ticket {
                    self.pass_on(ticket, |ticket| Event::Fault {
                        ticket: Some(ticket),
                        error,
                        attempt,
                    });
                }
            }
            Event::Notice(notice) => self.states.tell(SystemTime::now(), notice.to_string()),
            Event::Broken => self.break_down(),
        }
        None
    }

    /// Tells every run that no engine works any more.
    pub(super) fn break_down(&mut self) {
        self.is_broken = true;
        self.clients.values_mut().for_each(|client| client.send(Event::Broken));
    }

    /// True if no search will ever end any more.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// The engines' states.
    pub(super) fn states(&self) -> EngineStates {
        let under_way = self.asked.values().filter_map(|asked| {
            let (number, since) = asked.engine?;
            let SharedQuestion { search, limit, long, .. } = &asked.question;
            let (excluded, limit) = match long.as_ref().map(|long| long.end) {
                None => (search.excluded.len(), Some(*limit)),
                Some(LongEnd::At(limit)) => (0, Some(limit)),
                Some(LongEnd::Until(_)) => (0, None),
            };
            let position = search.position.clone();
            Some((number, EngineSearch { run: asked.key, position, excluded, limit, since }))
        });
        let mut under_way: BTreeMap<usize, EngineSearch> = under_way.collect();
        let last = under_way.keys().last().copied().unwrap_or(0).max(self.states.up);
        let engine = |number| EngineState { number, searching: under_way.remove(&number) };
        EngineStates { engines: (1..=last).map(engine).collect(), ..self.states.clone() }
    }

    /// Ends a search.
    fn end(&mut self, ticket: u64, now: Instant) -> Option<SharedSearch> {
        self.shares.ended(ticket, now);
        let asked = self.asked.remove(&ticket)?;
        if let Some((number, _)) = asked.engine {
            self.numbers.give_back(number);
        }
        Some(asked)
    }

    /// Sends to the run that asked.
    fn pass_on(&mut self, ticket: u64, event: impl FnOnce(u64) -> Event) {
        let owner = self.asked.get(&ticket).and_then(|asked| asked.owner);
        if let Some((member, ticket)) = owner {
            self.send(member, event(ticket));
        }
    }

    fn send(&mut self, member: Member, event: Event) {
        if let Some(client) = self.clients.get_mut(&member) {
            client.send(event);
        }
    }
}

/// The numbers by which people know the engines: from 1 on, the least free one first.
#[derive(Debug, Default)]
pub(super) struct EngineNumbers {
    /// Numbers taken and free again.
    free: BTreeSet<usize>,
    /// The greatest number ever taken.
    last: usize,
}

impl EngineNumbers {
    /// Takes the least that is free.
    pub(super) fn take(&mut self) -> usize {
        self.free.pop_first().unwrap_or_else(|| {
            self.last += 1;
            self.last
        })
    }

    /// Frees a number.
    pub(super) fn give_back(&mut self, number: usize) {
        self.free.insert(number);
    }
}

#[cfg(test)]
mod tests;
