//! What is told of a position when: no clock, no thread.

use std::time::Duration;

use super::goal::{Goal, GoalStanding};
use super::verdict::RootVerdict;

/// There is a report at least so often.
const SLOWEST: Duration = Duration::from_secs(1);
/// And no more often than this.
const FASTEST: Duration = Duration::from_millis(100);

/// What is to be done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TellingStep {
    /// Report.
    Report,
    /// Answer, after a last report.
    Answer,
    /// Wait for something, or until this time.
    Wait(Duration),
}

/// What one search has come to. Times are since it began.
#[derive(Debug)]
pub struct Telling {
    goal: Goal,
    is_forced: bool,
    verdict: Option<RootVerdict>,
    /// When its best move changed last.
    changed: Duration,
    nodes: u64,
    is_over: bool,
    is_stopped: bool,
    /// What was told last, and when.
    told: Option<(RootVerdict, Duration)>,
}

impl Telling {
    /// A search with this goal; whether there is only one move.
    pub fn new(goal: Goal, is_forced: bool) -> Telling {
        Telling {
            goal,
            is_forced,
            verdict: None,
            changed: Duration::ZERO,
            nodes: 0,
            is_over: false,
            is_stopped: false,
            told: None,
        }
    }

    /// What is thought by now.
    pub fn verdict(&self) -> Option<&RootVerdict> {
        self.verdict.as_ref()
    }

    /// Engine nodes by now.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Takes a verdict, unless more is known.
    pub fn take(&mut self, verdict: RootVerdict, now: Duration) {
        if self.verdict.as_ref().is_some_and(|known| !known.yields_to(&verdict)) {
            return;
        }
        if self.verdict.as_ref().is_none_or(|known| known.best() != verdict.best()) {
            self.changed = now;
        }
        self.verdict = Some(verdict);
    }

    /// So many engine nodes are searched.
    pub fn count(&mut self, nodes: u64) {
        self.nodes = nodes;
    }

    /// Nothing more will come.
    pub fn is_over(&mut self) {
        self.is_over = true;
    }

    /// It must answer.
    pub fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// The expected move was played: the time counts.
    pub fn ponder_hit(&mut self) {
        self.goal.ponder = false;
    }

    /// A report was made.
    pub fn has_told(&mut self, now: Duration) {
        self.told = self.verdict.clone().map(|verdict| (verdict, now));
    }

    /// Whether what was told last is what is thought.
    pub fn is_told(&self) -> bool {
        self.told.as_ref().map(|(told, _)| told) == self.verdict.as_ref()
    }

    /// What is to be done now.
    pub fn step(&self, now: Duration) -> TellingStep {
        let standing = self.standing(now);
        if self.is_stopped || self.has_answer() && self.goal.is_reached(&standing) {
            return TellingStep::Answer;
        }
        if self.goal.deadline().is_some_and(|deadline| deadline <= now) {
            return TellingStep::Answer;
        }
        let due = self.report_due();
        if due.is_some_and(|due| due <= now) {
            return TellingStep::Report;
        }
        let times = [due, self.goal.next_look(&standing)];
        TellingStep::Wait(times.into_iter().flatten().min().unwrap_or(now + SLOWEST))
    }

    /// Whether there is a move, or none will come.
    fn has_answer(&self) -> bool {
        self.verdict.is_some() || self.is_over
    }

    /// When the next report is due; none where there is nothing to report.
    fn report_due(&self) -> Option<Duration> {
        self.verdict.as_ref()?;
        let Some((_, told)) = &self.told else {
            return Some(Duration::ZERO);
        };
        Some(*told + if self.is_told() { SLOWEST } else { FASTEST })
    }

