//! How long to think: limits from UCI, and the clock that watches them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::moves::Move;

/// What `go` asks for. Nothing set means: until told to stop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Plies of depth.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Find a mate in so many moves.
    pub mate: Option<u32>,
    /// Milliseconds for this move.
    pub move_time: Option<u64>,
    /// Milliseconds on the own clock.
    pub clock: Option<u64>,
    /// Milliseconds added per move.
    pub increment: u64,
    /// Moves until the next time control.
    pub moves_to_go: Option<u64>,
    /// No answer before `stop`.
    pub infinite: bool,
    /// Think on the opponent's time until `ponderhit`.
    pub ponder: bool,
    /// Only these moves at the root; empty for all.
    pub search_moves: Vec<Move>,
}

/// What other threads tell the search.
#[derive(Debug, Default)]
pub struct Signals {
    /// Answer now.
    pub stop: AtomicBool,
    /// The opponent has not played the expected move yet: time does not count.
    pub pondering: AtomicBool,
}

impl Signals {
    /// Whether the search must answer now.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether time does not count.
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Relaxed)
    }
}

/// The search's clock.
#[derive(Debug)]
pub struct Clock {
    start: Instant,
    /// No new iteration after this, adjusted by how settled the answer is.
    soft: Option<Duration>,
    /// Never longer than this.
    hard: Option<Duration>,
}

/// Moves that a game is expected to last still.
const MOVES_LEFT: u64 = 24;

impl Clock {
    /// Begins now.
    pub fn start(limits: &Limits, overhead: u64) -> Clock {
        let (soft, hard) = match (limits.move_time, limits.clock) {
            (Some(time), _) => {
                let time = time.min(1 << 34).saturating_sub(overhead).max(1);
                (None, Some(time))
            }
            (None, Some(clock)) => {
                let (soft, hard) = share(limits, clock, overhead);
                (Some(soft), Some(hard))
            }
            (None, None) => (None, None),
        };
        Clock {
            start: Instant::now(),
            soft: soft.map(Duration::from_millis),
            hard: hard.map(Duration::from_millis),
        }
    }

    /// Since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether the hard limit has passed.
    pub fn is_over(&self) -> bool {
        self.hard.is_some_and(|hard| self.elapsed() >= hard)
    }

    /// Whether another iteration is worth its time; `percent` stretches or shrinks the share.
    pub fn is_enough(&self, percent: u32) -> bool {
        self.soft.is_some_and(|soft| self.elapsed() >= soft * percent / 100)
    }
}

/// The soft and the hard share of a clock, in milliseconds.
fn share(limits: &Limits, clock: u64, overhead: u64) -> (u64, u64) {
    // Half a year is as good as for ever, and cannot overflow.
    let usable = clock.min(1 << 34).saturating_sub(overhead).max(1);
    let moves = limits.moves_to_go.map_or(MOVES_LEFT, |moves| moves.clamp(1, MOVES_LEFT));
    let soft = usable / moves + limits.increment.min(1 << 34) * 3 / 4;
    let hard = soft * 4;
    let most = if moves == 1 { usable * 9 / 10 } else { usable * 2 / 5 };
    (soft.min(most).max(1), hard.min(most).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(clock: u64, increment: u64, moves_to_go: Option<u64>) -> (u64, u64) {
        let limits = Limits { increment, moves_to_go, ..Limits::default() };
        share(&limits, clock, 10)
    }

    #[test]
    fn a_share_never_exceeds_the_clock() {
        for time in [0, 1, 9, 11, 50, 1000, 60_000, u64::MAX] {
            for increment in [0, 100, 10_000, u64::MAX] {
                for moves in [None, Some(0), Some(1), Some(40), Some(u64::MAX)] {
                    let (soft, hard) = clock(time, increment, moves);
                    assert!(soft >= 1 && soft <= hard);
                    assert!(hard <= time.max(1), "{time} {increment} {moves:?}");
                }
            }
        }
    }

    #[test]
    fn a_share_is_a_few_percent_of_the_game() {
        let (soft, hard) = clock(60_000, 0, None);
        assert!((1_500..4_000).contains(&soft) && hard <= 24_000);
    }
}
