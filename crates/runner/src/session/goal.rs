//! When a search must answer or report: no clock, no thread.

use std::time::Duration;

use shakmaty::Color;

use deepanalyze_core::chess::Value;
use deepanalyze_core::uci::{Allotment, Go};

use super::verdict::RootVerdict;

/// Below this time for a move no tree is kept: only answers are.
const TOO_SHORT_TO_KEEP: Duration = Duration::from_secs(1);
/// Below this time a run could show next to nothing, and would cost some of it: none is begun.
const TOO_SHORT_TO_RUN: Duration = Duration::from_millis(100);
/// Below this time nothing is looked up.
const TOO_SHORT_TO_READ: Duration = Duration::from_millis(10);
/// Up to this time the calling thread finds the move: waking another one costs more than it gains.
const INSTANT: Duration = Duration::from_millis(45);
/// Up to this time the built-in engine finds a move beside the run, which may have no answer yet.
const QUICK: Duration = Duration::from_millis(400);
/// Time of a quick search if there is time enough for a run.
const FIRST_MOVE: Duration = Duration::from_millis(15);

/// When a search must answer; the first limit reached counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchGoal {
    /// This depth of the tree is settled.
    pub depth: Option<u32>,
    /// This many engine nodes searched.
    pub nodes: Option<u64>,
    /// Mate in this many moves found.
    pub mate: Option<u32>,
    /// The time.
    pub time: Option<Time>,
    /// Not before a stop.
    pub infinite: bool,
    /// Not before the expected move is played.
    pub ponder: bool,
}

/// The time for one move, since the search began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Time {
    /// Intended time.
    pub soft: Duration,
    /// The most it may take.
    pub hard: Duration,
}

/// The state at a moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct GoalStanding {
    /// Since the search began.
    pub elapsed: Duration,
    /// When the best move changed last.
    pub changed: Duration,
    /// The settled depth.
    pub settled: Option<u32>,
    /// Engine nodes.
    pub nodes: u64,
    /// The root's value, for the side to move, if a tree gives it.
    pub value: Option<Value>,
    /// True if no result follows.
    pub is_over: bool,
    /// True if only one move exists.
    pub is_forced: bool,
}

impl Time {
    /// A fixed time for the move.
    pub fn of_move(time: Duration) -> Time {
        Time { soft: time, hard: time }
    }
}

impl SearchGoal {
    /// The goal of `go` for the side to move; `overhead` milliseconds are kept for the way to and
    /// from the GUI.
    pub fn of(go: &Go, turn: Color, overhead: u64) -> SearchGoal {
        let side = usize::from(turn == Color::Black);
        let millis = Duration::from_millis;
        let time = Allotment::of(go, side, overhead)
            .map(|Allotment { soft, hard }| Time { soft: millis(soft), hard: millis(hard) });
        let Go { depth, nodes, mate, ponder, .. } = *go;
        let is_bare = depth.is_none() && nodes.is_none() && mate.is_none() && time.is_none();
        SearchGoal { depth, nodes, mate, time, infinite: go.infinite || is_bare, ponder }
    }

    /// True if it must answer now.
    pub fn is_reached(&self, now: &GoalStanding) -> bool {
        if self.infinite || self.ponder {
            return false;
        }
        let is_mate = |moves: u32| now.value.is_some_and(|value| is_mate_within(value, moves));
        now.is_over
            || self.depth.is_some_and(|depth| now.settled >= Some(depth))
            || self.nodes.is_some_and(|nodes| now.nodes >= nodes)
            || self.mate.is_some_and(is_mate)
            || self.time.is_some_and(|time| time.is_up(now))
    }

    /// The latest time to answer, whatever is found.
    pub fn deadline(&self) -> Option<Duration> {
        self.time.filter(|_| !self.infinite && !self.ponder).map(|time| time.hard)
    }

    /// The latest time to check again for an answer.
    pub fn next_look(&self, now: &GoalStanding) -> Option<Duration> {
        let time = self.time.filter(|_| !self.infinite && !self.ponder)?;
        let soft = time.wanted(now);
        Some(if now.elapsed < soft { soft.min(time.hard) } else { time.hard })
    }

    /// The built-in engine's time for a first move.
    pub fn quick_time(&self) -> Duration {
        match self.time {
            Some(time) if time.soft <= QUICK => time.soft,
            _ => FIRST_MOVE,
        }
    }

    /// True if there is time for a run.
    pub fn allows_run(&self) -> bool {
        self.infinite || self.ponder || self.time.is_none_or(|time| time.soft >= TOO_SHORT_TO_RUN)
    }

    /// True if there is time for a look-up.
    pub fn allows_reading(&self) -> bool {
        self.allows_run() || self.time.is_none_or(|time| time.soft >= TOO_SHORT_TO_READ)
    }

    /// True if the calling thread waits for the answer.
    pub fn is_instant(&self) -> bool {
        let time = self.time.filter(|_| !self.infinite && !self.ponder);
        time.is_some_and(|time| time.soft <= INSTANT)
    }

