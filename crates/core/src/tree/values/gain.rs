//! A side's gain from a position in a circle, and its distance.

use std::collections::BinaryHeap;

use shakmaty::Color;

use crate::chess::{DrawValue, Value};

/// A position's value to a winner, more than a draw. Of equal values the nearer one is the greater:
/// that with fewer moves inside the circle on the winner's shortest and the loser's longest way
/// out. The greater, the earlier a sweep settles it; positions that lean on another have less than
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gain(u64);

/// The value stands above the moves, which count downwards.
const MOVES: u32 = 32;
/// Offset that makes every gain positive: a gain is more than a draw, and no draw is worth less
/// than minus this.
const ABOVE: i64 = DrawValue::GREATEST as i64;

impl Gain {
    /// The gain of a way out of the circle, if it is worth more than a draw for the same side.
    fn of_exit(value: Value, draw: Value) -> Option<Gain> {
        let kept = u64::try_from(i64::from(value.get()) + ABOVE).ok()?;
        (value > draw).then_some(Gain(kept << MOVES | u64::from(u32::MAX)))
    }

    /// The gain of a move that leads to a position of this gain: always less.
    pub fn after_move(self) -> Gain {
        let later = u64::from(self.value().is_mate());
        Gain(self.0 - (later << MOVES) - 1)
    }

    fn value(self) -> Value {
        Value::new((self.0 >> MOVES) as i64 - ABOVE).unwrap_or_default()
    }
}

/// A side's gain from a position, if not a draw: White's is positive, Black's is negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standing(i64);

impl Standing {
    /// Neither side gets more than a draw.
    pub const DRAWN: Standing = Standing(0);

    /// A winner's gain.
    pub fn new(winner: Color, Gain(gain): Gain) -> Standing {
        Standing(if winner == Color::White { gain as i64 } else { -(gain as i64) })
    }

    /// The standing of a way out with this value for a side.
    pub fn of_exit(value: Value, side: Color, draw: DrawValue) -> Standing {
        let draw = draw.for_side(side);
        let own = Gain::of_exit(value, draw).map(|gain| Standing::new(side, gain));
        let others = || Gain::of_exit(-value, -draw).map(|gain| Standing::new(!side, gain));
        own.or_else(others).unwrap_or(Standing::DRAWN)
    }

    /// The gain of a winner; None if it is no more than a draw.
    pub fn gain(self, winner: Color) -> Option<Gain> {
        let own = if winner == Color::White { self.0 } else { -self.0 };
        (own > 0).then_some(Gain(own as u64))
    }

    /// The side that gets more than a draw, and its gain.
    pub fn lead(self) -> Option<(Color, Gain)> {
        let winner = if self.0 < 0 { Color::Black } else { Color::White };
        self.gain(winner).map(|gain| (winner, gain))
    }

    /// A number that is greater for more gain of a side.
    pub fn for_side(self, side: Color) -> i64 {
        if side == Color::White { self.0 } else { -self.0 }
    }

    /// The value for one side.
    pub fn value(self, side: Color, draw: DrawValue) -> Value {
        match self.lead() {
            Some((winner, gain)) if winner == side => gain.value(),
            Some((_, gain)) => -gain.value(),
            None => draw.for_side(side),
        }
    }
}

/// Positions by gain, the greatest first. One number is compared, not two.
#[derive(Debug, Default)]
pub struct Queue(BinaryHeap<u128>);

impl Queue {
    /// Takes a position, if it has a gain.
    pub fn push(&mut self, gain: Option<Gain>, place: u32) {
        if let Some(Gain(gain)) = gain {
            self.0.push(u128::from(gain) << 32 | u128::from(place));
        }
    }

    /// The position of the greatest gain.
    pub fn pop(&mut self) -> Option<(Gain, u32)> {
        self.0.pop().map(|entry| (Gain((entry >> 32) as u64), entry as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(raw: i64) -> Value {
        Value::new(raw).unwrap()
    }

    fn exit(raw: i64) -> Gain {
        Gain::of_exit(value(raw), value(-1000)).unwrap()
    }

    #[test]
    fn distance_lowers_gains_and_mate_values() {
        let near = exit(31_005);
        assert!(near > near.after_move() && near.after_move() > exit(31_000));
        assert_eq!(near.after_move().value(), value(31_004));
        let far = (0..9).fold(near, |gain, _| gain.after_move());
        assert_eq!(far.value(), value(31_000), "it is clamped then");
        for raw in [7, 0, -7, -999] {
            let (gain, less) = (exit(raw), exit((raw - 1).max(-999)));
            assert!(gain.after_move() < gain && (gain.after_move() > less || raw == -999));
            assert_eq!((gain.value(), gain.after_move().value()), (value(raw), value(raw)));
        }
    }

    #[test]
    fn a_standing_is_one_side_s_gain() {
        for (white, raw, winner) in [
            (0, 40, Color::Black),
            (0, -40, Color::White),
            (-25, 24, Color::White),
            (-25, 26, Color::Black),
            (60, -59, Color::Black),
            (60, -61, Color::White),
        ] {
            let draw = DrawValue::new(white).unwrap();
            let standing = Standing::of_exit(value(raw), Color::Black, draw);
            let gained = if winner == Color::Black { raw } else { -raw };
            assert_eq!(standing.lead(), Some((winner, exit(gained))));
            assert_eq!(standing.gain(!winner), None);
            assert_eq!(standing.value(Color::Black, draw), value(raw));
            assert_eq!(standing.value(Color::White, draw), value(-raw));
        }
    }

    #[test]
    fn a_draw_is_no_gain() {
        for white in [0, -25, 1000, -1000] {
            let draw = DrawValue::new(white).unwrap();
            assert_eq!(Standing::of_exit(value(white), Color::White, draw), Standing::DRAWN);
            assert_eq!(Standing::DRAWN.value(Color::Black, draw), value(-white));
        }
        assert_eq!(Standing::DRAWN.lead(), None);
    }

    #[test]
    fn more_for_a_side_is_greater_at_any_value_of_a_draw() {
        let draw = DrawValue::new(-25).unwrap();
        let white = [-31_990, -26, -25, -24, 0, 31_990];
        let order = white.map(|raw| Standing::of_exit(value(raw), Color::White, draw));
        assert!(order.is_sorted_by_key(|standing| standing.for_side(Color::White)));
        assert!(order.iter().rev().is_sorted_by_key(|standing| standing.for_side(Color::Black)));
    }

    #[test]
    fn the_greatest_gain_comes_first() {
        let mut queue = Queue::default();
        let gains = [exit(-3), exit(31_999), exit(-3).after_move(), exit(8)];
        gains.iter().zip(0..).for_each(|(gain, place)| queue.push(Some(*gain), place));
        queue.push(None, 9);
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [(gains[1], 1), (gains[3], 3), (gains[0], 0), (gains[2], 2)]);
    }
}
