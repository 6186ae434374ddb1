//! The value of a draw (ALGORITHM, section 10), and the value that a user gives a position.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::score::{Score, Value, centipawns_in};

/// The value of a draw, in centipawns from White's view, −1000 to 1000; 0 by default. −25 means:
/// White would rather be a quarter of a pawn worse than have a draw.
///
/// ```
/// use deepanalyze_core::chess::{DrawValue, Value};
/// use shakmaty::Color;
///
/// let draw: DrawValue = "-0.25".parse().unwrap();
/// assert_eq!(draw, DrawValue::avoided_by(Color::White));
/// assert_eq!(draw.for_side(Color::Black), Value::new(25).unwrap());
/// assert_eq!(draw.to_string(), "-0.25");
/// ```
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(
    feature = "contract",
    derive(schemars::JsonSchema),
    schemars(inline, extend("minimum" = -1000, "maximum" = 1000))
)]
#[serde(into = "i16", try_from = "i64")]
pub struct DrawValue(i16);

/// A number that is no draw value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write pawns for White from -10 to 10, like -0.25")]
pub struct DrawValueError;

impl DrawValue {
    /// The greatest value of a draw to a side, in centipawns.
    pub const GREATEST: i16 = 1000;
    /// The value of a draw to the other side if one avoids it, in centipawns.
    const AVOIDED: i16 = 25;

    /// A draw worth this many centipawns for White; None if out of range.
    pub fn new(centipawns: i64) -> Option<DrawValue> {
        let centipawns = i16::try_from(centipawns).ok()?;
        let range = -DrawValue::GREATEST..=DrawValue::GREATEST;
        range.contains(&centipawns).then_some(DrawValue(centipawns))
    }

    /// A quarter of a pawn against a side that avoids draws.
    pub fn avoided_by(side: Color) -> DrawValue {
        DrawValue(side.fold_wb(-DrawValue::AVOIDED, DrawValue::AVOIDED))
    }

    /// Centipawns for White.
    pub fn get(self) -> i16 {
        self.0
    }

    /// The value of a draw to a side.
    pub fn for_side(self, side: Color) -> Value {
        let white = Value::from(Score::Cp(i32::from(self.0)));
        side.fold_wb(white, -white)
    }
}

impl From<DrawValue> for i16 {
    fn from(draw: DrawValue) -> i16 {
        draw.0
    }
}

impl TryFrom<i64> for DrawValue {
    type Error = &'static str;

    fn try_from(centipawns: i64) -> Result<DrawValue, &'static str> {
        DrawValue::new(centipawns).ok_or("centipawns for White are from -1000 to 1000")
    }
}

/// Pawns for White with at most two decimals.
impl FromStr for DrawValue {
    type Err = DrawValueError;

    fn from_str(text: &str) -> Result<DrawValue, DrawValueError> {
        let centipawns = centipawns_in(text).ok_or(DrawValueError)?;
        DrawValue::new(centipawns.into()).ok_or(DrawValueError)
    }
}

/// As people write scores, for White: `-0.25`, `0.00`, `+1.00`.
impl fmt::Display for DrawValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.for_side(Color::White).fmt(f)
    }
}

/// A position's value given by the user: in a file a number, or the word `"draw"`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
#[serde(into = "Written", from = "Written")]
pub enum GivenValue {
    /// Centipawns for White.
    Centipawns(i32),
    /// The value of a draw.
    #[default]
    Draw,
}

/// Value that a user gives to a position: centipawns for White, or as much as a draw.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(rename = "GivenValue"))]
#[serde(untagged, expecting = "a value is centipawns for White, or \"draw\"")]
enum Written {
    Centipawns(i32),
    Word(Word),
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "lowercase")]
enum Word {
    Draw,
}

impl GivenValue {
    /// The value for a side, given the value of a draw.
    pub fn for_side(self, side: Color, draw: DrawValue) -> Value {
        match self {
            GivenValue::Centipawns(white) => {
                let white = Value::from(Score::Cp(white));
                side.fold_wb(white, -white)
            }
            GivenValue::Draw => draw.for_side(side),
        }
    }

    /// The centipawns for White; None for a draw.
    pub fn centipawns(self) -> Option<i32> {
        if let GivenValue::Centipawns(white) = self { Some(white) } else { None }
    }
}

impl From<GivenValue> for Written {
    fn from(given: GivenValue) -> Written {
        match given {
            GivenValue::Centipawns(white) => Written::Centipawns(white),
            GivenValue::Draw => Written::Word(Word::Draw),
        }
    }
}

impl From<Written> for GivenValue {
    fn from(written: Written) -> GivenValue {
        match written {
            Written::Centipawns(white) => GivenValue::Centipawns(white),
            Written::Word(Word::Draw) => GivenValue::Draw,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_is_worth_as_much_less_to_the_other_side() {
        let draw = DrawValue::new(-25).unwrap();
        assert_eq!(draw.for_side(Color::White).get(), -25);
        assert_eq!(draw.for_side(Color::Black).get(), 25);
        assert_eq!(DrawValue::default().for_side(Color::Black), Value::default());
        assert_eq!(DrawValue::avoided_by(Color::Black).get(), 25);
    }

    #[test]
    fn pawns_are_read_and_written_as_scores_are() {
        for (text, centipawns, written) in [
            ("-0.25", -25, "-0.25"),
            ("0.3", 30, "+0.30"),
            ("+1", 100, "+1.00"),
            ("-0", 0, "0.00"),
            ("10", 1000, "+10.00"),
            ("-10.00", -1000, "-10.00"),
        ] {
            let draw: DrawValue = text.parse().unwrap();
            assert_eq!((draw.get(), draw.to_string().as_str()), (centipawns, written), "{text}");
        }
    }

    #[test]
    fn what_no_draw_is_worth_is_refused() {
        for text in ["", "10.01", "-11", "99999999999", "0,25", "0.255", "draw", "--1"] {
            assert_eq!(text.parse::<DrawValue>(), Err(DrawValueError), "{text}");
        }
        for centipawns in [1001, -1001, i64::MAX, i64::MIN] {
            assert_eq!(DrawValue::new(centipawns), None);
        }
    }

    #[test]
    fn in_a_file_it_is_a_number_of_centipawns() {
        let draw = DrawValue::new(-25).unwrap();
        assert_eq!(serde_json::to_string(&draw).unwrap(), "-25");
        assert_eq!(serde_json::from_str::<DrawValue>("-25").unwrap(), draw);
        assert!(serde_json::from_str::<DrawValue>("-2500").is_err());
    }

    #[test]
    fn given_draw_is_worth_a_draw_and_a_number_itself() {
        let draw = DrawValue::new(-25).unwrap();
        let black = |given: GivenValue| given.for_side(Color::Black, draw).get();
        assert_eq!(black(GivenValue::Draw), 25);
        assert_eq!(black(GivenValue::Centipawns(0)), 0);
        assert_eq!(black(GivenValue::Centipawns(40)), -40);
    }

    #[test]
    fn in_a_file_it_is_a_number_or_a_word() {
        for (given, text) in [(GivenValue::Centipawns(-30), "-30"), (GivenValue::Draw, "\"draw\"")]
        {
            assert_eq!(serde_json::to_string(&given).unwrap(), text);
            assert_eq!(serde_json::from_str::<GivenValue>(text).unwrap(), given);
        }
        let error = serde_json::from_str::<GivenValue>("\"drawn\"").unwrap_err();
        assert!(error.to_string().contains("centipawns for White, or \"draw\""), "{error}");
    }
}
