//! Handling of engine events.

use crate::feed::event::RunEvent;
use crate::outcome::RunError;
use crate::under_way::{Grace, SearchUnderWay};
use deepanalyze_core::search::{Answer, Search, WorkerId};
use deepanalyze_engine::{EngineError, Event, Wakeup};
use deepanalyze_store::NewAnswer;

use super::{Pass, RequestPlace};

/// Scenarios per answer. More add little, and twice as many take twice the time.
const SCENARIOS_PER_ANSWER: u32 = 4;

impl Pass<'_, '_> {
    /// Takes an event and all behind it, despite errors: a search whose end is missed counts as
    /// under way, and in a batch the next root would wait for it for ever. Returns the first error.
    pub(super) fn take(&mut self, first: Event) -> Result<(), RunError> {
        let mut failed = Ok(());
        let mut next = Some(first);
        while let Some(event) = next {
            match event {
                Event::Answered { ticket, answer, worker } => {
                    failed = failed.and(self.answered(ticket, answer, worker));
                }
                Event::Quarantined { worker, why } => {
                    let invalidated = self.run.invalidate(&worker, &why).map_err(RunError::from);
                    failed = failed.and(invalidated);
                }
                Event::Failed { ticket, error } => failed = failed.and(self.failed(ticket, error)),
                Event::Fault { ticket, error, attempt } => {
                    let position = ticket.and_then(|ticket| self.run.under_way.position(ticket));
                    let position = position.cloned();
                    (self.run.tell)(RunEvent::Fault { error, attempt, position });
                }
                Event::Notice(notice) => (self.run.tell)(RunEvent::Notice(notice)),
                Event::Broken => failed = failed.and(Err(RunError::EnginesGone)),
                Event::Started { .. }
                | Event::Iteration { .. }
                | Event::GivenWay { .. }
                | Event::Retracted { .. } => {}
            }
            next = self.run.engines.poll();
        }
        failed
    }

    fn answered(
        &mut self,
        ticket: u64,
        answer: Answer,
        worker: Option<WorkerId>,
    ) -> Result<(), RunError> {
        let run = &mut *self.run;
        let Some(ended) = run.under_way.finish(ticket) else {
            return Ok(());
        };
        run.budget.spend(answer.nodes, !ended.of_earlier_root);
        run.budget.work(answer.time);
        let SearchUnderWay { search: Search { position, excluded }, profile, .. } = ended;
        let place = self.requests.find(&position);
        let new = NewAnswer { position, excluded, answer, worker };
        if profile != run.asking.profile {
            // Left running by an earlier stage: it is no part of this tree. If another run has
            // stored a different one, that one counts.
            run.store.keep(profile, &[new])?;
            return Ok(());
        }
        if let Some(look_ahead) = &mut run.look_ahead {
            look_ahead.learn(&new.position, new.excluded.len(), &new.answer);
        }
        let now = run.engines.now();
        run.lists.take(run.store, new, now)?;
        self.scenarios = SCENARIOS_PER_ANSWER;
        match place {
            Some(place) if self.is_open(place) => self.advance(place),
            _ => Ok(()),
        }
    }

