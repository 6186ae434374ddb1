//! The closing searches that the memo has of a tree.

use shakmaty::uci::UciMove;

use crate::chess::{Game, Score, Tables, epd_of};
use crate::directives::{Directives, write_set};
use crate::search::{HashContents, HashOf, KeptHash, Limit, Profile};
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
pub fn closings(
    store: &Store,
    row: &AnalysisRow,
    (game, directives): (&Game, &Directives),
) -> Result<Vec<Closing>, StoreError> {
    let answers = store.answers_on_kept_hash(&row.profile.engine, game.root())?;
    let closing = |(profile, priced): (Profile, PricedAnswer)| {
        let Some(KeptHash::Of(contents)) = profile.kept_hash else { return None };
        let passes = contents.passes?;
        let (limit, answer, nodes) = (profile.limit, priced.answer, priced.nodes);
        let same = profile.options == row.profile.options
            && contents == rehearsed(row, (game, directives), passes);
        same.then_some(Closing { passes, limit, uci: answer.uci, score: answer.score, nodes })
    };
    let mut closings: Vec<Closing> = answers.into_iter().filter_map(closing).collect();
    closings.sort_by_key(|closing| (closing.passes, closing.nodes, closing.limit));
    Ok(closings)
}

/// What the hash holds behind the rehearsal of a tree after so many passes: all that it is a function of,
/// besides the answers.
pub fn rehearsed(
    row: &AnalysisRow,
    (game, directives): (&Game, &Directives),
    passes: u64,
) -> HashContents {
    let breadth = &row.breadth;
    let widths = || Box::new([&breadth.white, &breadth.black].map(ToString::to_string));
    let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
    HashContents {
        directives: (!directives.is_empty()).then(|| write_set(directives)).and_then(Result::ok),
        distance: breadth.plain(),
        limit: Some(row.profile.limit),
        moves: moves.join(" "),
        nodes: None,
        of: HashOf::BestLines,
        passes: Some(passes),
        root_moves: (breadth.least > 1).then_some(breadth.least),
        start: epd_of(game.start()),
        tables: row
            .tables
            .map(|Tables { men, fifty }| format!("{men} {fifty} {}", row.grown_round)),
        widths: breadth.plain().is_none().then(widths),
    }
}
