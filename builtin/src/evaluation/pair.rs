//! Two values in one number.

use std::ops::{Add, AddAssign, Mul, Sub};

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
