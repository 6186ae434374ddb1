//! What engines tell, taken in.

use std::time::Duration;

use crossbeam_channel::{after, select};

use crate::chess::PositionKey;
use crate::engine::{EngineError, Event};
use crate::run::error::RunError;
use crate::search::Answer;
use crate::tree::Service;

use super::Pass;

/// How long running searches get to end by themselves when the run is to end.
const GRACE: Duration = Duration::from_secs(1);

/// Scenarios that an answer is worth. More add little, and twice as many take twice the time.
const THOUGHTS: u32 = 4;

impl Pass<'_, '_> {
    /// Takes an event and all that have come with it.
    pub(super) fn take(&mut self, first: Event) -> Result<(), RunError> {
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
                Event::Broken => failed = failed.and(Err(RunError::EnginesGone)),
                Event::Started { .. } => {}
            }
        }
        failed
    }

    fn answered(&mut self, ticket: u64, answer: Answer) -> Result<(), RunError> {
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
    fn failed(&mut self, ticket: u64, error: EngineError) -> Result<(), RunError> {
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

    /// Starts nothing more, and gives what is running a moment to end. A signal ends that; says whether
    /// one came.
    pub(super) fn wind_down(&mut self) -> bool {
        for ticket in self.shop.pool.withdraw() {
            self.shop.flight.land(ticket);
        }
        let timeout = after(GRACE);
        while !self.shop.flight.is_empty() {
            select! {
                recv(self.shop.pool.events()) -> event => match event {
                    // The run ends anyway: what fails now changes nothing.
                    Ok(event) => drop(self.take(event)),
                    Err(_) => return false,
                },
                recv(self.shop.shutdown.signals()) -> _ => return true,
                recv(timeout) -> _ => return false,
            }
        }
        false
    }
}
