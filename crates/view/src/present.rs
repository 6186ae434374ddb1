//! A stored tree under the present directives of its root (docs/algorithm.md, section 7).

use std::sync::Arc;

use deepanalyze_core::chess::{PositionKey, Value};
use deepanalyze_core::directives::Directives;
use deepanalyze_core::tree::{Growth, IllegalMove, Served, Server, Service, grow_by};
use deepanalyze_store::{AnalysisRow, Store, StoreError};

use crate::reading::{damaged, read_growth};

/// A tree for display: its stored lists under the present directives, grown on by stored answers.
#[derive(Debug)]
pub struct Present {
    /// The tree.
    pub growth: Arc<Growth>,
    /// Requested positions without an answer; 0 if it is complete to its target depth.
    pub waiting: usize,
}

/// The tree of an analysis under other directives than it was grown with.
///
/// # Errors
///
/// [`StoreError`] where the database fails or a row is damaged.
pub fn present(
    store: &Store,
    row: &AnalysisRow,
    grown: &Growth,
    directives: &Directives,
) -> Result<Present, StoreError> {
    let illegal = |illegal| damaged(store, row, &illegal);
    let mut growth = grown.under(directives.wishes()).map_err(illegal)?;
    growth.restore(row.passes, Vec::new());
    let waiting = match grow_by(&mut growth, &mut KeptAnswers { store, row }) {
        Ok(waiting) => waiting,
        Err(Unread::Illegal(found)) => return Err(illegal(found)),
        Err(Unread::Store(error)) => return Err(error),
    };
    Ok(Present { growth: Arc::new(growth), waiting })
}

/// The greatest depth that a stored tree has settled under the present directives.
///
/// # Errors
///
/// [`StoreError`] where the database fails or a row is damaged.
pub fn settled_now(store: &Store, row: &AnalysisRow) -> Result<Option<u32>, StoreError> {
    let Some(game) = row.game() else { return Ok(row.settled_depth) };
    store.at_one_moment(|| {
        let directives = store.directives(&game)?;
        if directives.of_tree() == store.grown_with(row.id)? {
            return Ok(row.settled_depth);
        }
        // Another program may have written the tree since the row was read.
        let Some(row) = store.analysis(row.id)? else { return Ok(row.settled_depth) };
        let grown = read_growth(store, row.clone(), &|| true)?.growth;
        let present = present(store, &row, &grown, &directives)?;
        Ok(present.growth.settled().last().map(|last| last.depth))
    })
}

/// Reason why a tree cannot be grown on.
#[derive(Debug)]
enum Unread {
    Illegal(IllegalMove),
    Store(StoreError),
}

impl From<IllegalMove> for Unread {
    fn from(illegal: IllegalMove) -> Unread {
        Unread::Illegal(illegal)
    }
}

impl From<StoreError> for Unread {
    fn from(error: StoreError) -> Unread {
        Unread::Store(error)
    }
}

/// Serves passes from stored answers, to the target depth or to the first pass that needs others.
struct KeptAnswers<'a> {
    store: &'a Store,
    row: &'a AnalysisRow,
}

impl Server for KeptAnswers<'_> {
    /// Positions without their answers.
    type End = usize;
    type Error = Unread;

    fn before_pass(&mut self, growth: &mut Growth) -> Result<Option<usize>, Unread> {
        let depth = growth.settled().last().map(|last| last.depth);
        Ok((depth >= Some(self.row.target_depth)).then_some(0))
    }

    fn serve(
        &mut self,
        growth: &mut Growth,
        mut services: Vec<Service>,
    ) -> Result<Served<usize>, Unread> {
        let mut waiting = 0;
        for service in &mut services {
            let position = growth.position(service.node());
            while service.wants_search() {
                let kept =
                    self.store.answer(self.row.profile_id, &position, service.next_rank())?;
                let Some(answer) = kept else {
                    waiting += 1;
                    break;
                };
                service.answer(answer.uci, Value::from(answer.score));
            }
        }
        if waiting > 0 {
            return Ok(Served::End(waiting));
        }
        if let Some(games) = self.row.settings.games {
            for key in growth.to_count(&services) {
                let Some(counts) = self.store.counts(games.set, &key.position())? else {
                    return Ok(Served::End(services.len()));
                };
                growth.learn_counts([(key, counts)]);
            }
        }
        for position in growth.to_look_up(&services)? {
            let Some(found) = self.store.fact(&position, self.row.fact_round)? else {
                return Ok(Served::End(services.len()));
            };
            growth.learn([(PositionKey::of(&position), found)]);
        }
        Ok(Served::Answers(services))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use deepanalyze_core::directives::Directive;

    #[test]
    fn a_row_older_than_its_tree_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        std::fs::write(&path, crate::made::pawns()).unwrap();
        let mut store = Store::open_for_now(&path).unwrap();
        let row = store.analyses().unwrap().remove(0);
        let game = row.game().unwrap();
        let tree = crate::load_tree(&store, row.id).unwrap();
        let best = tree.verdict().unwrap().best();
        let root = PositionKey::of(game.root());
        store
            .change_directives::<_, StoreError>(&game, |said| {
                said.add(&root, game.root(), Directive::Exclude(best)).unwrap();
                Ok(())
            })
            .unwrap();
        let now = settled_now(&store, &row).unwrap();
        let before = AnalysisRow { positions: row.positions - 1, ..row };
        assert_eq!(settled_now(&store, &before).unwrap(), now);
    }
}
