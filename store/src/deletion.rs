//! Taking analyses away. Answers stay: they cost engine time, and other trees may be made of them.

use super::analyses::{AnalysisId, AnalysisKey};
use super::error::StoreError;
use super::lock::GrowLock;
use super::open::Store;

/// What hangs on an analysis (its positions, settled depths, verdicts, course, and the directives that it
/// was grown with) goes with its row.
const DELETE: &str = "DELETE FROM analysis WHERE id = ?1";
const DELETE_EMPTY: &str =
    "DELETE FROM analysis WHERE id = ?1 AND searches = 0 AND settled_depth IS NULL
        AND id NOT IN (SELECT analysis FROM agenda)";

impl Store {
    /// The analysis of a key, a new one where there is none, with its lock.
    ///
    /// # Errors
    ///
    /// [`StoreError::Growing`] where another process grows it.
    pub fn begin_analysis(
        &mut self,
        key: AnalysisKey<'_>,
    ) -> Result<(AnalysisId, GrowLock), StoreError> {
        loop {
            let id = self.open_analysis(key)?;
            let lock = self.lock(id)?;
            // Who held the lock before may have deleted the analysis.
            if self.open_analysis(key)? == id {
                return Ok((id, lock));
            }
        }
    }

    /// Deletes analyses with all that is derived of them, all or none; gives how many there were. Their
    /// answers, and the directives and names of their roots, stay.
    ///
    /// # Errors
    ///
    /// [`StoreError::Growing`] where a process grows one of them; nothing is changed then.
    pub fn delete_analyses(&mut self, ids: &[AnalysisId]) -> Result<usize, StoreError> {
        let _locks = ids.iter().map(|id| self.lock(*id)).collect::<Result<Vec<_>, _>>()?;
        self.delete(DELETE, ids)
    }

    /// Deletes an analysis that has neither an answer nor a settled depth, is not on the agenda, and whose lock
    /// the caller has; `false` where it has some, is there, or there is none of that number.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the database fails.
    pub fn delete_if_empty(
        &mut self,
        id: AnalysisId,
        _lock: &GrowLock,
    ) -> Result<bool, StoreError> {
        Ok(self.delete(DELETE_EMPTY, &[id])? > 0)
    }

    fn delete(&mut self, sql: &str, ids: &[AnalysisId]) -> Result<usize, StoreError> {
        self.write(|write| {
            let deleted = ids.iter().map(|id| write.execute(sql, [id.0]).map_err(write.named()));
            deleted.sum()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use deepanalyze_core::chess::Game;
    use deepanalyze_core::search::{Limit, Profile};

    #[test]
    fn the_number_of_an_analysis_that_is_gone_is_no_other_s() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tree.db");
        let mut store = Store::open(&path).unwrap();
        let (options, limit) = (BTreeMap::new(), Limit::Depth(1));
        let profile = Profile { engine: "Some".to_owned(), options, limit, kept_hash: None };
        let profile = store.profile_id(&profile).unwrap();
        let begin = |store: &mut Store, moves: &str| {
            let mut game = Game::from_start("startpos").unwrap();
            game.play_line(moves).unwrap();
            let key = AnalysisKey { game: &game, profile, breadth: &10.into(), tables: None };
            store.begin_analysis(key).unwrap().0.0
        };
        assert_eq!(["", "e4", "", "e4"].map(|moves| begin(&mut store, moves)), [1, 2, 1, 2]);
        assert_eq!(store.delete_analyses(&[AnalysisId(2)]).unwrap(), 1);
        drop(store);
        let mut store = Store::open(&path).unwrap();
        assert_eq!(["d4", "e4", "c4"].map(|moves| begin(&mut store, moves)), [3, 4, 5]);
        let lock = store.lock(AnalysisId(5)).unwrap();
        assert!(store.delete_if_empty(AnalysisId(5), &lock).unwrap());
        assert_eq!(begin(&mut store, "c4"), 6);
    }
}
