//! A worker on one position at a time: engines with the memo that they write to.

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use crate::duel::question::{HashState, Question, Reply};
use crate::duel::serial::SerialSearcher;
use deepanalyze_core::chess::{Ending, Score, Value};
use deepanalyze_core::search::Limit;
use deepanalyze_core::tree::{Graph, IllegalMove};
use deepanalyze_store::Store;

use crate::duel::lister::Lister;
use crate::duel::run::DuelError;

/// A worker on one position at a time.
pub struct DuelLane {
    /// The memo.
    pub store: Store,
    /// The arms' engine.
    pub player: SerialSearcher,
    /// The judge's; `None` if nothing is judged.
    pub judge: Option<SerialSearcher>,
    /// The lister for the arms' engine.
    pub lister: Lister,
    /// The judge's lister.
    pub judges_lister: Option<Lister>,
    /// The arms' engine with this many threads, for each number of engines; empty if that is no
    /// arm.
    pub threaded: Vec<SerialSearcher>,
}

impl DuelLane {
    /// The arms' engine with the memo.
    pub fn player(&mut self) -> SearcherOracle<'_> {
        SearcherOracle { store: &mut self.store, searcher: &mut self.player }
    }
}

/// A searcher with the memo it writes to.
pub struct SearcherOracle<'a> {
    pub store: &'a mut Store,
    pub searcher: &'a mut SerialSearcher,
}

impl Oracle for SearcherOracle<'_> {
    type Error = DuelError;

    fn begin(&mut self) {
        self.searcher.begin();
    }

    fn ask(&mut self, question: Question<'_>) -> Result<Reply, DuelError> {
        self.searcher.ask(self.store, question)
    }
}

/// A judge's score of a move for its mover: a search of the position after it, on an empty hash.
pub fn judged_score(
    store: &mut Store,
    judge: &mut SerialSearcher,
    position: &Chess,
    uci: UciMove,
    nodes: u64,
) -> Result<Score, DuelError> {
    let mut after = position.clone();
    if let Ok(m) = uci.to_move(position) {
        after.play_unchecked(m);
    }
    let value = match Ending::of(&after) {
        Some(ending) => Graph::end_value(ending, Value::EVEN),
        None => Value::from(ask_cleared(store, judge, &after, nodes)?.score),
    };
    Ok(Score::from(value.step()))
}

/// An engine's answer for a position, on an empty hash.
pub fn ask_cleared(
    store: &mut Store,
    searcher: &mut SerialSearcher,
    position: &Chess,
    nodes: u64,
) -> Result<Reply, DuelError> {
    let (limit, memory) = (Limit::Nodes(nodes), HashState::Cleared);
    searcher.ask(store, Question::new(position.clone(), limit, memory))
}

/// Answers searches: always the same reply to the same question.
pub trait Oracle {
    /// Why no answer exists.
    type Error: From<IllegalMove>;

    /// The next searches on a kept hash begin with an empty one.
    fn begin(&mut self);

    /// The answer to a search.
    fn ask(&mut self, question: Question<'_>) -> Result<Reply, Self::Error>;
}
