//! Scores as engines print them, and as one ordered integer.

use std::fmt::{self, Write};

use arrayvec::ArrayString;
use serde::{Deserialize, Serialize};

/// A score as UCI writes it: centipawns, or a mate in moves; for the side that plays the scored move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// Mate in that many moves; negative where the side is mated, 0 where it is mated already.
    Mate(i32),
}

impl Score {
    /// The greatest centipawns: more would be a mate, as a [`Value`].
    pub const GREATEST_CP: i32 = 31_000;
    /// The longest mate distinguished from centipawns, in moves.
    pub const LONGEST_MATE: i32 = 499;

    /// Centipawns as an engine says them, within the bound.
    pub fn cp(said: i64) -> Score {
        Score::Cp(within(said, Score::GREATEST_CP))
    }

    /// A mate in moves as an engine says it, within the bound.
    pub fn mate(said: i64) -> Score {
        Score::Mate(within(said, Score::LONGEST_MATE))
    }
}

/// The number, or the nearest of the bounds at both sides of 0.
fn within(said: i64, bound: i32) -> i32 {
    let nearest = if said < 0 { -bound } else { bound };
    i32::try_from(said).ok().filter(|said| (-bound..=bound).contains(said)).unwrap_or(nearest)
}

/// A score as one ordered integer, for the side to move or the mover. Programs read it as a [`Score`].
///
/// A mate delivered after *k* plies is `32000 − k`, being mated after *k* plies is
/// `−(32000 − k)`; centipawns are clamped to ±31000 (ALGORITHM, section 2).
///
/// ```
/// use deepanalyze_core::chess::{Score, Value};
///
/// let mate_in_two = Value::from(Score::Mate(2));
/// assert_eq!(mate_in_two.get(), 32000 - 3);
/// assert_eq!(Value::from(Score::Mate(-1)).step(), mate_in_two); // one ply further away
/// assert!(Value::from(Score::Cp(40_000)) < mate_in_two);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(into = "Score")]
pub struct Value(i16);

/// As it is written: a [`Score`].
#[cfg(feature = "contract")]
impl schemars::JsonSchema for Value {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Score::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        generator.subschema_for::<Score>()
    }
}

/// The value of a mate on the board, seen from the winner.
const MATE: i16 = 32_000;
/// The greatest centipawn score; more is a mate.
const GREATEST_CP: i16 = 31_000;

/// The steepness of the winning chances, as Lichess fitted it to the games of its players.
const STEEPNESS: f64 = 0.003_682_08;
/// The columns of `-21474836.48`.
const LONGEST_SCORE: usize = 12;
/// Beyond this many centipawns a game is won, and more of them win nothing.
const WON_CP: i16 = 1000;

impl Value {
    /// Neither side is better; for the value of a draw see [`super::DrawValue`].
    pub const EVEN: Value = Value(0);
    /// A game that is decided without a mate to show: by tables, or by the user's word.
    pub const WON: Value = Value(30_000);
    /// The side to move is mated.
    pub const MATED: Value = Value(-MATE);
    /// Below every value: the lower end of a full window.
    pub const MIN: Value = Value(-i16::MAX);
    /// Above every value: the upper end of a full window.
    pub const MAX: Value = Value(i16::MAX);

    /// A value from the integer that [`Value::get`] gives; None if no position has it.
    pub fn new(raw: i64) -> Option<Value> {
        let raw = i16::try_from(raw).ok()?;
        (-MATE..=MATE).contains(&raw).then_some(Value(raw))
    }

    /// The ordered integer.
    pub fn get(self) -> i16 {
        self.0
    }

    /// True if this is a mate, for either side.
    pub fn is_mate(self) -> bool {
        self.0.unsigned_abs() > GREATEST_CP.unsigned_abs()
    }

    /// The value one ply further from the mate, if it is one.
    #[must_use]
    pub fn ply_later(self) -> Value {
        match self.0 {
            v if v > GREATEST_CP => Value(v - 1),
            v if v < -GREATEST_CP => Value(v + 1),
            v => Value(v),
        }
    }

    /// The value of the move that led to a position of this value, for its mover.
    #[must_use]
    pub fn step(self) -> Value {
        -self.ply_later()
    }

    /// The value of the position behind a move of this value, for the side to move there: the value that
    /// [`Value::step`] began with.
    #[must_use]
    pub fn behind(self) -> Value {
        match self.0 {
            v if v > GREATEST_CP => Value(-(v + 1).min(MATE)),
            v if v < -GREATEST_CP => Value((1 - v).min(MATE)),
            v => Value(-v),
        }
    }