    /// True if its tree is worth keeping.
    pub fn is_worth_a_tree(&self) -> bool {
        self.infinite || self.ponder || self.time.is_none_or(|time| time.hard >= TOO_SHORT_TO_KEEP)
    }
}

impl Time {
    /// The intended time, given how settled the best move is.
    fn wanted(self, now: &GoalStanding) -> Duration {
        // Changed in the last quarter of the time: a little more may help.
        let is_unsettled = now.changed > self.soft * 3 / 4;
        let wanted = if is_unsettled { self.soft * 3 / 2 } else { self.soft };
        wanted.min(self.hard)
    }

    fn is_up(self, now: &GoalStanding) -> bool {
        let is_clock = self.soft < self.hard;
        is_clock && now.is_forced || now.elapsed >= self.wanted(now)
    }
}

/// True if a value is a mate by the side to move in at most `moves` moves.
fn is_mate_within(value: Value, moves: u32) -> bool {
    match deepanalyze_core::chess::Score::from(value) {
        deepanalyze_core::chess::Score::Mate(n) => n > 0 && n.unsigned_abs() <= moves,
        deepanalyze_core::chess::Score::Cp(_) => false,
    }
}

/// The longest time between reports.
const SLOWEST: Duration = Duration::from_secs(1);
/// The shortest such time.
const FASTEST: Duration = Duration::from_millis(100);

/// The next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TellingStep {
    /// Report.
    Report,
    /// Answer, after a last report.
    Answer,
    /// Wait for an event, or until this time.
    Wait(Duration),
}

/// State of one search. Times are since it began.
#[derive(Debug, Default)]
pub struct Telling {
    goal: SearchGoal,
    is_forced: bool,
    /// The verdict so far.
    pub verdict: Option<RootVerdict>,
    /// When its best move changed last.
    changed: Duration,
    /// Engine nodes so far.
    pub nodes: u64,
    is_over: bool,
    is_stopped: bool,
    /// The last report, and when.
    told: Option<(RootVerdict, Duration)>,
}

