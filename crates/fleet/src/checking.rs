//! Validates answers: they may come from a broken machine.

use deepanalyze_core::chess::Score;
use deepanalyze_core::search::{Answer, AnswerFlaw, Limit, Search, check_answer};
use deepanalyze_engine::{LongEnd, LongSearch, exceeds, falls_short};

/// A flaw in a worker's answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkFlaw {
    /// It is no answer.
    #[error(transparent)]
    Answer(#[from] AnswerFlaw),
    /// The search ended too early, or did not end.
    #[error("depth {depth} and {nodes} nodes are no answer to {limit}")]
    Limit {
        /// The limit.
        limit: Limit,
        /// The depth reached, in plies.
        depth: u32,
        /// The nodes searched.
        nodes: u64,
    },
}

/// Checks an answer as far as possible without searching.
///
/// # Errors
///
/// The first [`WorkFlaw`].
pub fn check(search: &Search, limit: Limit, answer: &Answer) -> Result<(), WorkFlaw> {
    check_words(search, answer)?;
    if keeps(limit, answer, search.allowed().len()) {
        Ok(())
    } else {
        Err(WorkFlaw::Limit { limit, depth: answer.depth, nodes: answer.nodes })
    }
}

/// Checks a result of a long search, at its end or before.
///
/// # Errors
///
/// The first [`WorkFlaw`].
pub fn check_long(long: &LongSearch, answer: &Answer, is_over: bool) -> Result<(), WorkFlaw> {
    match long.end {
        LongEnd::At(limit) if is_over || exceeds(limit, answer.nodes) => {
            check(&long.search, limit, answer)
        }
        LongEnd::At(_) | LongEnd::Until(_) => check_words(&long.search, answer),
    }
}

fn check_words(search: &Search, answer: &Answer) -> Result<(), WorkFlaw> {
    Ok(check_answer(&search.position, &search.excluded, answer)?)
}

/// A mate or a single move ends a search early.
fn keeps(limit: Limit, answer: &Answer, moves: usize) -> bool {
    let early = matches!(answer.score, Score::Mate(_)) || moves <= 1;
    match limit {
        Limit::Depth(depth) => early || answer.depth >= depth,
        Limit::Nodes(_) => !exceeds(limit, answer.nodes) && !falls_short(limit, answer, moves),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use deepanalyze_core::chess::{parse_fen, parse_uci};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    fn search(fen: &str, excluded: &[&str]) -> Search {
        let excluded = excluded.iter().map(|word| parse_uci(word).unwrap()).collect();
        Search { position: parse_fen(fen).unwrap(), excluded }
    }

    fn answer(pv: &[&str], score: Score, depth: u32, nodes: u64) -> Answer {
        let pv: Vec<_> = pv.iter().map(|word| parse_uci(word).unwrap()).collect();
        let (best, time) = (*pv.first().unwrap(), Duration::ZERO);
        Answer { best, score, wdl: None, depth, seldepth: depth, nodes, time, pv }
    }

    fn is_fine(answer: &Answer, limit: Limit) -> bool {
        check(&search(START, &["g1f3"]), limit, answer).is_ok()
    }

    #[test]
    fn an_answer_that_can_be_one_is_taken() {
        let depth = Limit::Depth(8);
        assert!(is_fine(&answer(&["e2e4", "e7e5"], Score::Cp(-31_000), 8, 1000), depth));
        assert!(is_fine(&answer(&["e2e4"], Score::Mate(-5), 3, 1000), depth));
        assert!(is_fine(&answer(&["e2e4"], Score::Cp(0), 5, 1000), Limit::Nodes(1000)));
    }

    #[test]
    fn what_no_sound_engine_says_is_refused() {
        let depth = Limit::Depth(8);
        for (said, limit) in [
            (answer(&["e2e5"], Score::Cp(0), 8, 1), depth),
            (answer(&["g1f3"], Score::Cp(0), 8, 1), depth),
            (answer(&["e2e4", "e2e4"], Score::Cp(0), 8, 1), depth),
            (answer(&["e2e4"], Score::Cp(2_000_000), 8, 1), depth),
            (answer(&["e2e4"], Score::Mate(0), 8, 1), depth),
            (answer(&["e2e4"], Score::Mate(i32::MIN), 8, 1), depth),
            (answer(&["e2e4"], Score::Cp(0), 7, 1), depth),
            (answer(&["e2e4"], Score::Cp(0), 8, u64::MAX), depth),
            (answer(&["e2e4"], Score::Cp(0), 8000, 1), depth),
            (answer(&["e2e4"], Score::Cp(0), 3, 5), Limit::Nodes(1000)),
            (answer(&["e2e4"], Score::Cp(0), 30, 90_000_000), Limit::Nodes(1000)),
        ] {
            assert!(!is_fine(&said, limit), "{said:?} to {limit}");
        }
        let other = Answer { pv: Vec::new(), ..answer(&["e2e4"], Score::Cp(0), 8, 1) };
        assert!(!is_fine(&other, depth));
    }
}
