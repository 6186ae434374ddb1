//! Scores inside the search: centipawns for the side to move, mates by their distance in plies.

use deepanalyze_core::chess::Score;

/// A mate on the board, for the winner. A mate in *n* plies is `MATE - n`.
pub const MATE: i32 = 32_000;
/// Beyond this a score is a mate.
pub const MATE_BOUND: i32 = 31_000;
/// Above every score.
pub const INFINITE: i32 = 32_500;
/// The greatest score that the evaluation gives.
pub const GREATEST_EVALUATION: i32 = 20_000;

/// Being mated in so many plies.
pub fn mated_in(ply: usize) -> i32 {
    ply as i32 - MATE
}

/// Whether a score is a mate for either side.
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
}
