//! Following a tree that another process grows: what has been added to it is read, not all of it.

use shakmaty::uci::UciMove;

use deepanalyze_core::chess::{PositionKey, Value, Wdl};
use deepanalyze_core::tree::{Growth, NodeId};
use deepanalyze_store::{AnalysisRow, KeptNode, Store, StoreError};

use super::reading::damaged;

/// New answers of a position, in rank order.
type List = (NodeId, Vec<(UciMove, Value)>);

/// An analysis as it is now, from what a reader has of it: lists are only added to, so those that have
/// grown since are read on. The values of a tree are a function of its lists; that its nodes are
/// numbered another way than in a tree that is read anew changes none of them.
///
/// None where that cannot be told, and the analysis is to be read anew: it is another one, or does not add up to what
/// its row says.
///
/// # Errors
///
/// [`StoreError`] where the database fails or a row is damaged.
pub fn read_on(
    store: &Store,
    known: &AnalysisRow,
    growth: &Growth,
) -> Result<Option<(AnalysisRow, Growth)>, StoreError> {
    store.at_one_moment(|| {
        let row = store.analysis(known.id)?.filter(|row| goes_on(known, row));
        let Some(row) = row else {
            return Ok(None);
        };
        let grown = store.nodes_grown_since(row.id, known.passes)?;
        let mut growth = growth.clone();
        let mut lists = Vec::new();
        for KeptNode { id, position, row: kept } in grown {
            let node = growth.find(&PositionKey::of(&position));
            let have = node.map_or(0, |node| growth.graph().list(node).len());
            let answers = store.answers_between(row.profile_id, id, have..kept.admitted)?;
            let answers = answers.into_iter().map(|answer| (answer.uci, answer.score.into()));
            let node = growth.node_of(&position);
            lists.push((node, answers.collect()));
        }
        growth.learn(facts_behind(store, &row, &growth, &lists)?);
        growth.admit(lists).map_err(|illegal| damaged(store, &row, &illegal))?;
        growth.restore(row.passes, store.settled(row.id)?);
        let adds_up = growth.searches() == row.searches && growth.analysed() == row.positions;
        Ok(adds_up.then_some((row, growth)))
    })
}

/// What is kept of positions that new answers lead to and tables may have.
fn facts_behind(
    store: &Store,
    row: &AnalysisRow,
    growth: &Growth,
    lists: &[List],
) -> Result<Vec<(PositionKey, Option<Wdl>)>, StoreError> {
    let mut facts = Vec::new();
    for (node, list) in lists {
        let moves = list.iter().map(|(uci, _)| *uci);
        let behind = growth.to_look_up_behind(*node, moves);
        for position in behind.map_err(|illegal| damaged(store, row, &illegal))? {
            let fact = store.fact(&position, row.fact_round)?;
            facts.extend(fact.map(|fact| (PositionKey::of(&position), fact)));
        }
    }
    Ok(facts)
}

/// Whether a row is that of the same tree after as many passes or more.
fn goes_on(known: &AnalysisRow, row: &AnalysisRow) -> bool {
    let tree = |row: &AnalysisRow| {
        let breadth = row.breadth.clone();
        let tables = (row.tables, row.fact_round);
        (row.start.clone(), row.history.clone(), row.profile_id, breadth, row.regrown, tables)
    };
    tree(known) == tree(row) && known.passes <= row.passes
}