    fn standing(&self, elapsed: Duration) -> GoalStanding {
        let verdict = self.verdict.as_ref();
        GoalStanding {
            elapsed,
            changed: self.changed,
            settled: verdict.and_then(RootVerdict::settled),
            nodes: self.nodes,
            value: verdict.and_then(RootVerdict::value),
            is_over: self.is_over,
            is_forced: self.is_forced,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Speaking;
    use crate::session::goal::Time;
    use crate::session::verdict::{ValuedLine, VerdictOrigin};
    use deepanalyze_core::chess::{Value, parse_uci};
    use deepanalyze_core::search::Limit;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn verdict(depth: u32, settled: u32, best: &str) -> RootVerdict {
        let origin =
            VerdictOrigin::Tree(Speaking { limit: Limit::Depth(depth), settled: Some(settled) });
        let moves = vec![parse_uci(best).unwrap()];
        RootVerdict::new(origin, [ValuedLine { value: Value::DRAW, moves }]).unwrap()
    }

    fn infinite() -> Telling {
        Telling::new(Goal { infinite: true, ..Goal::default() }, false)
    }

    #[test]
    fn the_first_report_comes_at_once_changes_soon_and_the_same_every_second() {
        let mut telling = infinite();
        assert_eq!(telling.step(ms(5)), TellingStep::Wait(ms(1005)), "there is nothing to say");
        telling.take(verdict(10, 1, "e2e4"), ms(7));
        assert_eq!(telling.step(ms(7)), TellingStep::Report);
        telling.has_told(ms(7));
        assert_eq!(telling.step(ms(8)), TellingStep::Wait(ms(1007)));
        telling.take(verdict(10, 2, "e2e4"), ms(9));
        assert_eq!(telling.step(ms(9)), TellingStep::Wait(ms(107)));
        assert_eq!(telling.step(ms(107)), TellingStep::Report);
        telling.has_told(ms(107));
        assert_eq!(telling.step(ms(1107)), TellingStep::Report);
    }

    #[test]
    fn what_is_known_is_never_followed_by_less() {
        let mut telling = infinite();
        telling.take(verdict(12, 6, "e2e4"), ms(1));
        telling.take(verdict(10, 9, "d2d4"), ms(2));
        assert_eq!(telling.verdict(), Some(&verdict(12, 6, "e2e4")));
        telling.take(verdict(12, 6, "d2d4"), ms(3));
        assert_eq!(telling.verdict(), Some(&verdict(12, 6, "d2d4")));
    }

    #[test]
    fn an_infinite_search_answers_when_it_is_stopped_and_never_before() {
        let mut telling = infinite();
        telling.take(verdict(10, 99, "e2e4"), ms(1));
        telling.is_over();
        telling.has_told(ms(1));
        assert_ne!(telling.step(ms(2)), TellingStep::Answer);
        telling.stop();
        assert_eq!(telling.step(ms(2)), TellingStep::Answer);
    }

    #[test]
    fn a_search_that_has_nothing_when_its_time_is_up_answers_all_the_same() {
        let time = Some(Time { soft: ms(10), hard: ms(30) });
        let telling = Telling::new(Goal { time, ..Goal::default() }, false);
        assert_eq!(telling.step(ms(5)), TellingStep::Wait(ms(10)));
        assert_eq!(telling.step(ms(10)), TellingStep::Wait(ms(30)), "there is no move yet");
        assert_eq!(telling.step(ms(30)), TellingStep::Answer);
    }

    #[test]
    fn on_the_opponents_time_nothing_ends_a_search_until_the_move_is_played() {
        let goal = Goal { time: Some(Time::of_move(ms(10))), ponder: true, ..Goal::default() };
        let mut telling = Telling::new(goal, false);
        telling.take(verdict(10, 1, "e2e4"), ms(1));
        telling.has_told(ms(500));
        assert_eq!(telling.step(ms(500)), TellingStep::Wait(ms(1500)));
        telling.ponder_hit();
        assert_eq!(telling.step(ms(500)), TellingStep::Answer);
    }

    #[test]
    fn a_depth_that_is_known_is_answered_at_once() {
        let mut telling = Telling::new(Goal { depth: Some(4), ..Goal::default() }, false);
        telling.take(verdict(10, 3, "e2e4"), ms(1));
        assert_eq!(telling.step(ms(1)), TellingStep::Report);
        telling.take(verdict(10, 4, "e2e4"), ms(1));
        assert_eq!(telling.step(ms(1)), TellingStep::Answer);
    }
}
