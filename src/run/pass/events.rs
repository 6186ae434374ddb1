//! Taking in what engines report.

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
const SCENARIOS_PER_ANSWER: u32 = 4;

impl Pass<'_, '_> {
    /// Takes an event and all that have come with it.
    pub(super) fn take(&mut self, first: Event) -> Result<(), RunError> {
        let more: Vec<Event> = self.run.pool.events().try_iter().collect();
        let mut failed = Ok(());
        for event in std::iter::once(first).chain(more) {
            match event {
                Event::Answered { ticket, answer } => self.answered(ticket, answer)?,
                Event::Failed { ticket, error } => failed = failed.and(self.failed(ticket, error)),
                Event::Fault { ticket, error, attempt } => {
                    let position = ticket.and_then(|ticket| self.run.under_way.position(ticket));
                    self.run.observer.fault(&error, attempt, position);
                }
                Event::Notice(notice) => self.run.observer.notice(&notice),
                Event::Broken => failed = failed.and(Err(RunError::EnginesGone)),
                Event::Started { .. } => {}
            }
        }
        failed
    }

    fn answered(&mut self, ticket: u64, answer: Answer) -> Result<(), RunError> {
        let run = &mut *self.run;
        let Some(ended) = run.under_way.finish(ticket) else {
            return Ok(());
        };
        run.budget.spend(answer.nodes, !ended.of_earlier_root);
        if let Some(look_ahead) = &mut run.look_ahead {
            look_ahead.learn(&ended.position, ended.excluded.len(), &answer);
        }
        run.lists.take(run.store, &ended.position, &ended.excluded, answer)?;
        self.scenarios = SCENARIOS_PER_ANSWER;
        match self.index_of.get(&PositionKey::of(&ended.position)) {
            Some(index) if self.is_open(*index) => self.advance(*index),
            _ => Ok(()),
        }
    }

    /// A search failed for good. It ends the run where the pass needs it.
    fn failed(&mut self, ticket: u64, error: EngineError) -> Result<(), RunError> {
        let run = &mut *self.run;
        let Some(ended) = run.under_way.finish(ticket) else {
            return Ok(());
        };
        if let Some(look_ahead) = &mut run.look_ahead {
            look_ahead.avoid(&ended.position);
        }
        match self.index_of.get(&PositionKey::of(&ended.position)) {
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
        for ticket in self.run.pool.withdraw() {
            self.run.under_way.finish(ticket);
        }
        let timeout = after(GRACE);
        while !self.run.under_way.is_empty() {
            select! {
                recv(self.run.pool.events()) -> event => match event {
                    // The run ends anyway: what fails now changes nothing.
                    Ok(event) => drop(self.take(event)),
                    Err(_) => return false,
                },
                recv(self.run.shutdown.signals()) -> _ => return true,
                recv(timeout) -> _ => return false,
            }
        }
        false
    }
}
