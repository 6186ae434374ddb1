//! What comes of the shares that engines have searched of a root.

use std::cmp::Reverse;
use std::collections::HashSet;

use shakmaty::uci::UciMove;

use crate::chess::Value;

/// By so many centipawns the best of the shared moves must be better than the search of all moves, or that one counts:
/// the greatest of several uncertain scores is too high (`docs/worth.md`).
pub const CLOSING_MARGIN: u32 = 10;

/// What an engine has come to that searched one of a root's shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShareAnswer {
    /// Whether it had all moves of the root.
    pub all: bool,
    /// The move of the root whose replies it had a part of; none where it had moves of the root itself.
    pub behind: Option<UciMove>,
    /// The move that it chose.
    pub uci: UciMove,
    /// What that is worth, for its mover.
    pub value: Value,
}

/// A move of the root, by the answer that says what it is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChosenMove {
    /// The place of that answer.
    pub place: usize,
    /// The move.
    pub uci: UciMove,
    /// What it is worth, for its mover.
    pub value: Value,
}

/// The moves that engines have chosen of a root's shares, given in the order of the shares: the best first, each move once.
///
/// A move whose replies were shared out is worth what the best of them leaves, for who replies. The first is the move that counts: that
/// of the engine which has all moves, unless the greatest score of the others is better by [`CLOSING_MARGIN`]; of equal scores the one
/// that comes first. The others follow by their scores. Where the engine that has all moves and one that has a share have chosen the
/// same, and it is not the first, the score of the share counts, which is like those beside it.
pub fn ranked_shares(answers: &[ShareAnswer]) -> Vec<ChosenMove> {
    let mut ranked = shared(answers);
    let mut whole = answers.iter().enumerate().filter(|(_, answer)| answer.all);
    if let Some((place, &ShareAnswer { uci, value, .. })) = whole.next() {
        let whole = ChosenMove { place, uci, value };
        let best = ranked.first().map(|best| best.value.less(CLOSING_MARGIN));
        let counts = best.is_none_or(|best| best < value.less(0));
        let is_shared = ranked.iter().any(|of_share| of_share.uci == uci);
        match (counts, is_shared) {
            (true, _) => ranked.insert(0, whole),
            (false, true) => {}
            (false, false) => {
                let behind = ranked.partition_point(|of_share| of_share.value >= value);
                ranked.insert(behind, whole);
            }
        }
    }
    let mut told = HashSet::new();
    ranked.retain(|of_any| told.insert(of_any.uci));
    ranked
}

/// Those of the engines that share moves out, the best first.
fn shared(answers: &[ShareAnswer]) -> Vec<ChosenMove> {
    let mut moves: Vec<ChosenMove> = Vec::new();
    for (place, answer) in answers.iter().enumerate().filter(|(_, answer)| !answer.all) {
        let (uci, value) = match answer.behind {
            None => (answer.uci, answer.value),
            Some(uci) => (uci, answer.value.step()),
        };
        let of_share = ChosenMove { place, uci, value };
        match moves.iter_mut().find(|known| answer.behind.is_some() && known.uci == uci) {
            Some(known) if known.value > value => *known = of_share,
            Some(_) => {}
            None => moves.push(of_share),
        }
    }
    moves.sort_by_key(|of_share| Reverse(of_share.value));
    moves
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::chess::Score;

    /// What engines say, by their moves: `*` has all, and `a2a3/e7e5` replies to a2a3.
    fn said(text: &str) -> Vec<ShareAnswer> {
        let one = |word: &str| {
            let (all, word) = word.strip_prefix('*').map_or((false, word), |word| (true, word));
            let (uci, score) = word.split_once('=').unwrap();
            let (behind, uci) = match uci.split_once('/') {
                Some((behind, uci)) => (Some(behind.parse().unwrap()), uci),
                None => (None, uci),
            };
            let value = match score.strip_prefix('#') {
                Some(mate) => Value::from(Score::Mate(mate.parse().unwrap())),
                None => Value::from(Score::Cp(score.parse().unwrap())),
            };
            ShareAnswer { all, behind, uci: uci.parse().unwrap(), value }
        };
        text.split(' ').map(one).collect()
    }

    #[test]
    fn the_search_of_all_moves_counts_unless_another_is_clearly_better() {
        assert_eq!(CLOSING_MARGIN, 10);
        for (answers, ranked) in [
            ("*a2a3=20", &[0][..]),
            // Nine better is not enough. The same move is told once, with the share's score where it does not count.
            ("*a2a3=20 b2b3=29 a2a3=20", &[0, 1]),
            ("*a2a3=20 c2c3=-50 b2b3=30 d2d3=30", &[2, 3, 0, 1]),
            ("*a2a3=20 a2a3=12 b2b3=30 c2c3=16", &[2, 3, 1]),
            ("*a2a3=20 b2b3=40 c2c3=20", &[1, 2, 0]),
            // Both win, and both lose but for one.
            ("*a2a3=#5 b2b3=#3", &[0, 1]),
            ("*a2a3=#-5 b2b3=-900", &[1, 0]),
            // As shares were before one had all moves.
            ("a2a3=3 b2b3=7 c2c3=7", &[1, 2, 0]),
        ] {
            assert_eq!(places(answers), ranked, "{answers}");
        }
        assert!(ranked_shares(&[]).is_empty());
    }

    fn places(answers: &str) -> Vec<usize> {
        ranked_shares(&said(answers)).iter().map(|of_any| of_any.place).collect()
    }

    #[test]
    fn a_move_is_worth_what_the_best_reply_of_all_shares_leaves() {
        let answers = "*a2a3=20 b2b3=5 c2c3/e7e5=-40 d2d3/e7e5=-31 c2c3/d7d5=-12 d2d3/d7d5=-30";
        let ranked = ranked_shares(&said(answers));
        let told: Vec<(usize, String, Value)> =
            ranked.iter().map(|of| (of.place, of.uci.to_string(), of.value)).collect();
        let value = |cp| Value::from(Score::Cp(cp));
        let expected = [(5, "d2d3", 30), (0, "a2a3", 20), (4, "c2c3", 12), (1, "b2b3", 5)];
        assert_eq!(told, expected.map(|(place, uci, cp)| (place, uci.to_owned(), value(cp))));
        // Of two replies that lose, the one that is mated later; a mate in three behind a move is one in four with it.
        let mates = ranked_shares(&said("a2a3/e7e5=#-2 a2a3/d7d5=#-3 b2b3/e7e5=#1"));
        let scores: Vec<Score> = mates.iter().map(|of| Score::from(of.value)).collect();
        assert_eq!((scores, mates[0].place), (vec![Score::Mate(4), Score::Mate(-1)], 1));
    }
}
