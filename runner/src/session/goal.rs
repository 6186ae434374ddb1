//! When a search must answer.

use std::time::Duration;

use shakmaty::Color;

use deepanalyze_core::chess::Value;
use deepanalyze_core::uci::{Allotment, Go};

/// A clock that allows a move no more than this is too short to keep a tree for: its answers are kept.
const TOO_SHORT_TO_KEEP: Duration = Duration::from_secs(1);
/// Within this time a run could tell next to nothing, and would cost some of it: none is begun.
const TOO_SHORT_TO_RUN: Duration = Duration::from_millis(100);
/// Within this time nothing is looked up.
const TOO_SHORT_TO_READ: Duration = Duration::from_millis(10);
/// Within this time the move is found by the thread that asks: to wake another one costs more than it gains.
const INSTANT: Duration = Duration::from_millis(45);
/// Up to this time a move is found by the built-in engine beside the run, which may have no answer yet.
const QUICK: Duration = Duration::from_millis(400);
/// What a quick search may take where there is time enough for a run.
const FIRST_MOVE: Duration = Duration::from_millis(15);

/// When a search must answer; the first that is reached counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Goal {
    /// This depth of the tree is settled.
    pub depth: Option<u32>,
    /// So many engine nodes are searched.
    pub nodes: Option<u64>,
    /// A mate in so many moves is found.
    pub mate: Option<u32>,
    /// The time.
    pub time: Option<Time>,
    /// Not before it is stopped.
    pub infinite: bool,
    /// Not before the expected move is played.
    pub ponder: bool,
}

/// The time for one move, since the search began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Time {
    /// What it should take.
    pub soft: Duration,
    /// What it takes at most.
    pub hard: Duration,
}

/// What there is at a moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct GoalStanding {
    /// Since the search began.
    pub elapsed: Duration,
    /// When the best move changed last.
    pub changed: Duration,
    /// The depth that is settled.
    pub settled: Option<u32>,
    /// Engine nodes.
    pub nodes: u64,
    /// The root's value, for the side to move, where a tree gives it.
    pub value: Option<Value>,
    /// Whether nothing more will come.
    pub is_over: bool,
    /// Whether there is only one move.
    pub is_forced: bool,
}

impl Time {
    /// All the time that a move is given.
    pub fn of_move(time: Duration) -> Time {
        Time { soft: time, hard: time }
    }
}

impl Goal {
    /// What `go` asks for the side to move; so many milliseconds are kept back for the way to and from the GUI.
    pub fn of(go: &Go, turn: Color, overhead: u64) -> Goal {
        let side = usize::from(turn == Color::Black);
        let millis = Duration::from_millis;
        let time = Allotment::of(go, side, overhead)
            .map(|Allotment { soft, hard }| Time { soft: millis(soft), hard: millis(hard) });
        let Go { depth, nodes, mate, ponder, .. } = *go;
        let is_bare = depth.is_none() && nodes.is_none() && mate.is_none() && time.is_none();
        Goal { depth, nodes, mate, time, infinite: go.infinite || is_bare, ponder }
    }

    /// Whether it must answer now.
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

    /// When it must answer at the latest, whatever is found.
    pub fn deadline(&self) -> Option<Duration> {
        self.time.filter(|_| !self.infinite && !self.ponder).map(|time| time.hard)
    }

    /// When it is to be asked again, at the latest, whether it must answer.
    pub fn next_look(&self, now: &GoalStanding) -> Option<Duration> {
        let time = self.time.filter(|_| !self.infinite && !self.ponder)?;
        let soft = time.wanted(now);
        Some(if now.elapsed < soft { soft.min(time.hard) } else { time.hard })
    }

    /// What the built-in engine may take for a move to begin with.
    pub fn quick_time(&self) -> Duration {
        match self.time {
            Some(time) if time.soft <= QUICK => time.soft,
            _ => FIRST_MOVE,
        }
    }

    /// Whether there is time for a run.
    pub fn allows_run(&self) -> bool {
        self.infinite || self.ponder || self.time.is_none_or(|time| time.soft >= TOO_SHORT_TO_RUN)
    }

    /// Whether there is time to look up what is known.
    pub fn allows_reading(&self) -> bool {
        self.allows_run() || self.time.is_none_or(|time| time.soft >= TOO_SHORT_TO_READ)
    }

    /// Whether the thread that asks waits for the answer.
    pub fn is_instant(&self) -> bool {
        let time = self.time.filter(|_| !self.infinite && !self.ponder);
        time.is_some_and(|time| time.soft <= INSTANT)
    }

    /// Whether a tree is worth keeping that is grown for it.
    pub fn is_worth_a_tree(&self) -> bool {
        self.infinite || self.ponder || self.time.is_none_or(|time| time.hard >= TOO_SHORT_TO_KEEP)
    }
}

impl Time {
    /// What the search should take, by how settled the best move is.
    fn wanted(self, now: &GoalStanding) -> Duration {
        // The best move has changed in the last quarter of the time: a little more may tell.
        let is_unsettled = now.changed > self.soft * 3 / 4;
        let wanted = if is_unsettled { self.soft * 3 / 2 } else { self.soft };
        wanted.min(self.hard)
    }

    fn is_up(self, now: &GoalStanding) -> bool {
        let is_clock = self.soft < self.hard;
        is_clock && now.is_forced || now.elapsed >= self.wanted(now)
    }
}

/// Whether a value is a mate by the side to move in at most so many moves.
fn is_mate_within(value: Value, moves: u32) -> bool {
    match deepanalyze_core::chess::Score::from(value) {
        deepanalyze_core::chess::Score::Mate(n) => n > 0 && n.unsigned_abs() <= moves,
        deepanalyze_core::chess::Score::Cp(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::Score;
    use deepanalyze_core::uci::{Command, parse};

    fn goal(line: &str) -> Goal {
        match parse(line).unwrap() {
            Command::Go(go) => Goal::of(&go, Color::White, 100),
            other => panic!("{other:?}"),
        }
    }

    fn after(millis: u64) -> GoalStanding {
        GoalStanding { elapsed: Duration::from_millis(millis), ..GoalStanding::default() }
    }

    #[test]
    fn a_search_without_a_limit_or_on_the_opponents_time_never_answers_by_itself() {
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
    fn a_clock_is_used_longer_where_the_move_has_just_changed_but_never_beyond_its_limit() {
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
}
