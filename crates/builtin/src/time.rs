//! Time management: limits from UCI, and the clock that watches them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::moves::Move;
use deepanalyze_core::uci::Allotment;

/// Limits that `go` asks for. None set: search until `stop`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Plies of depth.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Find a mate in this many moves.
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

/// Signals of other threads to the search.
#[derive(Debug, Default)]
pub struct Signals {
    /// Answer now.
    pub stop: AtomicBool,
    /// The opponent has not played the expected move yet: time does not count.
    pub pondering: AtomicBool,
}

impl Signals {
    /// True if the search must answer now.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// True if time does not count.
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

impl Clock {
    /// Begins now.
    pub fn start(limits: &Limits, overhead: u64) -> Clock {
        let of_clock =
            |clock| Allotment::of_clock(clock, limits.increment, limits.moves_to_go, overhead);
        let (soft, hard) = match (limits.move_time, limits.clock.map(of_clock)) {
            // The time of one move was asked for; no flag falls after it.
            (Some(time), _) => (None, Some(time)),
            (None, share) => (share.map(|share| share.soft), share.map(|share| share.hard)),
        };
        Clock {
            start: Instant::now(),
            soft: soft.map(Duration::from_millis),
            hard: hard.map(Duration::from_millis),
        }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// True if the hard limit has passed.
    pub fn is_over(&self) -> bool {
        self.hard.is_some_and(|hard| self.elapsed() >= hard)
    }

    /// True if another iteration is not worth its time; `percent` stretches or shrinks the share.
    pub fn is_enough(&self, percent: u32) -> bool {
        self.soft.is_some_and(|soft| self.elapsed() >= soft * percent / 100)
    }
}
