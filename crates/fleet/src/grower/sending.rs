//! Sends searches, and reports their ends.

use std::time::Instant;

use crate::link::GrowerCommand;
use crate::message::{Job, LimitedSearch, Order, Token, encode, moves_as_text};
use deepanalyze_core::chess::fen_of;
use deepanalyze_core::search::Search;
use deepanalyze_engine::{EngineError, Event, Reason};

use super::FleetEngines;
use super::jobs::{Ended, MadeBy};

impl FleetEngines {
    /// Begins waiting searches.
    pub(super) fn begin(&mut self) {
        let now = Instant::now();
        // Some searches are made here even if workers make the others.
        while self.jobs.here() + self.long.here() < self.here.up()
            && let Some(begun) = self.jobs.next_here(self.plan.searches_here)
        {
            self.here.submit(begun.ticket, begun.asked, begun.keep_hash);
        }
        self.give_up_unsearchable();
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

    /// Gives up searches that several workers failed at if this computer has no engine.
    fn give_up_unsearchable(&mut self) {
        while !self.here.is_there()
            && let Some(begun) = self.jobs.next_here(false)
        {
            self.jobs.end(begun.ticket);
            let (fen, engine) = (fen_of(&begun.asked.search.position), &self.profile.engine);
            let what =
                "several of them have failed at it, and this computer does not have the engine";
            let reason = Reason::Remote { worker: "the workers".to_owned(), what: what.to_owned() };
            let last = Box::new(EngineError::new(engine, reason));
            let reason = Reason::GaveUp { fen, attempts: begun.failures, last };
            let (ticket, error) = (begun.ticket, EngineError::new(engine, reason));
            self.events.push_back(Event::Failed { ticket, error });
        }
    }

    /// Searches that the fleet takes now.
    pub(super) fn room_away(&self, now: Instant) -> usize {
        let takes = self.is_up && self.paused_until.is_none_or(|until| until <= now);
        if takes { self.workers.takes() } else { 0 }
    }

    pub(super) fn job(&self, id: Token, asked: LimitedSearch) -> Job {
        let (grower, engine) = (self.plan.grower.clone(), self.engine.clone());
        Job { id, grower, engine, asked, long: None }
    }

    /// Position, engine and excluded moves.
    fn message_id(&self, asked: &LimitedSearch) -> Token {
        let Search { position, excluded } = &asked.search;
        let (fen, excluded) = (fen_of(position), moves_as_text(excluded));
        Token::digest([&*fen, self.engine.as_str(), &*excluded, &*asked.limit.to_string()])
    }

    /// Tells all others that have a search of its end.
    pub(super) fn ended(&mut self, ended: Ended, made_by: MadeBy) {
        if ended.here && made_by != MadeBy::Us {
            self.here.abandon(ended.ticket);
        }
        let Some(id) = ended.sent else { return };
        if made_by == MadeBy::Worker && !ended.is_sent_again {
            self.link.send(GrowerCommand::Done(id));
        } else {
            self.cancel(vec![id]);
        }
    }

    pub(super) fn cancel(&self, jobs: Vec<Token>) {
        if jobs.is_empty() {
            return;
        }
        for id in &jobs {
            self.link.send(GrowerCommand::Remove(id.clone()));
        }
        let grower = self.plan.grower.clone();
        self.link.send(GrowerCommand::Order(encode(&Order::Cancel { grower, jobs })));
    }
}