impl Telling {
    /// A search with this goal; forced if it has one move only.
    pub fn new(goal: SearchGoal, is_forced: bool) -> Telling {
        Telling { goal, is_forced, ..Telling::default() }
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

    /// No result follows.
    pub fn is_over(&mut self) {
        self.is_over = true;
    }

    /// Answer now.
    pub fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// The expected move was played: the time counts.
    pub fn ponder_hit(&mut self) {
        self.goal.ponder = false;
    }

    /// Notes a report.
    pub fn has_told(&mut self, now: Duration) {
        self.told = self.verdict.clone().map(|verdict| (verdict, now));
    }

    /// True if the last report is still current.
    pub fn is_told(&self) -> bool {
        self.told.as_ref().map(|(told, _)| told) == self.verdict.as_ref()
    }

    /// The next step.
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

    /// True if there is a move, or none will come.
    fn has_answer(&self) -> bool {
        self.verdict.is_some() || self.is_over
    }

    /// When the next report is due; `None` with nothing to report.
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
    use crate::session::verdict::VerdictOrigin;
    use deepanalyze_core::chess::{Score, parse_uci};
    use deepanalyze_core::search::Limit;
    use deepanalyze_core::uci::{Command, parse};
    use deepanalyze_view::Line;
    use shakmaty::Chess;

    fn goal(line: &str) -> SearchGoal {
        match parse(line).unwrap() {
            Command::Go(go) => SearchGoal::of(&go, Color::White, 100),
            other => panic!("{other:?}"),
        }
    }

    fn after(millis: u64) -> GoalStanding {
        GoalStanding { elapsed: Duration::from_millis(millis), ..GoalStanding::default() }
    }

    #[test]
    fn unlimited_or_pondering_search_never_answers() {
        let over = GoalStanding { is_over: true, is_forced: true, ..after(1_000_000) };
        for line in ["go", "go infinite", "go ponder wtime 1000", "go infinite depth 3"] {
            assert!(!goal(line).is_reached(&over), "{line}");
            assert_eq!(
                (goal(line).deadline(), goal(line).next_look(&over)),
                (None, None),
                "{line}"
            );
        }
    }

    #[test]
    fn each_limit_ends_a_search_for_itself() {
        let mate = |moves| Some(Value::from(Score::Mate(moves)));
        for (line, standing, reached) in [
            ("go depth 3", GoalStanding { settled: Some(2), ..after(0) }, false),
            ("go depth 3", GoalStanding { settled: Some(3), ..after(0) }, true),
            ("go depth 3 nodes 5", GoalStanding { nodes: 5, ..after(0) }, true),
            ("go nodes 5", GoalStanding { nodes: 4, ..after(0) }, false),
            ("go mate 2", GoalStanding { value: mate(2), ..after(0) }, true),
            ("go mate 2", GoalStanding { value: mate(3), ..after(0) }, false),
            ("go mate 2", GoalStanding { value: mate(-1), ..after(0) }, false),
            ("go mate 2", GoalStanding { is_over: true, ..after(0) }, true),
            ("go movetime 500", after(399), false),
            ("go movetime 500", after(400), true),
            ("go movetime 500", GoalStanding { is_forced: true, ..after(1) }, false),
            ("go wtime 60000", GoalStanding { is_forced: true, ..after(1) }, true),
        ] {
            assert_eq!(goal(line).is_reached(&standing), reached, "{line} {standing:?}");
        }
    }

    #[test]
    fn changed_move_gets_more_time_within_the_limit() {
        let clock = goal("go wtime 60000 btime 1");
        let Time { soft, hard } = clock.time.unwrap();
        let at = |elapsed, changed| GoalStanding { elapsed, changed, ..GoalStanding::default() };
        assert!(clock.is_reached(&at(soft, Duration::ZERO)));
        assert!(!clock.is_reached(&at(soft, soft)));
        assert!(clock.is_reached(&at(soft * 3 / 2, soft)));
        assert!(clock.is_reached(&at(hard, hard)));
        assert_eq!(clock.next_look(&at(Duration::ZERO, Duration::ZERO)), Some(soft));
    }

    #[test]
    fn short_times_have_no_run_and_keep_no_tree() {
        let of = |line: &str| (goal(line).allows_run(), goal(line).is_worth_a_tree());
        assert_eq!(of("go wtime 50"), (false, false));
        let reads = |line: &str| goal(line).allows_reading();
        assert!(!reads("go wtime 50") && reads("go wtime 1000 winc 10") && reads("go infinite"));
        assert_eq!(of("go wtime 1000 winc 10"), (false, false));
        assert!(goal("go wtime 1000 winc 10").is_instant());
        assert!(!goal("go movetime 300").is_instant() && !goal("go infinite").is_instant());
        assert!(!goal("go ponder wtime 50").is_instant());
        assert_eq!(of("go movetime 300"), (true, false));
        assert_eq!(of("go wtime 60000"), (true, true));
        assert_eq!(of("go infinite"), (true, true));
        assert!(goal("go wtime 1000").quick_time() > goal("go infinite").quick_time());
    }

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn verdict(depth: u32, settled: u32, best: &str) -> RootVerdict {
        let origin =
            VerdictOrigin::Tree(Speaking { limit: Limit::Depth(depth), settled: Some(settled) });
        let moves = vec![parse_uci(best).unwrap()];
        RootVerdict::new(origin, [Line::new(Chess::default(), moves, Value::EVEN)]).unwrap()
    }

    fn infinite() -> Telling {
        Telling::new(SearchGoal { infinite: true, ..SearchGoal::default() }, false)
    }

    #[test]
    fn reports_come_at_once_then_soon_then_every_second() {
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
        assert_eq!(telling.verdict, Some(verdict(12, 6, "e2e4")));
        telling.take(verdict(12, 6, "d2d4"), ms(3));
        assert_eq!(telling.verdict, Some(verdict(12, 6, "d2d4")));
    }

    #[test]
    fn infinite_search_answers_only_when_stopped() {
        let mut telling = infinite();
        telling.take(verdict(10, 99, "e2e4"), ms(1));
        telling.is_over();
        telling.has_told(ms(1));
        assert_ne!(telling.step(ms(2)), TellingStep::Answer);
        telling.stop();
        assert_eq!(telling.step(ms(2)), TellingStep::Answer);
    }

    #[test]
    fn search_with_no_result_still_answers_in_time() {
        let time = Some(Time { soft: ms(10), hard: ms(30) });
        let telling = Telling::new(SearchGoal { time, ..SearchGoal::default() }, false);
        assert_eq!(telling.step(ms(5)), TellingStep::Wait(ms(10)));
        assert_eq!(telling.step(ms(10)), TellingStep::Wait(ms(30)), "there is no move yet");
        assert_eq!(telling.step(ms(30)), TellingStep::Answer);
    }

    #[test]
    fn pondering_ends_only_with_the_expected_move() {
        let goal =
            SearchGoal { time: Some(Time::of_move(ms(10))), ponder: true, ..SearchGoal::default() };
        let mut telling = Telling::new(goal, false);
        telling.take(verdict(10, 1, "e2e4"), ms(1));
        telling.has_told(ms(500));
        assert_eq!(telling.step(ms(500)), TellingStep::Wait(ms(1500)));
        telling.ponder_hit();
        assert_eq!(telling.step(ms(500)), TellingStep::Answer);
    }

    #[test]
    fn a_depth_that_is_known_is_answered_at_once() {
        let mut telling =
            Telling::new(SearchGoal { depth: Some(4), ..SearchGoal::default() }, false);
        telling.take(verdict(10, 3, "e2e4"), ms(1));
        assert_eq!(telling.step(ms(1)), TellingStep::Report);
        telling.take(verdict(10, 4, "e2e4"), ms(1));
        assert_eq!(telling.step(ms(1)), TellingStep::Answer);
    }
}
