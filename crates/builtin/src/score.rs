//! Scores inside the search: centipawns for the side to move, mates by their distance in plies. And
//! their win, draw and loss rates, fitted to games that the engine played against itself.

use deepanalyze_core::chess::Score;

/// A mate on the board, for the winner. A mate in *n* plies is `MATE - n`.
pub const MATE: i32 = 32_000;
/// Beyond this a score is a mate.
pub const MATE_BOUND: i32 = 31_000;
/// Above every score.
pub const INFINITE: i32 = 32_500;
/// The greatest score that the evaluation gives.
pub const GREATEST_EVALUATION: i32 = 20_000;

/// Score of being mated in `ply` plies.
pub fn mated_in(ply: usize) -> i32 {
    ply as i32 - MATE
}

/// True if a score is a mate for either side.
pub fn is_mate(score: i32) -> bool {
    score.abs() > MATE_BOUND
}

/// A score as the table keeps it: mates counted from the node, not from the root.
pub fn to_table(score: i32, ply: usize) -> i32 {
    match score {
        s if s > MATE_BOUND => s + ply as i32,
        s if s < -MATE_BOUND => s - ply as i32,
        s => s,
    }
}

/// The inverse of [`to_table`].
pub fn from_table(score: i32, ply: usize) -> i32 {
    match score {
        s if s > MATE_BOUND => s - ply as i32,
        s if s < -MATE_BOUND => s + ply as i32,
        s => s,
    }
}

/// The score as UCI has it.
pub fn to_uci(score: i32) -> Score {
    match score {
        s if s > MATE_BOUND => Score::Mate((MATE - s + 1) / 2),
        s if s < -MATE_BOUND => Score::Mate(-((MATE + s) / 2)),
        s => Score::Cp(s),
    }
}

/// Wins, draws and losses per thousand games from a position of this score, for the side to move;
/// `phase` is the game phase (24 at the start).
pub fn permille(score: i32, phase: i32) -> [i32; 3] {
    if is_mate(score) {
        return if score > 0 { [1000, 0, 0] } else { [0, 0, 1000] };
    }
    let win = chance(score, phase);
    let loss = chance(-score, phase);
    [win, 1000 - win - loss, loss]
}

/// Midpoint and spread of the win curve, with no pieces and per piece of phase; from the fit in
/// `docs/engine.md`.
const MIDDLE: (f64, f64) = (225.0, -7.5);
const SPREAD: (f64, f64) = (90.0, 0.95);

fn chance(score: i32, phase: i32) -> i32 {
    let phase = f64::from(phase);
    let middle = MIDDLE.0 + MIDDLE.1 * phase;
    let spread = SPREAD.0 + SPREAD.1 * phase;
    let chance = 1000.0 / (1.0 + ((middle - f64::from(score)) / spread).exp());
    chance.round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_from_the_node_in_the_table() {
        for ply in [0, 1, 7] {
            for score in [0, 35, -900, MATE - 9, mated_in(12)] {
                assert_eq!(from_table(to_table(score, ply), ply), score);
            }
        }
        assert_eq!(to_table(MATE - 5, 2), MATE - 3);
    }

    #[test]
    fn mates_are_told_in_moves() {
        assert_eq!(to_uci(MATE - 1), Score::Mate(1));
        assert_eq!(to_uci(MATE - 3), Score::Mate(2));
        assert_eq!(to_uci(mated_in(2)), Score::Mate(-1));
        assert_eq!(to_uci(mated_in(0)), Score::Mate(0));
        assert_eq!(to_uci(17), Score::Cp(17));
    }

    #[test]
    fn the_three_add_up_and_grow_with_the_score() {
        for phase in [0, 12, 24] {
            let mut last = 0;
            for score in (-3000..3000).step_by(7) {
                let [win, draw, loss] = permille(score, phase);
                assert_eq!(win + draw + loss, 1000);
                assert!(win >= last && draw >= 0 && loss >= 0, "{score} {win} {draw} {loss}");
                assert_eq!(permille(-score, phase), [loss, draw, win]);
                last = win;
            }
        }
    }
}
