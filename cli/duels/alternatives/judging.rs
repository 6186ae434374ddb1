//! The judge's own best moves.

use std::cmp::Reverse;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::duels::error::DuelError;
use crate::duels::lane::{Lane, judged_score};
use deepanalyze_core::chess::{Score, Value};
use deepanalyze_core::search::Limit;

use super::contest::AlternativesContest;

/// How many moves more than are wanted the judge looks at: what its list has a little too low may be among the best.
pub const MORE: usize = 2;

/// The judge's best moves with its scores: its own list, then the position after each of its moves alone. In a list the
/// moves share one hash and one window of scores, as those of an arm do: the judge's scores must not.
pub fn judge(
    lane: &mut Lane,
    position: &Chess,
    contest: &AlternativesContest,
) -> Result<Vec<(UciMove, Score)>, DuelError> {
    let Lane { store, judge: Some(judge), .. } = lane else { return Ok(Vec::new()) };
    let (moves, limit) = (contest.moves + MORE, Limit::Nodes(contest.judge_nodes));
    let mut scored = Vec::new();
    for reply in judge.list(store, position, moves, limit)? {
        let score = judged_score(store, judge, position, reply.uci, contest.nodes_of_move())?;
        scored.push((reply.uci, score));
    }
    Ok(best_of(scored, contest.moves))
}

/// So many of the best moves, best first; of equal ones those first that were.
fn best_of(mut scored: Vec<(UciMove, Score)>, moves: usize) -> Vec<(UciMove, Score)> {
    scored.sort_by_key(|(_, score)| Reverse(Value::from(*score)));
    scored.truncate(moves);
    scored
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_come_first_mates_before_all_and_equal_ones_in_the_order_of_the_list() {
        let scored = [
            ("a2a3", Score::Cp(10)),
            ("b2b3", Score::Cp(-5)),
            ("c2c3", Score::Mate(3)),
            ("d2d3", Score::Cp(10)),
            ("e2e3", Score::Mate(-2)),
            ("f2f3", Score::Mate(2)),
        ];
        let scored: Vec<_> =
            scored.iter().map(|(uci, score)| (uci.parse().unwrap(), *score)).collect();
        let best = |moves| {
            let best: Vec<String> =
                best_of(scored.clone(), moves).iter().map(|(uci, _)| uci.to_string()).collect();
            best.join(" ")
        };
        assert_eq!(best(4), "f2f3 c2c3 a2a3 d2d3");
        assert_eq!(best(9), "f2f3 c2c3 a2a3 d2d3 b2b3 e2e3");
    }
}
