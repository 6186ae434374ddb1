//! Counts of one position's list beside the judge's.

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::Score;

use crate::duel::alternatives::RankedMoves;
use crate::duel::judging::centipawns;

/// A move within this loss, in centipawns, should not be missed.
pub const NEAR: i32 = 20;

/// A sum and its divisor.
pub type Fraction = (i64, i64);

/// The parts of all figures that one position gives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ListParts {
    /// Moves of the judge that are listed, of all its moves.
    pub listed: Fraction,
    /// Errors of scores in centipawns, by moves that are listed.
    pub error: Fraction,
    /// Pairs of listed moves that the list has the other way round, by pairs of them that the judge
    /// orders; all doubled, as the next.
    pub wrong: Fraction,
    /// As `wrong` for all pairs of the judge's moves: unlisted ones come last, and two such are
    /// half wrong.
    pub wrong_of_all: Fraction,
    /// 1 if the judge's second-best move is one of the first two; of 1 if there is one.
    pub second: Fraction,
    /// Moves of the judge within [`NEAR`] of its best, that one too, that are not listed, of all such.
    pub missed: Fraction,
}

impl ListParts {
    /// For a list. Errors, and the order of listed moves, are counted for moves that another list
    /// has, too, if given. Moves that the judge has within the margin, in centipawns, are in no
    /// order.
    pub fn of(
        judged: &[(UciMove, Score)],
        list: &RankedMoves,
        other: Option<&RankedMoves>,
        margin: u32,
    ) -> ListParts {
        let mut parts = ListParts::default();
        let best = judged.first().map_or(0, |(_, score)| centipawns(*score));
        let moves: Vec<CountedMove> =
            judged.iter().map(|of| CountedMove::of(*of, list, other)).collect();
        for of in &moves {
            parts.listed = plus(parts.listed, i64::from(of.listed.is_some()), 1);
            if best - of.judge <= NEAR {
                parts.missed = plus(parts.missed, i64::from(of.listed.is_none()), 1);
            }
            if let Some((_, arm)) = of.listed.filter(|_| of.is_compared) {
                parts.error = plus(parts.error, i64::from((arm - of.judge).abs()), 1);
            }
        }
        for (better, worse) in ordered(&moves, margin) {
            let wrong = wrong(better.place(), worse.place());
            parts.wrong_of_all = plus(parts.wrong_of_all, wrong, 2);
            if better.is_compared && worse.is_compared {
                parts.wrong = plus(parts.wrong, wrong, 2);
            }
        }
        if let Some((second, _)) = judged.get(1) {
            let is_found = list.moves.iter().take(2).any(|(uci, _)| uci == second);
            parts.second = (i64::from(is_found), 1);
        }
        parts
    }

    /// A tree's parts less those of a search: errors and orders of what both list, so that listing
    /// only easy moves gains nothing.
    pub fn difference(
        judged: &[(UciMove, Score)],
        tree: &RankedMoves,
        search: &RankedMoves,
        margin: u32,
    ) -> ListParts {
        let of_tree = ListParts::of(judged, tree, Some(search), margin);
        let of_search = ListParts::of(judged, search, Some(tree), margin);
        let less = |tree: Fraction, search: Fraction| (tree.0 - search.0, tree.1);
        ListParts {
            listed: less(of_tree.listed, of_search.listed),
            error: less(of_tree.error, of_search.error),
            wrong: less(of_tree.wrong, of_search.wrong),
            wrong_of_all: less(of_tree.wrong_of_all, of_search.wrong_of_all),
            second: less(of_tree.second, of_search.second),
            missed: less(of_tree.missed, of_search.missed),
        }
    }
}

/// One of the judge's moves, in centipawns.
struct CountedMove {
    judge: i32,
    /// Its place in the arm's list, from 0, and the arm's centipawns, if listed.
    listed: Option<(usize, i32)>,
    /// True if it is listed, and in the other list, too, if there is one.
    is_compared: bool,
}

impl CountedMove {
    fn of(
        (uci, score): (UciMove, Score),
        list: &RankedMoves,
        other: Option<&RankedMoves>,
    ) -> CountedMove {
        let listed = list.of(uci);
        let is_in_other = other.is_none_or(|other| other.of(uci).is_some());
        let is_compared = listed.is_some() && is_in_other;
        CountedMove { judge: centipawns(score), listed, is_compared }
    }

    fn place(&self) -> Option<usize> {
        self.listed.map(|(place, _)| place)
    }
}

/// The pairs of moves that the judge has in an order, the better one first.
fn ordered(
    moves: &[CountedMove],
    margin: u32,
) -> impl Iterator<Item = (&CountedMove, &CountedMove)> {
    let pairs = moves.iter().enumerate().flat_map(move |(index, better)| {
        moves.iter().skip(index + 1).map(move |worse| (better, worse))
    });
    pairs.filter(move |(better, worse)| {
        i64::from(better.judge) - i64::from(worse.judge) > i64::from(margin)
    })
}

