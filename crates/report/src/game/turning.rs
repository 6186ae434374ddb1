//! Turning points of a game's values: closing searches help most there.

use std::collections::HashSet;

use deepanalyze_core::chess::{Game, WrittenGame, fen_of};
use deepanalyze_store::{Store, StoreError};

use crate::game::annotated_games;
use crate::game::judged::{Annotation, JudgedLine};

/// From this loss of winning chances (−1 to 1) on a move is near a glyph; the first one needs 0.1.
const NEAR: f64 = 0.08;

/// The plies of positions where a game's values turn: those before and behind each move whose loss
/// is near a glyph's or greater, and the origins of both values.
pub fn turning_points(lines: &[Option<JudgedLine>], annotations: &[Annotation]) -> HashSet<usize> {
    let mut found = HashSet::new();
    for (ply, annotation) in annotations.iter().enumerate() {
        let here = lines.get(ply).and_then(Option::as_ref);
        let Some((here, played)) = here.zip(annotation.played) else { continue };
        if here.value.winning_chances() - played.winning_chances() >= NEAR {
            let behind = lines.get(ply + 1).and_then(Option::as_ref);
            found.extend([ply, ply + 1, here.ply]);
            found.extend(behind.map(|behind| behind.ply));
        }
    }
    found
}

/// Weights of closing searches' time among positions of games, by their trees: one for each of
/// these roots, 1 where values turn and 0 elsewhere.
///
/// # Errors
///
/// [`StoreError`] if the database fails, or a tree is damaged.
pub fn closing_weights<'r>(
    games: &[WrittenGame],
    roots: impl Iterator<Item = &'r Game>,
    store: &Store,
) -> Result<Vec<f64>, StoreError> {
    let mut turning = HashSet::new();
    for annotated in annotated_games(games.to_vec(), store)? {
        let lines: Vec<_> = annotated.positions.into_iter().map(|position| position.best).collect();
        for ply in turning_points(&lines, &annotated.annotations) {
            turning.insert(start_and_moves(&annotated.game.up_to(ply)));
        }
    }
    let weight = |root| if turning.contains(&start_and_moves(root)) { 1.0 } else { 0.0 };
    Ok(roots.map(weight).collect())
}

fn start_and_moves(game: &Game) -> (String, Vec<String>) {
    let moves = game.moves().iter().map(ToString::to_string);
    (fen_of(game.start()), moves.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepanalyze_core::chess::Value;

    fn line(value: i64, ply: usize) -> Option<JudgedLine> {
        let value = Value::new(value).unwrap();
        Some(JudgedLine { value, wdl: None, moves: Vec::new(), by: None, ply })
    }

    fn turning(lines: &[Option<JudgedLine>]) -> Vec<usize> {
        let played = lines.iter().skip(1).map(|behind| Annotation {
            played: behind.as_ref().map(|behind| behind.value.step()),
            ..Annotation::default()
        });
        let mut found: Vec<usize> =
            turning_points(lines, &played.collect::<Vec<_>>()).into_iter().collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn values_turn_around_bad_moves_and_at_their_origins() {
        assert_eq!(turning(&[line(20, 0), line(-20, 1), line(10, 2)]), Vec::<usize>::new());
        assert_eq!(turning(&[line(20, 0), line(25, 1), line(-25, 2)]), [0, 1]);
        assert_eq!(turning(&[line(20, 0), line(-10, 1), line(90, 4), line(-90, 4)]), [1, 2, 4]);
        assert_eq!(turning(&[line(20, 0), None, line(900, 2)]), Vec::<usize>::new());
        // More in a won game is no turn.
        assert_eq!(turning(&[line(1500, 0), line(-1100, 1)]), Vec::<usize>::new());
    }
}