    /// The expected score of its side, 0 to 1.
    pub fn expected_score(self) -> f64 {
        f64::midpoint(self.winning_chances(), 1.0)
    }

    /// The winning chances of its side, from −1 (mated) to 1 (mates): the logistic curve of Lichess,
    /// 2 / (1 + e^(−0.00368208·cp)) − 1, with the centipawns within ±1000.
    pub fn winning_chances(self) -> f64 {
        if self.is_mate() {
            return f64::from(self.0.signum());
        }
        let cp = f64::from(self.0.clamp(-WON_CP, WON_CP));
        2.0 / (1.0 + (-STEEPNESS * cp).exp()) - 1.0
    }

    /// The value this many centipawns higher (or lower, if negative), at most the greatest
    /// centipawn score. A mate stays as it is.
    #[must_use]
    pub fn shifted(self, centipawns: i32) -> Value {
        if self.is_mate() {
            return self;
        }
        Value::from(Score::Cp(i32::from(self.0).saturating_add(centipawns)))
    }

    /// This value less a distance in centipawns, for comparisons only: it may be no score at all.
    pub fn less(self, distance: u32) -> i64 {
        i64::from(self.0) - i64::from(distance)
    }
}

impl std::ops::Neg for Value {
    type Output = Value;

    fn neg(self) -> Value {
        Value(-self.0)
    }
}

impl From<Score> for Value {
    fn from(score: Score) -> Value {
        let clamped = |n: i64, least: i16, greatest: i16| {
            let n = n.clamp(i64::from(least), i64::from(greatest));
            // Within i16 by the clamp.
            i16::try_from(n).unwrap_or(least)
        };
        let mate = i64::from(MATE);
        match score {
            Score::Cp(cp) => Value(clamped(i64::from(cp), -GREATEST_CP, GREATEST_CP)),
            Score::Mate(n) if n > 0 => {
                Value(clamped(mate - 2 * i64::from(n) + 1, GREATEST_CP + 1, MATE - 1))
            }
            Score::Mate(n) => Value(clamped(-(mate + 2 * i64::from(n)), -MATE, -GREATEST_CP - 1)),
        }
    }
}

impl From<Value> for Score {
    fn from(value: Value) -> Score {
        let plies = i32::from(MATE) - i32::from(value.0).abs();
        match value.0 {
            v if v > GREATEST_CP => Score::Mate((plies + 1) / 2),
            v if v < -GREATEST_CP => Score::Mate(-(plies / 2)),
            v => Score::Cp(i32::from(v)),
        }
    }
}

/// The score for the other side.
impl std::ops::Neg for Score {
    type Output = Score;

    fn neg(self) -> Score {
        match self {
            Score::Cp(cp) => Score::Cp(cp.saturating_neg()),
            Score::Mate(n) => Score::Mate(n.saturating_neg()),
        }
    }
}

/// Pawns with at most two decimals, as people write them (`+0.50`, `-1.2`, `3`), in centipawns:
/// clamped if too many; None for other text.
pub fn centipawns_in(text: &str) -> Option<i32> {
    let text = text.trim();
    let (sign, number) = match text.split_at_checked(1) {
        Some(("-", number)) => (-1, number),
        Some(("+", number)) => (1, number),
        _ => (1, text),
    };
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(decimals) {
        return None;
    }
    let hundredths: i32 = match decimals.len() {
        1 => decimals.parse::<i32>().ok()? * 10,
        2 => decimals.parse().ok()?,
        _ => return None,
    };
    let pawns: i32 = whole.parse().unwrap_or(i32::MAX);
    Some(sign * pawns.saturating_mul(100).saturating_add(hundredths))
}

