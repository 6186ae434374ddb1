//! What is done with the counts: summed by the search, in pairs of values, and written down by the tuner.

use std::ops::{Add, AddAssign, Mul, Sub};

use super::terms::{self, DANGER_COUNT};
use super::weights::{DANGER, WEIGHTS};

/// Takes the counts of one side.
pub trait Tally {
    /// So many of a term.
    fn add(&mut self, term: usize, count: i32);
    /// So many units of danger to this side's king.
    fn danger(&mut self, unit: usize, count: i32);
}

/// The search's tally: the weighted sum.
#[derive(Default)]
pub struct Sum {
    pair: Pair,
    danger: i32,
}

impl Sum {
    /// The sum, danger to the own king taken off: its square in the middlegame, its plain value in
    /// the endgame.
    pub fn total(&self) -> Pair {
        self.pair - danger_pair(self.danger)
    }

    /// The sum without danger.
    pub fn pair(&self) -> Pair {
        self.pair
    }
}

/// What danger costs.
fn danger_pair(danger: i32) -> Pair {
    let danger = danger.clamp(0, 1000);
    Pair::new(danger * danger / terms::DANGER_SQUARE, danger / terms::DANGER_LINE)
}

impl Tally for Sum {
    #[inline(always)]
    fn add(&mut self, term: usize, count: i32) {
        self.pair += WEIGHTS[term] * count;
    }

    #[inline(always)]
    fn danger(&mut self, unit: usize, count: i32) {
        self.danger += DANGER[unit] * count;
    }
}

/// The tuner's tally: what was counted.
#[derive(Clone, Debug)]
pub struct TermCounts {
    /// How often each term came.
    pub terms: Vec<i32>,
    /// How often each unit of danger came.
    pub danger: Vec<i32>,
}

impl Default for TermCounts {
    fn default() -> TermCounts {
        TermCounts { terms: vec![0; terms::COUNT], danger: vec![0; DANGER_COUNT] }
    }
}

impl Tally for TermCounts {
    fn add(&mut self, term: usize, count: i32) {
        self.terms[term] += count;
    }

    fn danger(&mut self, unit: usize, count: i32) {
        self.danger[unit] += count;
    }
}

/// The weights in use, for the tuner to begin with.
pub fn current() -> (Vec<(i32, i32)>, Vec<i32>) {
    let pairs = WEIGHTS.iter().map(|pair| (pair.middlegame(), pair.endgame()));
    (pairs.collect(), DANGER.to_vec())
}

/// A middlegame and an endgame value, added and multiplied at once.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Pair(i32);

impl Pair {
    /// The pair of two values.
    pub const fn new(middlegame: i32, endgame: i32) -> Pair {
        Pair((endgame << 16) + middlegame)
    }

    /// The middlegame value.
    pub fn middlegame(self) -> i32 {
        i32::from(self.0 as i16)
    }

    /// The endgame value.
    pub fn endgame(self) -> i32 {
        (self.0 + 0x8000) >> 16
    }
}

impl Add for Pair {
    type Output = Pair;
    fn add(self, other: Pair) -> Pair {
        Pair(self.0 + other.0)
    }
}

impl Sub for Pair {
    type Output = Pair;
    fn sub(self, other: Pair) -> Pair {
        Pair(self.0 - other.0)
    }
}

impl AddAssign for Pair {
    fn add_assign(&mut self, other: Pair) {
        self.0 += other.0;
    }
}

impl Mul<i32> for Pair {
    type Output = Pair;
    fn mul(self, count: i32) -> Pair {
        Pair(self.0 * count)
    }
}
