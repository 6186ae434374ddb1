//! Answers of others, and invalidating those of a source found wrong: a fleet worker or another
//! database.

use rusqlite::{Connection, OptionalExtension, params};

use deepanalyze_core::search::WorkerId;

use super::error::StoreError;
use super::open::Store;
use super::trees::make_empty;

/// The most invalidated workers that are listed, the latest first.
const MOST: i64 = 1000;

/// Rows removed with an invalidated worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Invalidated {
    /// Its answers, and any engine's behind them in their lists.
    pub answers: u64,
    /// Trees based on them: empty until they are grown again.
    pub trees: u64,
}

/// The giver of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Giver {
    /// An engine of this computer.
    Here,
    /// The worker of this row.
    Worker(i64),
    /// A worker with invalidated answers.
    Invalidated,
}

impl Giver {
    /// The row of a worker, inserted if missing.
    pub(super) fn of(write: &Connection, worker: Option<&WorkerId>) -> rusqlite::Result<Giver> {
        let Some(worker) = worker else {
            return Ok(Giver::Here);
        };
        let sql = "SELECT id, why IS NOT NULL FROM source WHERE name = ?1";
        let row = write.prepare_cached(sql)?.query_row([worker.as_str()], |row| {
            Ok(if row.get(1)? { Giver::Invalidated } else { Giver::Worker(row.get(0)?) })
        });
        if let Some(giver) = row.optional()? {
            return Ok(giver);
        }
        write
            .execute("INSERT INTO source (name, kind) VALUES (?1, 'worker')", [worker.as_str()])?;
        Ok(Giver::Worker(write.last_insert_rowid()))
    }
}

impl Giver {
    /// The `source` column of an answer; `None` if not to be stored.
    pub(super) fn column(self) -> Option<Option<i64>> {
        match self {
            Giver::Here => Some(None),
            Giver::Worker(id) => Some(Some(id)),
            Giver::Invalidated => None,
        }
    }
}

impl Store {
    /// Invalidates a worker, whatever run has asked: deletes its answers and all ranks behind them,
    /// empties the trees based on any of these, and forgets its engine's rechecks if it has
    /// answered for one, all in one transaction that is durable when this returns. Its later
    /// answers are not stored. `None` if that was done before.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails; nothing is changed then.
    pub fn invalidate(
        &mut self,
        worker: &WorkerId,
        why: &str,
    ) -> Result<Option<Invalidated>, StoreError> {
        self.write(|write| invalidate(write, worker, why).map_err(write.named()))
    }

    /// Number of invalidations. A tree or list read at a lower number must be read again.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn invalidations(&self) -> Result<u64, StoreError> {
        invalidations(&self.db).map_err(StoreError::sqlite(&self.path))
    }

    /// The invalidated workers, and why: old ones are left out.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the database fails.
    pub fn invalidated(&self) -> Result<Vec<(WorkerId, String)>, StoreError> {
        let sql = "SELECT name, why FROM source WHERE why IS NOT NULL AND kind = 'worker' ORDER BY id DESC LIMIT ?1";
        self.rows(sql, [MOST], |row| {
            let name: String = row.get(0)?;
            Ok((WorkerId::new(&name), row.get(1)?))
        })
    }
}

/// Reads it within a transaction.
pub(super) fn invalidations(db: &Connection) -> rusqlite::Result<u64> {
    let sql = "SELECT coalesce(max(taken_back), 0) FROM source";
    db.prepare_cached(sql)?.query_row([], |row| row.get(0))
}

fn invalidate(
    write: &Connection,
    worker: &WorkerId,
    why: &str,
) -> rusqlite::Result<Option<Invalidated>> {
    let Giver::Worker(id) = Giver::of(write, Some(worker))? else { return Ok(None) };
    invalidate_source(write, id, why).map(Some)
}

/// Invalidates any source, by its row.
pub(super) fn invalidate_source(
    write: &Connection,
    id: i64,
    why: &str,
) -> rusqlite::Result<Invalidated> {
    // The trees are found by the answers.
    let (trees, answers) = (empty_trees(write, id)?, delete_answers(write, id)?);
    let answers = answers + forget_move_answers(write, id)?;
    let sql = "UPDATE source SET why = ?2, taken_back =
            iif(?3, (SELECT 1 + coalesce(max(taken_back), 0) FROM source), NULL)
        WHERE id = ?1";
    write.execute(sql, params![id, why, answers > 0])?;
    Ok(Invalidated { answers, trees })
}

/// Empties the trees that admit an answer of a worker; returns their number. Roots on the agenda
/// that were done are done no more.
fn empty_trees(write: &Connection, worker: i64) -> rusqlite::Result<u64> {
    let sql = "SELECT DISTINCT analysis.id FROM answer
        JOIN analysis ON analysis.profile = answer.profile
        JOIN node ON node.analysis = analysis.id AND node.position = answer.position
        WHERE answer.source = ?1 AND node.admitted > answer.rank";
    let mut query = write.prepare(sql)?;
    let trees = query.query_map([worker], |row| row.get(0))?;
    let trees: Vec<i64> = trees.collect::<rusqlite::Result<_>>()?;
    for tree in &trees {
        make_empty(write, *tree)?;
    }
    if !trees.is_empty() {
        // Any of them may be a later stage of such a root; complete ones are soon done again.
        write.execute("UPDATE agenda SET ended = NULL", [])?;
    }
    Ok(u64::try_from(trees.len()).unwrap_or(u64::MAX))
}