/// As people write scores: `+0.13`, `-1.20`, `#3`, `#-2`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = ArrayString::<LONGEST_SCORE>::new();
        match *self {
            Score::Cp(0) => text.write_str("0.00"),
            Score::Cp(cp) => {
                let sign = if cp < 0 { '-' } else { '+' };
                let cp = cp.unsigned_abs();
                write!(text, "{sign}{}.{:02}", cp / 100, cp % 100)
            }
            Score::Mate(n) => write!(text, "#{n}"),
        }?;
        f.pad(&text)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Score::from(*self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uci_mates_count_plies_from_either_side() {
        for (n, value) in [(1, 31_999), (2, 31_997), (-1, -31_998), (-2, -31_996), (0, -32_000)] {
            assert_eq!(Value::from(Score::Mate(n)).get(), value, "mate {n}");
            assert_eq!(Score::from(Value(value)), Score::Mate(n), "value {value}");
        }
    }

    #[test]
    fn each_step_moves_a_mate_one_ply_and_turns_its_sign() {
        assert_eq!(Value::MATED.step(), Value::from(Score::Mate(1)));
        assert_eq!(Value::from(Score::Mate(1)).step(), Value::from(Score::Mate(-1)));
        assert_eq!(Value::from(Score::Mate(-1)).step(), Value::from(Score::Mate(2)));
        assert_eq!(Value(31_001).step(), Value(-31_000), "a mate too far away is a clamped score");
        assert_eq!(Value(31_000).step(), Value(-31_000));
        assert_eq!(Value(13).step(), Value(-13));
    }

    #[test]
    fn behind_a_move_stands_the_value_that_it_came_from() {
        for raw in [-32_000, -31_999, -31_500, -31_002, -31_000, -30, 0, 30, 31_000, 31_002, 31_998]
        {
            assert_eq!(Value(raw).step().behind(), Value(raw), "{raw}");
        }
    }

    #[test]
    fn scores_beyond_the_scale_are_clamped_in_order() {
        let scores = [
            Score::Mate(0),
            Score::Mate(-1),
            Score::Mate(i32::MIN),
            Score::Cp(i32::MIN),
            Score::Cp(-31_000),
            Score::Cp(0),
            Score::Cp(31_000),
            Score::Cp(i32::MAX),
            Score::Mate(i32::MAX),
            Score::Mate(2),
            Score::Mate(1),
        ];
        let values: Vec<Value> = scores.into_iter().map(Value::from).collect();
        assert!(values.is_sorted(), "{values:?}");
        assert!(values[2].is_mate() && !values[3].is_mate() && values[8].is_mate());
    }

    #[test]
    fn engine_scores_are_clamped_and_mates_stay_apart() {
        for (said, cp, mate) in [
            (0, 0, 0),
            (-7, -7, -7),
            (31_001, 31_000, 499),
            (-31_001, -31_000, -499),
            (i64::MAX, 31_000, 499),
            (i64::MIN, -31_000, -499),
        ] {
            assert_eq!((Score::cp(said), Score::mate(said)), (Score::Cp(cp), Score::Mate(mate)));
            assert_eq!(-Score::cp(said), Score::Cp(-cp));
            assert!(!Value::from(Score::cp(said)).is_mate());
            assert!(Value::from(Score::mate(said)).is_mate());
            assert_eq!(Score::from(Value::from(Score::mate(said))), Score::mate(said));
        }
        // Older databases may hold this.
        assert_eq!(-Score::Cp(i32::MIN), Score::Cp(i32::MAX));
    }

    #[test]
    fn a_shifted_score_is_a_score_and_a_mate_stays() {
        for (raw, by, right) in [
            (30, -40, -10),
            (30_990, 40, 31_000),
            (-30_990, i32::MIN, -31_000),
            (31_001, -5, 31_001),
            (-31_998, 5, -31_998),
        ] {
            assert_eq!(Value(raw).shifted(by), Value(right));
        }
    }

    #[test]
    fn winning_chances_are_one_curve_up_to_a_won_game() {
        let chances = |cp: i32| Value::from(Score::Cp(cp)).winning_chances();
        assert!(
            (chances(100) - 0.1820).abs() < 1e-4 && (chances(-100) + chances(100)).abs() < 1e-12
        );
        assert!(
            chances(0) == 0.0 && chances(999) < chances(1000) && chances(1000) == chances(31_000)
        );
        assert_eq!(Value::from(Score::Mate(40)).winning_chances(), 1.0);
        assert_eq!(Value::from(Score::Mate(0)).winning_chances(), -1.0);
    }

    #[test]
    fn people_read_pawns_and_mates() {
        for (score, text) in [
            (Score::Cp(13), "+0.13"),
            (Score::Cp(-120), "-1.20"),
            (Score::Cp(0), "0.00"),
            (Score::Mate(3), "#3"),
            (Score::Mate(-2), "#-2"),
            (Score::Cp(i32::MIN), "-21474836.48"),
            (Score::Mate(i32::MIN), "#-2147483648"),
        ] {
            assert_eq!(score.to_string(), text);
        }
        assert_eq!(format!("{:>7}", Score::Cp(5)), "  +0.05");
    }
}
