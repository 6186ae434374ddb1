//! Checks of answers: one may come from a broken machine, or be made up.

use std::time::Duration;

use shakmaty::Chess;
use shakmaty::uci::UciMove;

use crate::chess::{Score, playable, uci_of};

use super::Answer;

/// The greatest score that an engine prints, in centipawns.
const GREATEST_CP: u32 = 100_000;
/// The longest mate, in moves.
const LONGEST_MATE: u32 = 1000;

/// More nodes than an engine searches in a year.
const MOST_NODES: u64 = 10_u64.pow(16);
/// The longest search.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 3600);
/// The greatest depth of an extension, in plies.
const DEEPEST: u32 = 1000;

/// Flaw of an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerFlaw {
    /// The best move cannot be played.
    #[error("{0} is not legal")]
    Illegal(String),
    /// The best move was left out of the search.
    #[error("{0} was excluded")]
    Excluded(String),
    /// The line does not begin with the best move, or cannot be played.
    #[error("its line {0} cannot be played from there")]
    Line(String),
    /// No engine has such a score.
    #[error("{0:?} is no score")]
    Score(Score),
    /// No search costs this much.
    #[error("{nodes} nodes in {time:?}, {seldepth} plies deep, are no search")]
    Effort {
        /// The nodes that were searched.
        nodes: u64,
        /// The time taken.
        time: Duration,
        /// The greatest depth of an extension, in plies.
        seldepth: u32,
    },
}

/// Checks an answer without searching, for a search of this position without the excluded moves.
///
/// # Errors
///
/// The first [`AnswerFlaw`].
pub fn check_answer(
    position: &Chess,
    excluded: &[UciMove],
    answer: &Answer,
) -> Result<(), AnswerFlaw> {
    let best = answer.best;
    let legal = best.to_move(position).ok().map(|m| uci_of(position, m));
    if legal != Some(best) {
        return Err(AnswerFlaw::Illegal(best.to_string()));
    }
    if excluded.contains(&best) {
        return Err(AnswerFlaw::Excluded(best.to_string()));
    }
    let line = &answer.pv;
    if line.first() != Some(&best) || playable(position, line.iter().copied()) != *line {
        let line: Vec<String> = line.iter().map(ToString::to_string).collect();
        return Err(AnswerFlaw::Line(line.join(" ")));
    }
    check_numbers(answer)
}

/// Checks only the score and the cost of an answer.
///
/// # Errors
///
/// The first [`AnswerFlaw`].
pub fn check_numbers(answer: &Answer) -> Result<(), AnswerFlaw> {
    if !is_score(answer.score) {
        return Err(AnswerFlaw::Score(answer.score));
    }
    let &Answer { depth, nodes, time, seldepth, .. } = answer;
    if nodes > MOST_NODES || time > LONGEST || seldepth.max(depth) > DEEPEST {
        return Err(AnswerFlaw::Effort { nodes, time, seldepth });
    }
    Ok(())
}

fn is_score(score: Score) -> bool {
    match score {
        Score::Cp(cp) => cp.unsigned_abs() <= GREATEST_CP,
        Score::Mate(moves) => (1..=LONGEST_MATE).contains(&moves.unsigned_abs()),
    }
}