/// Deletes a worker's answers and all ranks behind; returns their number.
fn delete_answers(write: &Connection, worker: i64) -> rusqlite::Result<u64> {
    let sql = "SELECT profile, position, min(rank) FROM answer WHERE source = ?1
        GROUP BY profile, position";
    let mut query = write.prepare(sql)?;
    let lists = query.query_map([worker], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let lists: Vec<(i64, i64, i64)> = lists.collect::<rusqlite::Result<_>>()?;
    let sql = "DELETE FROM answer WHERE profile = ?1 AND position = ?2 AND rank >= ?3";
    let mut delete = write.prepare(sql)?;
    let mut deleted = 0;
    for (profile, position, rank) in lists {
        deleted += delete.execute(params![profile, position, rank])?;
    }
    Ok(u64::try_from(deleted).unwrap_or(u64::MAX))
}

/// Deletes a worker's answers on single moves, with all based on them; returns their number.
fn forget_move_answers(write: &Connection, worker: i64) -> rusqlite::Result<u64> {
    let notes =
        "DELETE FROM recheck WHERE profile IN (SELECT profile FROM move_answer WHERE source = ?1)";
    write.execute(notes, [worker])?;
    let deleted = write.execute("DELETE FROM move_answer WHERE source = ?1", [worker])?;
    Ok(u64::try_from(deleted).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use shakmaty::Chess;
    use shakmaty::uci::UciMove;

    use super::*;
    use crate::{NewAnswer, ProfileId};
    use deepanalyze_core::chess::{Score, parse_uci};
    use deepanalyze_core::search::{Answer, Limit, Profile};

    struct Place {
        _folder: tempfile::TempDir,
        store: Store,
        profile: ProfileId,
    }

    impl Place {
        fn new() -> Place {
            let folder = tempfile::tempdir().unwrap();
            let mut store = Store::open(&folder.path().join("tree.db")).unwrap();
            let (options, limit) = (BTreeMap::new(), Limit::Depth(1));
            let profile = Profile { engine: "Some".to_owned(), options, limit, kept_hash: None };
            let profile = store.profile_id(&profile).unwrap();
            Place { _folder: folder, store, profile }
        }

        /// Stores one answer of the starting position, behind these; true if stored.
        fn keep(&mut self, excluded: &[&str], best: &str, worker: Option<&str>) -> bool {
            let excluded = moves(excluded);
            let best = parse_uci(best).unwrap();
            let (score, time) = (Score::Cp(1), Duration::ZERO);
            let pv = vec![best];
            let answer =
                Answer { best, score, wdl: None, depth: 1, seldepth: 1, nodes: 1, time, pv };
            let (position, worker) = (Chess::default(), worker.map(WorkerId::new));
            let row = NewAnswer { position, excluded, answer, worker };
            self.store.keep(self.profile, &[row]).unwrap()
        }

        fn list(&self) -> Vec<String> {
            let answer = |rank| self.store.answer(self.profile, &Chess::default(), rank).unwrap();
            (0..).map_while(answer).map(|answer| answer.uci.to_string()).collect()
        }
    }

    fn moves(words: &[&str]) -> Vec<UciMove> {
        words.iter().map(|word| parse_uci(word).unwrap()).collect()
    }

    #[test]
    fn invalidation_removes_answers_and_all_behind_them() {
        let mut place = Place::new();
        assert!(place.keep(&[], "e2e4", None));
        assert!(place.keep(&["e2e4"], "d2d4", Some("liar")));
        assert!(place.keep(&["e2e4", "d2d4"], "c2c4", Some("good")));
        let nobody = WorkerId::new("nobody");
        let none = Invalidated { answers: 0, trees: 0 };
        assert_eq!(place.store.invalidate(&nobody, "why").unwrap(), Some(none));
        assert_eq!(place.list(), ["e2e4", "d2d4", "c2c4"]);
        let liar = WorkerId::new("liar");
        let taken = place.store.invalidate(&liar, "it lies").unwrap();
        assert_eq!(taken, Some(Invalidated { answers: 2, trees: 0 }));
        assert_eq!(place.store.invalidate(&liar, "again").unwrap(), None);
        assert_eq!(place.list(), ["e2e4"]);
        assert_eq!(place.store.invalidations().unwrap(), 1, "the other had given nothing");
        let told = place.store.invalidated().unwrap();
        assert_eq!(told.last(), Some(&(liar, "it lies".to_owned())));
        assert_eq!(told.len(), 2);
    }

    #[test]
    fn answers_behind_invalidated_ones_are_not_stored() {
        let mut place = Place::new();
        assert!(place.keep(&[], "e2e4", Some("liar")));
        place.store.invalidate(&WorkerId::new("liar"), "it lies").unwrap();
        assert!(!place.keep(&["e2e4"], "d2d4", None), "there is a gap before it");
        assert!(!place.keep(&[], "e2e4", Some("liar")), "nobody believes it");
        assert_eq!(place.list(), [""; 0]);
        assert!(place.keep(&[], "d2d4", Some("other")));
        assert!(!place.keep(&["e2e4"], "c2c4", None), "it is another list");
        assert!(place.keep(&["d2d4"], "e2e4", None));
        assert_eq!(place.list(), ["d2d4", "e2e4"]);
    }
}