    /// A search failed for good. The run ends if the pass needs it.
    fn failed(&mut self, ticket: u64, error: EngineError) -> Result<(), RunError> {
        let run = &mut *self.run;
        let Some(ended) = run.under_way.finish(ticket) else {
            return Ok(());
        };
        if ended.profile != run.asking.profile {
            return Ok(());
        }
        if let Some(look_ahead) = &mut run.look_ahead {
            look_ahead.avoid(&ended.search.position);
        }
        match self.requests.find(&ended.search.position) {
            Some(place) if self.is_open(place) => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn is_open(&self, place: RequestPlace) -> bool {
        self.requests.get(place).0.wants_search()
    }

    /// Starts nothing more, and gives running searches time to end.
    pub(super) fn wind_down(&mut self) {
        for ticket in self.run.engines.withdraw() {
            self.run.under_way.finish(ticket);
        }
        let grace = Grace::begin(self.run.engines, self.run.control);
        while !self.run.under_way.is_empty() && grace.lasts(self.run.control) {
            match self.run.engines.wait(self.run.control.wake(), Some(grace.until)) {
                Wakeup::Event(Event::Broken) | Wakeup::Time => return,
                // The run ends anyway: an engine that fails now changes nothing.
                Wakeup::Event(event) => {
                    if let Err(RunError::Store(error)) = self.take(event) {
                        let why = format!("an answer is not kept: {error}");
                        (self.run.tell)(RunEvent::Warning(why));
                    }
                }
                Wakeup::Control => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use std::time::Duration;

    use shakmaty::Chess;

    use super::*;
    use crate::RunLimits;
    use crate::lists::AnswerLists;
    use crate::pass::TreeState;
    use crate::tests::bench::Bench;
    use crate::tests::made_up::profile;
    use deepanalyze_core::chess::{Score, parse_fen, parse_uci};
    use deepanalyze_core::search::{Limit, Profile};
    use deepanalyze_engine::{FakeEngines, FakeSearch};
    use deepanalyze_store::StoreError;

    fn said(best: &str) -> Answer {
        let (best, score) = (parse_uci(best).unwrap(), Score::Cp(1));
        let (time, pv) = (Duration::ZERO, vec![best]);
        Answer { best, score, wdl: None, depth: 1, seldepth: 1, nodes: 1, time, pv }
    }

    fn answered(ticket: u64, answer: Answer) -> Event {
        Event::Answered { ticket, answer, worker: None }
    }

    #[test]
    fn event_error_leaves_no_orphaned_search() {
        let mut bench = Bench::new(RunLimits::default());
        let (mut run, mut growth) = bench.run();
        let requests = growth.requests();
        let tree = TreeState { growth: &mut growth, lines: &Arc::default() };
        let mut pass = Pass::begin(&mut run, tree, requests).unwrap();
        let profile = pass.run.asking.profile;
        let start = pass.run.under_way.ticket(profile, &Chess::default()).unwrap();
        // A finished position fails at once: the queue has its result.
        let over = parse_fen("7k/5KQ1/8/8/8/8/8/8 b - -").unwrap();
        let search = Search { position: over, excluded: Vec::new() };
        pass.run.start(search, false);
        let taken = pass.take(answered(start, said("e2e5")));
        assert!(matches!(taken, Err(RunError::Store(StoreError::Damaged { .. }))), "{taken:?}");
        assert_eq!(pass.run.under_way.len(), 0, "a batch would wait for it for ever");
    }

    #[test]
    fn unsaved_answer_at_the_end_is_reported() {
        let illegal = |_: &deepanalyze_engine::FakeStart| {
            FakeSearch::ending(Ok(said("e2e5"))).taking(Duration::from_millis(10))
        };
        let engines = FakeEngines::new(2, profile(), illegal);
        let mut bench = Bench::with(RunLimits::default(), engines);
        let mut told = bench.told();
        let (mut run, mut growth) = bench.run();
        run.start(Search { position: Chess::default(), excluded: Vec::new() }, false);
        let deeper = Profile { limit: Limit::Depth(12), ..run.engines.profile().clone() };
        run.asking.profile = run.store.profile_id(&deeper).unwrap();
        let tree = TreeState { growth: &mut growth, lines: &Arc::default() };
        Pass::begin(&mut run, tree, Vec::new()).unwrap().wind_down();
        let said = told.look().events.into_iter().find_map(|event| match event {
            RunEvent::Warning(why) => Some(why),
            _ => None,
        });
        let said = said.unwrap();
        assert!(said.starts_with("an answer is not kept: database "), "{said}");
        assert!(said.contains("e2e5 is not legal"), "{said}");
    }

    #[test]
    fn late_answer_is_kept_for_its_own_stage() {
        let mut bench = Bench::new(RunLimits::default());
        let (mut run, mut growth) = bench.run();
        let earlier = run.asking;
        run.start(Search { position: Chess::default(), excluded: Vec::new() }, false);
        let left = run.under_way.ticket(earlier.profile, &Chess::default()).unwrap();
        let deeper = Profile { limit: Limit::Depth(12), ..run.engines.profile().clone() };
        run.asking.profile = run.store.profile_id(&deeper).unwrap();
        run.lists = AnswerLists::new(run.asking.profile);
        let requests = growth.requests();
        let tree = TreeState { growth: &mut growth, lines: &Arc::default() };
        let mut pass = Pass::begin(&mut run, tree, requests).unwrap();
        let (now, answer) = (pass.run.asking.profile, said("e2e4"));
        assert!(pass.run.under_way.ticket(now, &Chess::default()).is_some(), "asked again, deeper");
        pass.take(answered(left, answer)).unwrap();
        assert_eq!(pass.open, 1, "it is no answer of this stage");
        let kept = |profile| pass.run.store.answer(profile, &Chess::default(), 0).unwrap();
        let best = kept(earlier.profile).map(|kept| kept.uci);
        assert_eq!((best, kept(now)), (parse_uci("e2e4"), None));
    }
}
