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
    Ok(weights(&turning, roots))
}

/// A weight for each root, in their order.
fn weights<'r>(turning: &HashSet<RootKey>, roots: impl Iterator<Item = &'r Game>) -> Vec<f64> {
    roots.map(|root| f64::from(turning.contains(&start_and_moves(root)))).collect()
}

/// FEN of the start, and the moves.
type RootKey = (String, Vec<String>);

fn start_and_moves(game: &Game) -> RootKey {
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
    fn closing_weights_are_in_the_order_of_the_roots() {
        let game = |line: &str| {
            let mut game = Game::from_start("startpos").unwrap();
            game.play_line(line).unwrap();
            game
        };
        let turning = HashSet::from(["d4", "d4 d5 c4"].map(|line| start_and_moves(&game(line))));
        // The last one comes to a position that turns, by other moves.
        let roots = ["d4 d5", "d4 d5 c4", "e4", "d4", "c4 d5 d4"].map(game);
        assert_eq!(weights(&turning, roots.iter()), [0.0, 1.0, 0.0, 1.0, 0.0]);
        assert_eq!(weights(&turning, roots.iter().rev()), [0.0, 1.0, 0.0, 1.0, 0.0]);
        assert_eq!(weights(&turning, roots[1..].iter()), [1.0, 0.0, 1.0, 0.0]);
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