/// 2 if an arm has the worse move first, 1 if it has neither.
fn wrong(better: Option<usize>, worse: Option<usize>) -> i64 {
    match (better, worse) {
        (Some(better), Some(worse)) if better > worse => 2,
        (Some(_), _) => 0,
        (None, Some(_)) => 2,
        (None, None) => 1,
    }
}

fn plus(part: Fraction, sum: i64, of: i64) -> Fraction {
    (part.0 + sum, part.1 + of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> Vec<(UciMove, Score)> {
        let words = text.split_whitespace().map(|word| {
            let (uci, cp) = word.split_once('=').unwrap();
            let score = match cp.strip_prefix('#') {
                Some(mate) => Score::Mate(mate.parse().unwrap()),
                None => Score::Cp(cp.parse().unwrap()),
            };
            (uci.parse().unwrap(), score)
        });
        words.collect()
    }

    fn list(text: &str) -> RankedMoves {
        RankedMoves { moves: moves(text), nodes: 1, searches: 1 }
    }

    const JUDGED: &str = "a2a3=50 b2b3=40 c2c3=30 d2d3=-20";

    #[test]
    fn a_list_that_has_everything_right_has_no_errors() {
        let parts = ListParts::of(&moves(JUDGED), &list(JUDGED), None, 5);
        let expected = ListParts {
            listed: (4, 4),
            error: (0, 4),
            wrong: (0, 12),
            wrong_of_all: (0, 12),
            second: (1, 1),
            missed: (0, 3),
        };
        assert_eq!(parts, expected);
    }

    #[test]
    fn the_parts_of_a_list_worked_by_hand() {
        // b is 22 too low, a 20 too low, d 30 too high; c is not listed, e is none of the judge's.
        let arm = list("a2a3=30 e2e3=25 b2b3=18 d2d3=10");
        let parts = ListParts::of(&moves(JUDGED), &arm, None, 10);
        let expected = ListParts {
            listed: (3, 4),
            error: (20 + 22 + 30, 3),
            // In an order beyond the margin: ac, ad, bd, cd; ab and bc are 10 apart. Of those ad and bd are
            // listed, and right; cd alone is wrong.
            wrong: (0, 4),
            wrong_of_all: (2, 8),
            second: (0, 1),
            // a, b and c lose at most 20.
            missed: (1, 3),
        };
        assert_eq!(parts, expected);
    }

    #[test]
    fn unlisted_pairs_are_half_wrong() {
        let judged = moves("a2a3=50 b2b3=30 c2c3=10 d2d3=-10");
        // As an engine leaves them whose last iteration is cut short: a is the best, and its score is newer.
        let parts = ListParts::of(&judged, &list("a2a3=5 b2b3=7"), None, 0);
        assert_eq!((parts.wrong, parts.wrong_of_all), ((0, 2), (1, 12)), "cd by half");
        let parts = ListParts::of(&judged, &list("d2d3=9 b2b3=7"), None, 19);
        // bd is wrong; of all pairs also ab, ad, cd, and ac by half.
        assert_eq!((parts.wrong, parts.wrong_of_all), ((2, 2), (2 + 2 + 2 + 2 + 1, 12)));
        assert_eq!((parts.second, parts.missed), ((1, 1), (1, 2)));
    }

    #[test]
    fn mates_and_lost_causes_count_as_the_clamp() {
        let judged = moves("a2a3=#2 b2b3=1400 c2c3=100 d2d3=#-1");
        let parts = ListParts::of(&judged, &list("b2b3=#9 a2a3=900 c2c3=-2000"), None, 0);
        assert_eq!(parts.error, (100 + 1100, 3));
        // ab are worth the same; ac, ad, bc, bd, cd: only cd is in doubt, and d is not listed.
        assert_eq!((parts.wrong, parts.wrong_of_all), ((0, 4), (0, 10)));
    }

    #[test]
    fn arm_without_a_move_misses_all_and_orders_nothing() {
        let parts = ListParts::of(&moves(JUDGED), &list(""), None, 0);
        assert_eq!((parts.listed, parts.missed, parts.second), ((0, 4), (3, 3), (0, 1)));
        assert_eq!((parts.error, parts.wrong, parts.wrong_of_all), ((0, 0), (0, 0), (6, 12)));
        let one = ListParts::of(&moves("a2a3=0"), &list("a2a3=0"), None, 0);
        assert_eq!((one.second, one.listed), ((0, 0), (1, 1)), "there is no second move");
    }

    #[test]
    fn difference_counts_only_moves_that_both_list() {
        let (judged, tree) = (moves(JUDGED), list("b2b3=45 a2a3=40 c2c3=30"));
        let search = list("d2d3=60 a2a3=52 b2b3=42 e2e3=1");
        let parts = ListParts::difference(&judged, &tree, &search, 5);
        let expected = ListParts {
            listed: (0, 4),
            // a and b: 10 + 5 less 2 + 2.
            error: (11, 2),
            // ab alone is compared: wrong in the tree.
            wrong: (2, 2),
            // The tree: ab. The search: ad, bd, cd; ac and bc are right.
            wrong_of_all: (2 - 6, 12),
            second: (1, 1),
            missed: (0 - 1, 3),
        };
        assert_eq!(parts, expected);
    }
}
