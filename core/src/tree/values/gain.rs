//! How much a side gets of a position in a circle, and how far from it that comes.

use std::collections::BinaryHeap;

use shakmaty::Color;

use crate::chess::Value;

/// What a position is worth to a winner, more than a draw. Of equal values the nearer one is the greater:
/// that with fewer moves inside the circle on the winner's shortest and the loser's longest way out. The
/// greater, the earlier a sweep settles it; what leans on a position has less than it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gain(u64);

/// The value stands above the moves, which count downwards.
const MOVES: u32 = 32;

impl Gain {
    /// The gain of a way out of the circle, if it is worth more than a draw.
    fn of_exit(value: Value) -> Option<Gain> {
        let value = u64::try_from(value.get()).ok().filter(|value| *value > 0)?;
        Some(Gain(value << MOVES | u64::from(u32::MAX)))
    }

    /// The gain of a move that leads to a position of this gain: always less.
    pub fn after_move(self) -> Gain {
        let later = u64::from(self.value().is_mate());
        Gain(self.0 - (later << MOVES) - 1)
    }

    fn value(self) -> Value {
        Value::new((self.0 >> MOVES) as i64).unwrap_or_default()
    }
}

/// What one of the sides gets of a position, if not a draw: White's gain is positive, Black's is negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standing(i64);

impl Standing {
    /// Neither side gets more than a draw.
    pub const DRAWN: Standing = Standing(0);

    /// A winner's gain.
    pub fn new(winner: Color, Gain(gain): Gain) -> Standing {
        Standing(if winner == Color::White { gain as i64 } else { -(gain as i64) })
    }

    /// A way out of the circle that is worth this for a side.
    pub fn of_exit(value: Value, side: Color) -> Standing {
        match Gain::of_exit(value) {
            Some(gain) => Standing::new(side, gain),
            None => {
                Gain::of_exit(-value).map_or(Standing::DRAWN, |gain| Standing::new(!side, gain))
            }
        }
    }

    /// What a winner gets; nothing where that is no more than a draw.
    pub fn gain(self, winner: Color) -> Option<Gain> {
        let own = if winner == Color::White { self.0 } else { -self.0 };
        (own > 0).then_some(Gain(own as u64))
    }

    /// Who gets more than a draw, and what.
    pub fn lead(self) -> Option<(Color, Gain)> {
        let winner = if self.0 < 0 { Color::Black } else { Color::White };
        self.gain(winner).map(|gain| (winner, gain))
    }

    /// What is more for a side has a greater number.
    pub fn for_side(self, side: Color) -> i64 {
        if side == Color::White { self.0 } else { -self.0 }
    }

    /// The value for one side.
    pub fn value(self, side: Color) -> Value {
        self.lead().map_or(
            Value::DRAW,
            |(winner, gain)| {
                if winner == side { gain.value() } else { -gain.value() }
            },
        )
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

    fn exit(value: i64) -> Gain {
        Gain::of_exit(Value::new(value).unwrap()).unwrap()
    }

    #[test]
    fn what_is_further_away_is_less_and_a_mate_is_less_worth() {
        let near = exit(31_005);
        assert!(near > near.after_move() && near.after_move() > exit(31_000));
        assert_eq!(near.after_move().value(), Value::new(31_004).unwrap());
        let far = (0..9).fold(near, |gain, _| gain.after_move());
        assert_eq!(far.value(), Value::new(31_000).unwrap(), "it is clamped then");
        assert!(exit(7).after_move() > exit(6) && exit(7).after_move() < exit(7));
        assert_eq!(Gain::of_exit(Value::DRAW), None);
    }

    #[test]
    fn a_standing_is_one_side_s_gain() {
        let value = |raw| Value::new(raw).unwrap();
        for (raw, winner) in [(40, Color::Black), (-40, Color::White)] {
            let standing = Standing::of_exit(value(raw), Color::Black);
            assert_eq!(standing.lead(), Some((winner, exit(40))));
            assert_eq!(standing.gain(!winner), None);
            assert_eq!(standing.value(Color::Black), value(raw));
            assert_eq!(standing.value(Color::White), value(-raw));
        }
        assert_eq!(Standing::of_exit(Value::DRAW, Color::White), Standing::DRAWN);
        assert_eq!(
            (Standing::DRAWN.lead(), Standing::DRAWN.value(Color::White)),
            (None, Value::DRAW)
        );
    }

    #[test]
    fn the_greatest_gain_comes_first() {
        let mut queue = Queue::default();
        let gains = [exit(3), exit(31_999), exit(3).after_move(), exit(8)];
        gains.iter().zip(0..).for_each(|(gain, place)| queue.push(Some(*gain), place));
        queue.push(None, 9);
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [(gains[1], 1), (gains[3], 3), (gains[0], 0), (gains[2], 2)]);
    }
}
