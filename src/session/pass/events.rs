//! What engines tell, taken in.

use std::time::Duration;

use crossbeam_channel::{after, select};

use crate::engine::{Answer, EngineError, Event};
use crate::session::grow::SessionError;

use super::{Pass, Place};

/// How long running searches get to end by themselves when the run is to end.
const GRACE: Duration = Duration::from_secs(1);

/// Scenarios that an answer is worth. More add little, and twice as many take twice the time.
const THOUGHTS: u32 = 4;

impl Pass<'_, '_> {
    /// Takes an event and all that have come with it, whatever goes wrong: a search whose end is not taken in
    /// counts as under way, and in a batch the next root would wait for it for ever. Gives the first error.
    pub(super) fn take(&mut self, first: Event) -> Result<(), SessionError> {
        let more: Vec<Event> = self.shop.pool.events().try_iter().collect();
        let mut failed = Ok(());
        for event in std::iter::once(first).chain(more) {
            match event {
                Event::Answered { ticket, answer } => {
                    failed = failed.and(self.answered(ticket, answer));
                }
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
        match self.requests.find(&flown.position) {
            Some(place) if self.is_open(place) => self.advance(place),
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
        match self.requests.find(&flown.position) {
            Some(place) if self.is_open(place) => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn is_open(&self, place: Place) -> bool {
        self.requests.get(place).0.wants_search()
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

#[cfg(all(test, unix))]
mod tests {
    use shakmaty::Chess;

    use super::*;
    use crate::chess::{PositionKey, Score, parse_fen, parse_uci};
    use crate::engine::Search;
    use crate::session::Limits;
    use crate::session::pass::Stand;
    use crate::session::workshop::tests::Bench;
    use crate::store::StoreError;
    use crate::tree::Values;

    #[test]
    fn an_error_in_an_event_leaves_no_search_that_nobody_makes() {
        let mut bench = Bench::new(Limits::default());
        let (mut shop, growth) = bench.shop();
        let values = Values::of(growth.graph());
        let stand = Stand { growth: &growth, values: &values, best: None };
        let requests = growth.requests(&values);
        let mut pass = Pass::begin(&mut shop, stand, requests).unwrap();
        let start = pass.shop.flight.ticket(&PositionKey::of(&Chess::default())).unwrap();
        // A finished position fails at once: what came of it stands in the queue.
        let over = parse_fen("7k/5KQ1/8/8/8/8/8/8 b - -").unwrap();
        let search = Search { position: over, excluded: Vec::new() };
        pass.shop.flight.start(pass.shop.pool, search);
        let best = parse_uci("e2e5").unwrap();
        let answer = Answer {
            best,
            score: Score::Cp(1),
            depth: 1,
            seldepth: 1,
            nodes: 1,
            time: Duration::ZERO,
            pv: vec![best],
        };
        let taken = pass.take(Event::Answered { ticket: start, answer });
        assert!(matches!(taken, Err(SessionError::Store(StoreError::Damaged { .. }))), "{taken:?}");
        assert_eq!(pass.shop.flight.len(), 0, "a batch would wait for it for ever");
    }
}
