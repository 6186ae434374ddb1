//! The accuracy of each side of a game, in per cent.

use std::fmt;

use serde::Serialize;
use shakmaty::Position;

use deepanalyze_core::chess::{Game, Value};
use deepanalyze_core::search::WinDrawLoss;

use crate::game::judged::{Annotation, JudgedLine};
use deepanalyze_view::expected_of;

/// Lichess's curve from points lost by a move, of 100 expected, to its accuracy in per cent.
const GREATEST: f64 = 103.1668;
const DECAY: f64 = 0.043_54;
const BELOW: f64 = 3.1669;

/// Source of the expected points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "snake_case")]
pub enum AccuracyFrom {
    /// The engine's win, draw and loss.
    #[serde(rename = "wdl")]
    WinDrawLoss,
    /// The scores: for some position the engine gave nothing else.
    Score,
    /// Either, as far as the engine gave it.
    Both,
}

/// The accuracy of both sides: the mean of their moves', 0 to 100; null for a side without known
/// moves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct Accuracy {
    white: Option<f64>,
    black: Option<f64>,
    from: AccuracyFrom,
}

/// `White 93.1, Black 88.0, by win, draw and loss`.
impl fmt::Display for Accuracy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (side, accuracy) in [("White", self.white), ("Black", self.black)] {
            if let Some(accuracy) = accuracy {
                write!(f, "{side} {accuracy:.1}, ")?;
            }
        }
        f.write_str(self.from.words())
    }
}

impl AccuracyFrom {
    const ALL: [AccuracyFrom; 3] =
        [AccuracyFrom::WinDrawLoss, AccuracyFrom::Score, AccuracyFrom::Both];

    fn words(self) -> &'static str {
        match self {
            AccuracyFrom::WinDrawLoss => "by win, draw and loss",
            AccuracyFrom::Score => "by scores",
            AccuracyFrom::Both => "by win, draw and loss, and by scores where they are not known",
        }
    }
}

/// The text behind our sentence on accuracy, if it begins with one.
pub fn behind_accuracy(text: &str) -> Option<&str> {
    let ends =
        AccuracyFrom::ALL.iter().filter_map(|from| text.split_once(&format!("{}.", from.words())));
    ends.min_by_key(|(sentence, _)| sentence.len()).map(|(_, behind)| behind)
}

/// True if the text is our sentence on accuracy.
pub fn is_our_accuracy(text: &str) -> bool {
    AccuracyFrom::ALL.iter().any(|from| text.ends_with(from.words()))
}

impl Accuracy {
    /// From the best lines of a game's positions and the annotations of its moves. `None` if no
    /// move is judged.
    pub fn of<'l>(
        game: &Game,
        lines: impl Iterator<Item = Option<&'l JudgedLine>>,
        annotations: &[Annotation],
    ) -> Option<Accuracy> {
        let (mut sides, mut by_word, mut by_curve) = ([Vec::new(), Vec::new()], false, false);
        let white_begins = game.start().turn().is_white();
        let lines: Vec<Option<&JudgedLine>> = lines.collect();
        for (ply, annotation) in annotations.iter().enumerate() {
            let before = lines.get(ply).copied().flatten();
            let behind = lines.get(ply + 1).copied().flatten();
            let Some((before, played)) = before.zip(annotation.played) else { continue };
            let said = behind.and_then(|behind| behind.wdl).map(WinDrawLoss::flipped);
            let both = [(before.value, before.wdl), (played, said)];
            let by_engine = both.map(|(value, wdl)| points_said(value, wdl));
            let [best, got] = match by_engine {
                [Some(best), Some(got)] => {
                    by_word = true;
                    [best, got]
                }
                _ => {
                    by_curve = true;
                    both.map(|(value, _)| 100.0 * expected_of(value))
                }
            };
            let of_white = (ply % 2 == 0) == white_begins;
            let [white, black] = &mut sides;
            (if of_white { white } else { black }).push(of_move(best, got));
        }
        let [white, black] = sides.map(|moves| mean(&moves));
        let from = match (by_word, by_curve) {
            (false, false) => return None,
            (true, false) => AccuracyFrom::WinDrawLoss,
            (false, true) => AccuracyFrom::Score,
            (true, true) => AccuracyFrom::Both,
        };
        Some(Accuracy { white, black, from })
    }
}

/// Expected points in 100 by the engine. A mate needs none.
fn points_said(value: Value, wdl: Option<WinDrawLoss>) -> Option<f64> {
    let decided = value.is_mate().then(|| expected_of(value));
    wdl.map(WinDrawLoss::expected_score).or(decided).map(|points| 100.0 * points)
}

/// Accuracy of a move, from the expected points before and after it.
fn of_move(best: f64, got: f64) -> f64 {
    let lost = (best - got).max(0.0);
    (GREATEST * (-DECAY * lost).exp() - BELOW).clamp(0.0, 100.0)
}

/// To a tenth; `None` if empty.
fn mean(moves: &[f64]) -> Option<f64> {
    let count = u32::try_from(moves.len()).ok().filter(|count| *count > 0)?;
    Some((10.0 * moves.iter().sum::<f64>() / f64::from(count)).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_view::ChosenBy;

    fn line(cp: i64, wdl: Option<[u16; 3]>) -> JudgedLine {
        let wdl = wdl.map(|wdl| WinDrawLoss::try_from(wdl).unwrap());
        let (value, moves, by) = (Value::new(cp).unwrap(), Vec::new(), Some(ChosenBy::Tree));
        JudgedLine { value, wdl, moves, by, ply: 0 }
    }

    fn told(moves: &str, lines: &[JudgedLine]) -> Option<String> {
        let mut game = Game::from_start("startpos").unwrap();
        game.play_line(moves).unwrap();
        let played = lines
            .iter()
            .skip(1)
            .map(|behind| Annotation { played: Some(-behind.value), ..Annotation::default() });
        let played: Vec<_> = played.collect();
        Accuracy::of(&game, lines.iter().map(Some), &played).map(|accuracy| accuracy.to_string())
    }

    #[test]
    fn the_engines_wdl_precedes_the_curve() {
        let all = [
            line(200, Some([200, 800, 0])),
            line(0, Some([100, 800, 100])),
            line(0, Some([100, 800, 100])),
        ];
        let words = "White 63.6, Black 100.0, by win, draw and loss";
        assert_eq!(told("e4 e5", &all).as_deref(), Some(words));
        assert!(is_our_accuracy(words) && !is_our_accuracy("White 93, Black 88"));
        let by_curve = all.clone().map(|said| JudgedLine { wdl: None, ..said });
        let words = "White 44.7, Black 100.0, by scores";
        assert_eq!(told("e4 e5", &by_curve).as_deref(), Some(words));
        let [first, second, _] = all;
        let mixed = told("e4 e5", &[first, second, line(0, None)]).unwrap();
        assert!(mixed.ends_with("by win, draw and loss, and by scores where they are not known"));
    }

    #[test]
    fn mates_need_no_wdl_and_no_moves_have_no_accuracy() {
        let all = [line(31_999, None), line(0, Some([100, 800, 100]))];
        let told_of_mate = told("e4", &all).unwrap();
        assert!(told_of_mate.ends_with("by win, draw and loss"), "{told_of_mate}");
        assert!(!told_of_mate.contains("Black"));
        assert_eq!(told("e4", &[line(0, None)]), None);
    }
}
