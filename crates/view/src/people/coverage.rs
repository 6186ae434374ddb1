//! Coverage of people's games by a tree, move by move.

use std::num::NonZeroU32;

use serde::Serialize;
use shakmaty::{Chess, Color, Position};

use super::People;
use super::played::rounded;

/// The chance that a game is still in the tree behind the other side's move of a number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "contract", derive(schemars::JsonSchema))]
pub struct MoveCoverage {
    /// The move's number.
    #[serde(rename = "move")]
    pub number: u32,
    /// 0 to 1.
    #[serde(serialize_with = "six_digits")]
    #[cfg_attr(feature = "contract", schemars(with = "f64"))]
    pub stays: f64,
}

fn six_digits<S: serde::Serializer>(stays: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*stays))
}

impl People<'_> {
    /// The chance that a game is still in the tree behind each move of the other side, before the
    /// tree ends.
    pub fn coverage_by_move(&self, root: &Chess) -> Vec<MoveCoverage> {
        let first = u32::from(root.turn() == self.asked().side);
        let plies = (first..self.plies_inside()).step_by(2).map(|ply| ply + 1);
        let of = |plies| MoveCoverage {
            number: last_move(root, plies),
            stays: self.coverage_for(plies),
        };
        plies.map(of).collect()
    }
}

/// The move to which at least half of the games stay in the tree, and the share one move further:
/// `59 of 100 games stay to move 6, 46 to move 7`. `None` if there is no move.
pub fn describe_coverage(by_move: &[MoveCoverage]) -> Option<String> {
    let stay = by_move.iter().take_while(|at| at.stays >= 0.5).count();
    let last = by_move.get(stay.saturating_sub(1))?;
    let number = last.number;
    let words = match part_of_games(last.stays) {
        Part::All => format!("all games stay to move {number}"),
        Part::Some(part) => format!("{part} games stay to move {number}"),
        Part::None => format!("hardly a game stays to move {number}"),
    };
    let next = by_move.get(stay).filter(|_| stay > 0);
    Some(next.map_or(words.clone(), |next| {
        // From 0 to 100.
        let percent = (100.0 * next.stays).round() as u32;
        format!("{words}, {percent} to move {}", next.number)
    }))
}

/// The number of the last move within these plies behind a root.
fn last_move(root: &Chess, plies: u32) -> u32 {
    let number = NonZeroU32::get(root.fullmoves());
    let begun = u32::from(root.turn() == Color::Black);
    number.saturating_add(plies.saturating_add(begun).saturating_sub(1) / 2)
}

/// A part of many games.
pub enum Part {
    /// All, or nearly.
    All,
    /// `97 of 100`.
    Some(String),
    /// Fewer than one in two hundred.
    None,
}

/// A part from 0 to 1 in words, of 100 games.
pub fn part_of_games(part: f64) -> Part {
    // From 0 to 100.
    let percent = (100.0 * part).round() as u32;
    match percent {
        0 => Part::None,
        100.. if part < 1.0 - 1e-9 => Part::Some("more than 99 of 100".to_owned()),
        100.. => Part::All,
        percent => Part::Some(format!("{percent} of 100")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::after;

    #[test]
    fn half_of_the_games_and_one_move_more_are_told() {
        let told = |stays: &[f64]| {
            let by_move: Vec<MoveCoverage> = (2..)
                .zip(stays)
                .map(|(number, stays)| MoveCoverage { number, stays: *stays })
                .collect();
            describe_coverage(&by_move).unwrap_or_default()
        };
        let caro = [0.97, 0.93, 0.91, 0.81, 0.592, 0.458, 0.3];
        assert_eq!(told(&caro), "59 of 100 games stay to move 6, 46 to move 7");
        assert_eq!(told(&[1.0, 0.999, 0.9]), "90 of 100 games stay to move 4");
        assert_eq!(told(&[1.0, 0.999]), "more than 99 of 100 games stay to move 3");
        assert_eq!(told(&[1.0, 1.0]), "all games stay to move 3");
        assert_eq!(told(&[0.3, 0.2]), "30 of 100 games stay to move 2");
        assert_eq!(told(&[0.001]), "hardly a game stays to move 2");
        assert_eq!(told(&[]), "");
    }

    #[test]
    fn the_last_move_is_that_of_the_last_ply() {
        let after_e4 = after(&Chess::default(), [&"e2e4".parse().unwrap()]);
        let last = |root: &Chess, plies| last_move(root, plies);
        assert_eq!([1, 2, 3, 4].map(|plies| last(&Chess::default(), plies)), [1, 1, 2, 2]);
        assert_eq!([1, 2, 3].map(|plies| last(&after_e4, plies)), [1, 2, 2]);
    }
}
