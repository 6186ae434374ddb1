//! The closing searches that the memo has of a tree.

use shakmaty::uci::UciMove;

use crate::chess::{Game, Score, epd_of};
use crate::search::{Limit, Profile};
use crate::store::{AnalysisRow, PricedAnswer, Store, StoreError};

/// What a closing search said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closing {
    /// The passes that the tree had.
    pub passes: u64,
    /// The limit of the search.
    pub limit: Limit,
    /// The root move that it chose.
    pub uci: UciMove,
    /// Its score for its mover.
    pub score: Score,
    /// Engine nodes of the search, without the rehearsal's.
    pub nodes: u64,
}

/// The closing searches of an analysis: that of the fewest passes first, of as many passes that of the
/// fewest nodes.
pub fn closings(store: &Store, row: &AnalysisRow, game: &Game) -> Result<Vec<Closing>, StoreError> {
    let before = rehearsed(row, game);
    let answers = store.answers_on_kept_hash(&row.profile.engine, game.root(), &before)?;
    let closing = |(profile, priced): (Profile, PricedAnswer)| {
        let (plain, since) = profile.without_kept_hash();
        let passes = since?.strip_prefix(&before)?.strip_suffix(PASSES)?.parse().ok()?;
        let (limit, answer, nodes) = (plain.limit, priced.answer, priced.nodes);
        let same = plain.options == row.profile.options;
        same.then_some(Closing { passes, limit, uci: answer.uci, score: answer.score, nodes })
    };
    let mut closings: Vec<Closing> = answers.into_iter().filter_map(closing).collect();
    closings.sort_by_key(|closing| (closing.passes, closing.nodes, closing.limit));
    Ok(closings)
}

/// What comes before the number of passes in the text that names a kept hash. It names all that the
/// rehearsal is a function of, besides the answers.
fn rehearsed(row: &AnalysisRow, game: &Game) -> String {
    let moves: String = game.moves().iter().map(|uci| format!(" {uci}")).collect();
    let start = epd_of(game.start());
    let (distance, limit) = (row.distance, row.profile.limit);
    format!("of the best lines of the tree of {start}{moves}, distance {distance}, {limit}, after ")
}

/// What the hash of a closing search is kept of.
pub fn kept_of(row: &AnalysisRow, game: &Game, passes: u64) -> String {
    format!("{}{passes}{PASSES}", rehearsed(row, game))
}

const PASSES: &str = " passes";
