//! Ranking of the results of the root's shares.

use std::cmp::Reverse;
use std::collections::HashSet;

use shakmaty::uci::UciMove;

use crate::chess::Value;

/// Centipawns by which the best of the shared moves must beat the search of all moves to count: the
/// greatest of several uncertain scores is too high (`docs/worth.md`).
pub const CLOSING_MARGIN: u32 = 30;

/// Result of one share of the root moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShareAnswer {
    /// True if it had all moves.
    pub all: bool,
    /// The move that it chose.
    pub uci: UciMove,
    /// Its value for its mover.
    pub value: Value,
}

/// Ranks the moves chosen from a root's shares, given in the order of the shares: the places of
/// their answers, the best first, each move once.
///
/// The first is the move that counts: that of the engine with all moves, unless the greatest score
/// of the others is better by [`CLOSING_MARGIN`]; of equal scores the one that comes first. The
/// others follow by their scores. If the engine with all moves and one with a share have chosen the
/// same, and it is not the first, the score of the share counts, which is comparable with those
/// beside it.
pub fn ranked_shares(answers: &[ShareAnswer]) -> Vec<usize> {
    let of = |all: bool| answers.iter().enumerate().filter(move |(_, answer)| answer.all == all);
    let mut ranked: Vec<(usize, &ShareAnswer)> = of(false).collect();
    ranked.sort_by_key(|(_, answer)| Reverse(answer.value));
    if let Some((place, whole)) = of(true).next() {
        let best = ranked.first().map(|(_, best)| best.value.less(CLOSING_MARGIN));
        let counts = best.is_none_or(|best| best < whole.value.less(0));
        let is_shared = ranked.iter().any(|(_, answer)| answer.uci == whole.uci);
        match (counts, is_shared) {
            (true, _) => ranked.insert(0, (place, whole)),
            (false, true) => {}
            (false, false) => {
                let behind = ranked.partition_point(|(_, answer)| answer.value >= whole.value);
                ranked.insert(behind, (place, whole));
            }
        }
    }
    let mut told = HashSet::new();
    ranked.retain(|(_, answer)| told.insert(answer.uci));
    ranked.into_iter().map(|(place, _)| place).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::chess::Score;

    /// Engines' answers, by their moves: `*` has all.
    fn said(text: &str) -> Vec<ShareAnswer> {
        let one = |word: &str| {
            let (all, word) = word.strip_prefix('*').map_or((false, word), |word| (true, word));
            let (uci, score) = word.split_once('=').unwrap();
            let value = match score.strip_prefix('#') {
                Some(mate) => Value::from(Score::Mate(mate.parse().unwrap())),
                None => Value::from(Score::Cp(score.parse().unwrap())),
            };
            ShareAnswer { all, uci: uci.parse().unwrap(), value }
        };
        text.split(' ').map(one).collect()
    }

    #[test]
    fn search_of_all_counts_unless_another_is_better() {
        assert_eq!(CLOSING_MARGIN, 30);
        for (answers, ranked) in [
            ("*a2a3=20", &[0][..]),
            // 29 better is not enough. The same move is ranked once, by the share's score if not
            // first.
            ("*a2a3=20 b2b3=49 a2a3=20", &[0, 1]),
            ("*a2a3=20 c2c3=-50 b2b3=50 d2d3=50", &[2, 3, 0, 1]),
            ("*a2a3=20 a2a3=12 b2b3=50 c2c3=16", &[2, 3, 1]),
            ("*a2a3=20 b2b3=60 c2c3=20", &[1, 2, 0]),
            // Both win, and both lose but for one.
            ("*a2a3=#5 b2b3=#3", &[0, 1]),
            ("*a2a3=#-5 b2b3=-900", &[1, 0]),
            // As shares were before one had all moves.
            ("a2a3=3 b2b3=7 c2c3=7", &[1, 2, 0]),
        ] {
            assert_eq!(ranked_shares(&said(answers)), ranked, "{answers}");
        }
        assert!(ranked_shares(&[]).is_empty());
    }
}
