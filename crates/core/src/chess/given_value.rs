//! Values that a user gives to positions.

use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::draw_value::DrawValue;
use super::score::{Score, Value};

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
